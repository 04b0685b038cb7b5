# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the user stacks of a --call-graph dwarf recording with those of stock perf.

usage: unwind_perf.py UNWIND_STACKS perf.data

Fails if a stack of cupel is shorter than perf's and equal up to its end, or if a stack ends neither at
the root nor at the end of the recorded 8 KB.
"""
import collections
import re
import subprocess
import sys


def read_ours(program, path):
    out = subprocess.run([program, "--dump", path], stdout=subprocess.PIPE, text=True, check=True)
    for line in out.stdout.splitlines():
        pid, time, stop, *pcs = line.split()
        yield pid, int(time), stop, [int(x, 16) for x in pcs]


def read_perf(path):
    stacks, stack = collections.defaultdict(list), None
    out = subprocess.run(["perf", "script", "--no-inline", "--ns", "-F", "pid,time,ip", "-i", path],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    for line in out.stdout.splitlines():
        head = re.match(r"\s*(\d+)\s+(\d+)\.(\d+):\s*$", line)
        if head:
            stack = []
            stacks[head[1], int(head[2] + head[3])].append(stack)
        elif line.strip() and int(line.split()[0], 16) < 1 << 63:
            stack.append(int(line.split()[0], 16))
    return stacks


def agrees(perf, ours):
    """perf prints addresses relative to the module, and one less for callers, so pages are ignored."""
    return all((b - a) & 0xfff in (0, 1) for a, b in zip(perf, ours))


def main():
    perf = read_perf(sys.argv[2])
    count, stops = collections.Counter(), collections.Counter()
    for pid, time, stop, pcs in read_ours(sys.argv[1], sys.argv[2]):
        theirs = perf[pid, time][0] if perf[pid, time] else []
        stops[stop] += 1
        if not agrees(theirs, pcs):
            count["different"] += 1
        elif len(theirs) > len(pcs):
            count["shorter"] += 1
            print("shorter: pid %s time %d stop %s: %d frames, perf %d, last pc %x" %
                  (pid, time, stop, len(pcs), len(theirs), pcs[-1]))
        else:
            count["longer" if len(theirs) < len(pcs) else "equal"] += 1
    total = sum(stops.values())
    whole = stops["root"] + stops["read-fault"]
    print("%s: %d stacks: %s; against perf: %s" % (sys.argv[2], total, dict(stops), dict(count)))
    sys.exit(not total or count["shorter"] > 0 or whole < 0.99 * total)


main()
