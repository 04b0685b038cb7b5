# SPDX-License-Identifier: GPL-2.0-or-later
"""Reduces the files in snapshots to the parts that unwinding needs.

usage: unwind_snapshot.py SNAPSHOT… > FILES.tar.xz

To create the snapshots of test/data/unwind, run unwind_gdb.py with SNAPSHOT=NAME.txt for each.
"""
import collections
import io
import lzma
import sys
import tarfile

from eh_frame import ElfFile


def offsets_by_path(names):
    offsets = collections.defaultdict(set)
    for name in names:
        maps, pcs = [], []
        with open(name, encoding="ascii") as file:
            for line in file:
                word, *rest = line.split()
                if word == "map":
                    maps.append((int(rest[0], 16), int(rest[1], 16), rest[2]))
                elif word == "expect":
                    pcs = [int(pc, 16) for pc in rest]
        for pc in pcs:
            start, offset, path = max(m for m in maps if m[0] <= pc)
            offsets[path].add(pc - start + offset)
    return offsets


def main():
    with lzma.open(sys.stdout.buffer, "w", preset=9) as packed, \
            tarfile.open(fileobj=packed, mode="w") as archive:
        for path, offsets in sorted(offsets_by_path(sys.argv[1:]).items()):
            data = ElfFile(path).cut(sorted(offsets))
            member = tarfile.TarInfo(path.lstrip("/"))
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


main()
