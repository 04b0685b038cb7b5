# SPDX-License-Identifier: GPL-2.0-or-later
"""Which stacks are whole, by one rule for all tools: the outermost frame is a program's entry point,
or code with a return address that the file's .eh_frame declares undefined, as glibc does where threads
start. A tool's own statistics do not matter."""
import collections
import re
import subprocess

from eh_frame import open_elf

KERNEL = 1 << 63


class Stacks:
    """Counts of stacks; whole is of those that have a user part."""

    def __init__(self):
        self.user = self.whole = self.kernel_only = 0
        self.broken = collections.Counter()  # outermost frames of the others
        self.depths = collections.Counter()

    def add(self, frames, count=1):
        """frames: (address, path, offset in the file) of a user part, leaf first."""
        if not frames:
            self.kernel_only += count
            return
        _, path, offset = frames[-1]
        elf = open_elf(path) if path.startswith("/") else None
        self.user += count
        self.depths[len(frames)] += count
        if elf and elf.is_root(offset):
            self.whole += count
        else:
            self.broken["%s+0x%x" % (path, offset)] += count

    def share(self):
        return 100.0 * self.whole / self.user if self.user else float("nan")


def of_perf_data(path):
    """As stock perf reads the file. It prints offsets in the file for user code."""
    stacks, frames, seen = Stacks(), [], False
    out = subprocess.run(["perf", "script", "-f", "--no-inline", "--max-stack", "2048",
                          "-F", "tid,ip,dso", "-i", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, errors="replace",
                         check=False).stdout
    for line in out.splitlines() + [""]:
        frame = re.match(r"\s+([0-9a-f]+) \((.*)\)$", line)
        if frame:
            address = int(frame[1], 16)
            if address < KERNEL and not frame[2].startswith("[kernel"):
                frames.append((address, frame[2], address))
        elif line.strip():
            seen = True
        elif seen:
            stacks.add(frames)
            frames, seen = [], False
    return stacks


def of_bpftrace(text, maps):
    """What `@[ustack(perf)] = count()` printed; maps is /proc/PID/maps, taken meanwhile."""
    ranges = []
    for line in maps.splitlines():
        words = line.split()
        start, end = (int(x, 16) for x in words[0].split("-"))
        ranges.append((start, end, int(words[2], 16), words[5] if len(words) > 5 else ""))

    def place(address):
        for start, end, offset, path in ranges:
            if start <= address < end:
                return address, path, address - start + offset
        return address, "", 0

    stacks = Stacks()
    for block in re.findall(r"@\[\n?(.*?)\]: (\d+)", text, re.S):
        addresses = re.findall(r"^\s+([0-9a-f]+) ", block[0], re.M)
        stacks.add([place(int(a, 16)) for a in addresses], int(block[1]))
    return stacks
