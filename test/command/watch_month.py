#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up samples of a service, as perf script text with Unix times, for cupel push.

usage: watch_month.py CASE BEGIN DAYS SEED

BEGIN: seconds since 1970. Cases change on the twentieth day (or so) at noon:
  quiet     nothing; the load and the mix of requests follow the day and the week
  slower    parse takes twice its time; its callers and callees follow, all others get less of the whole
  rename    checksum_v1 is checksum_v2 then: cost that moved
  inlined   helper is part of its caller then
  transient render is slow for ten hours
  new       a function audit that was not there before
  faster    compress takes half of its time
These have two or few functions below one root, and as many samples as there is work:
  shrinks   b takes a third of its time, a the same as before
  grows     b takes three times its time, a the same as before
  leaves    b's six callees take less than half of their time, a the same as before
  steady    the work goes up and down, with all functions
"""
import math
import random
import sys

STEP = 7200
STACKS = [  # weight, frames from the root
    (10, "main serve parse"), (6, "main serve parse scan"), (20, "main serve render"),
    (8, "main serve render layout"), (12, "main serve compress"), (5, "main serve checksum_v1"),
    (4, "main serve store helper"), (9, "main serve store"), (3, "main idle_work"),
    (6, "main log write_line"), (2, "main log write_line format"), (15, "main serve query plan"),
    (7, "main serve query execute"), (1, "main serve query execute lock"),
]


def mix(case, after, column, hour_of_day, day):
    """(weight, frames) at a time; what a request costs in work, not shares."""
    out = []
    for weight, frames in STACKS:
        if "query" in frames:
            weight *= 1 + 0.3 * math.sin(2 * math.pi * hour_of_day / 24)
        if "log" in frames and day % 7 >= 5:
            weight *= 1.5
        if case == "slower" and after and "parse" in frames:
            weight *= 2
        if case == "faster" and after and "compress" in frames:
            weight /= 2
        if case == "rename" and after:
            frames = frames.replace("checksum_v1", "checksum_v2")
        if case == "inlined" and after:
            frames = frames.replace(" helper", "")
        if case == "transient" and 0 <= column < 5 and frames.endswith("render"):
            weight *= 2
        out.append((weight, frames))
    if case == "new" and after:
        out.append((3, "main serve audit"))
    return out


def show(samples, start, draw):
    for frames in samples:
        print("app 1/1 [000] %d.%06d: 52631578 cpu-clock: " %
              (start + draw.randrange(STEP), draw.randrange(1000000)))
        for frame in reversed(frames.split()):
            print("\t1000 %s+0x1 (/bin/app)" % frame)
        print()


PAIRS = {  # function: work before, after
    "shrinks": {"main a": (90, 90), "main b": (90, 30)},
    "grows": {"main a": (60, 60), "main b": (60, 180)},
    "leaves": {"main a": (66, 66), **{"main b b%d" % i: (22, 9) for i in range(6)}},
    "steady": {"main a": (60, 60), "main b": (60, 60)},
}


def work(case, after, draw):
    """Frames of each sample in a column: as many as the work takes."""
    load = draw.uniform(0.95, 1.05) * (1.2 if case == "steady" and after else 1)
    return [frames for frames, costs in PAIRS[case].items()
            for _ in range(round(costs[after] * load * draw.uniform(0.97, 1.03)))]


def main():
    case, begin, days, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    draw = random.Random(seed)
    change = begin + days * 2 // 3 * 86400 + 43200
    for start in range(begin, begin + days * 86400, STEP):
        hour, day = start // 3600 % 24, (start - begin) // 86400
        if case in PAIRS:
            show(work(case, start >= change, draw), start, draw)
            continue
        load = 300 * (1.2 + math.sin(2 * math.pi * (hour - 6) / 24))
        stacks = mix(case, start >= change, (start - change) // STEP, hour, day)
        weights = [weight * draw.uniform(0.97, 1.03) for weight, _ in stacks]
        count = int(load)
        show([frames for _, frames in draw.choices(stacks, weights, k=count)], start, draw)


main()
