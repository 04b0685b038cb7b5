#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# access_samples.py RECORDING PROGRAM OUTPUT: gives the samples of a recording of `cupel c2c record -e cpu-clock`
# addresses, costs and sources of data as PEBS, IBS and SPE do, the same in each run. So readers can be compared
# without a machine that has such counters.
import random
import struct
import subprocess
import sys

FIELDS = [(16, 8), (0, 8), (1, 8), (2, 8), (3, 8), (6, 8), (9, 8), (7, 8), (8, 8)]  # bit of sample_type, bytes
ADDR, WEIGHT, DATA_SRC, PHYS, RECORD_SAMPLE, RECORD_MMAP2 = 3, 14, 15, 19, 9, 10
PLACE = {"op": 0, "lvl": 5, "snoop": 19, "lock": 24, "dtlb": 26, "num": 33, "remote": 37, "snoopx": 38, "blk": 40, "hops": 43}
LOAD, STORE = 2, 4
NA, HIT, MISS, L1, LFB, L2, L3, RAM, FAR_RAM, FARTHER_RAM, FAR_CACHE, FARTHER_CACHE, IO, UNCACHED = (1 << i for i in range(14))


def source(**parts):
    return sum(value << PLACE[name] for name, value in parts.items())


# perf's tables put sources with equal mem_lvl, or mem_snoop, in one row, whatever their other bits are: none here.
SOURCES = [
    source(op=LOAD, lvl=HIT | L1, snoop=2, dtlb=10),
    source(op=LOAD, lvl=HIT | L2, snoop=2, dtlb=26, num=2, blk=1),
    source(op=LOAD, lvl=HIT | L3, snoop=4, dtlb=18, num=3),
    source(op=LOAD, lvl=HIT | L3, snoop=16, dtlb=10, num=3, blk=1),
    source(op=LOAD, lvl=HIT | L3, snoop=8, snoopx=2, num=3),
    source(op=LOAD, lvl=HIT | LFB, snoop=1, dtlb=36, num=12, blk=2),
    source(op=LOAD, lvl=HIT | RAM, snoop=4, lock=2, dtlb=36, num=13, blk=4),
    source(op=LOAD, lvl=HIT | RAM, snoop=2, dtlb=10, num=13),
    source(op=LOAD, lvl=HIT | FAR_RAM, snoop=4, dtlb=10, num=13, remote=1, blk=6),
    source(op=LOAD, lvl=HIT | FARTHER_RAM, snoop=2),
    source(op=LOAD, lvl=HIT | FAR_CACHE, snoop=16, lock=2, dtlb=10, num=11, remote=1),
    source(op=LOAD, lvl=HIT | FAR_CACHE, snoop=4, dtlb=10, num=11, remote=1),
    source(op=LOAD, lvl=HIT | FARTHER_CACHE, snoop=16, dtlb=10),
    source(op=LOAD, num=11, remote=1, hops=3, lvl=HIT),
    source(op=LOAD, lvl=MISS | L3),
    source(op=LOAD, lvl=UNCACHED | HIT),
    source(op=LOAD, lvl=IO | HIT),
    source(op=STORE, lvl=HIT | L1, dtlb=10),
    source(op=STORE, lvl=MISS | L1, dtlb=36, lock=2),
    source(op=STORE, lvl=NA, dtlb=1),
    source(op=STORE, lvl=HIT | UNCACHED),
    source(op=8, lvl=HIT | L1),
    source(op=1, lvl=NA, snoop=1, lock=1, dtlb=1),
]


def records(data, start, size):
    at = start
    while at < start + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        yield at, kind, length
        at += length


def places(data, at, sample_type):
    at += 8
    found = {}
    for bit, size in FIELDS:
        if sample_type >> bit & 1:
            found[bit] = at
            at += size
    for bit in (WEIGHT, DATA_SRC, PHYS):
        if sample_type >> bit & 1:
            found[bit] = at
            at += 8
    return found


def main():
    recording, program, output = sys.argv[1:]
    data = bytearray(open(recording, "rb").read())
    attrs, _, start, size = struct.unpack_from("<4Q", data, 24)
    sample_type = struct.unpack_from("<Q", data, attrs + 24)[0]
    assert not sample_type & (1 << 4 | 1 << 5 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13), "only plain samples"
    names = subprocess.run(["nm", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    symbol = {row.split()[2]: int(row.split()[0], 16) for row in names.splitlines() if len(row.split()) == 3}
    bias = None
    for at, kind, length in records(data, start, size):
        if kind == RECORD_MMAP2 and data[at + 72 : at + length].split(b"\0")[0].decode().endswith("/" + program.split("/")[-1]):
            address, _, offset = struct.unpack_from("<QQQ", data, at + 16)
            bias = min(bias or address - offset, address - offset)
    random.seed(1)
    count = 0
    for at, kind, _ in records(data, start, size):
        if kind != RECORD_SAMPLE:
            continue
        place = places(data, at, sample_type)
        what = random.choice(SOURCES)
        where = random.random()
        address = bias + symbol["line"] + random.choice([0, 8, 8, 16])
        if where < 0.2:
            address = bias + symbol["table"] + random.choice([0, 64, 72, 128, 4096])
        elif where < 0.23:
            address = 0
        struct.pack_into("<Q", data, place[ADDR], address)
        struct.pack_into("<Q", data, place[WEIGHT], random.choice([3, 5, 7, 40, 120, 300]) if what & LOAD else 0)
        struct.pack_into("<Q", data, place[DATA_SRC], what)
        struct.pack_into("<Q", data, place[PHYS], 0)
        count += 1
    open(output, "wb").write(data)
    print(f"{count} samples")


main()
