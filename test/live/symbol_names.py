# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares names of random addresses with perf script, and names of PLT entries with objdump.

symbol_names.py PROGRAM kernel|FILE|plt:FILE... : PROGRAM is the helper built from symbol_names.c. perf gets
a generated perf.data file with one sample for every address. Intended differences: symbol versions
(perf: foo@@GLIBC_2.2.5, cupel: foo) and clone suffixes of C++ names (perf drops .cold).
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

SAMPLES = 3000
PID = 4000000
BASE = 0x7F0000000000
PERF_RECORD_COMM, PERF_RECORD_SAMPLE, PERF_RECORD_MMAP2 = 3, 9, 10
MISC_KERNEL, MISC_USER = 1, 2


def output(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(name):
    name = name.encode() + b"\0"
    return name + b"\0" * (-len(name) % 8)


def sample_id(pid):
    return struct.pack("<IIQ", pid, pid, 1)


def mmap2(pid, start, length, pgoff, path, misc):
    body = struct.pack("<IIQQQIIQQII", pid, pid, start, length, pgoff, 0, 0, 0, 0, 5, 2)
    return record(PERF_RECORD_MMAP2, misc, body + padded(path) + sample_id(pid))


def write_perf_data(path, maps, ips, misc):
    """One cpu-clock event with PERF_SAMPLE_IP | TID | TIME."""
    body = record(PERF_RECORD_COMM, 0, struct.pack("<II", PID, PID) + padded("x") + sample_id(PID))
    body += b"".join(maps)
    for time, ip in enumerate(ips, 10):
        body += record(PERF_RECORD_SAMPLE, misc, struct.pack("<QIIQ", ip, PID, PID, time))
    flags = 1 << 1 | 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000000, 7, 0, flags).ljust(112, b"\0")
    attr += struct.pack("<QQ", 0, 0)
    header = b"PERFILE2" + struct.pack("<8Q", 104, 128, 104, 128, 232, len(body), 0, 0) + b"\0" * 32
    with open(path, "wb") as file:
        file.write(header + attr + body)


def executable_segments(path):
    ret = []
    for line in output("readelf", "-lW", path):
        word = line.split()
        if word[:1] == ["LOAD"] and "E" in "".join(word[6:-1]):
            ret.append((int(word[1], 16), int(word[4], 16)))
    return ret


def same(ours, theirs):
    if ours == theirs:
        return True
    theirs = re.sub(r"@@?[A-Za-z_][\w.]*(?=\+0x)", "", theirs)
    return theirs in (ours, re.sub(r"(\.[A-Za-z_]\w*(\.\d+)*)+(?=\+0x)", "", ours))


def compare(what, offsets, ours, theirs):
    bad = [t for t in zip(offsets, ours, theirs) if not same(t[1], t[2])]
    known = sum(name != "?" for name in ours)
    print(f"{what}: {len(offsets)} addresses, {known} named, {len(bad)} other than perf")
    for offset, our, their in bad[:5]:
        print(f"  {offset:x}: {our}, not {their}")
    return len(ours) == len(theirs) == len(offsets) and not bad


def perf_names(maps, ips, misc):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.data")
        write_perf_data(path, maps, ips, misc)
        lines = output("perf", "script", "-f", "-i", path, "--no-inline", "-F", "ip,sym,symoff")
    names = [line.split(None, 1)[1].strip() for line in lines if line.strip()]
    return ["?" if name.startswith("[unknown]") else name for name in names]


def check_file(program, path):
    segments = executable_segments(path)
    random.seed(path)
    picked = random.choices(segments, [size for _, size in segments], k=SAMPLES)
    offsets = [start + random.randrange(size) for start, size in picked]
    maps = [mmap2(PID, BASE + (start & ~4095), (start & 4095) + size + 4095 & ~4095, start & ~4095,
                  path, MISC_USER) for start, size in segments]
    theirs = perf_names(maps, [BASE + offset for offset in offsets], MISC_USER)
    ours = output(program, "file", path, text="".join(f"{o:x}\n" for o in offsets))
    # Entries of .plt.got and .plt.sec have no names in perf 6.1; the comparison with objdump is below.
    plt = [i for i, name in enumerate(ours) if "@plt+" in name]
    for i in plt:
        theirs[i] = ours[i]
    return compare(path, offsets, ours, theirs)


def check_kernel(program):
    lines = [line.split() for line in open("/proc/kallsyms", encoding="ascii")]
    text = [int(word[0], 16) for word in lines if word[1] in "tTwW"]
    start = next(int(word[0], 16) for word in lines if word[2] == "_text")
    random.seed(1)
    ips = [random.choice(text) + random.randrange(64) for _ in range(SAMPLES)]
    maps = [mmap2(0xFFFFFFFF, start, 0xFFFFFFFFFFFFFFFF - start, start, "[kernel.kallsyms]_text",
                  MISC_KERNEL)]
    theirs = perf_names(maps, ips, MISC_KERNEL)
    ours = output(program, "kernel", text="".join(f"{ip:x}\n" for ip in ips))
    return compare("kernel", ips, ours, theirs)


def check_plt(program, path):
    """objdump prints an entry as <foo@plt>, that of an ifunc as <*ABS*+0xADDRESS@plt>."""
    entries = []
    for line in output("objdump", "-d", "--no-show-raw-insn", "-j", ".plt", "-j", ".plt.sec", "-j",
                       ".plt.got", path):
        match = re.match(r"([0-9a-f]+) <(.+)@plt>:", line)
        if match:
            entries.append((int(match[1], 16), match[2]))
    segments = []
    for line in output("readelf", "-lW", path):
        word = line.split()
        if word[:1] == ["LOAD"]:
            segments.append((int(word[1], 16), int(word[2], 16), int(word[4], 16)))
    offsets = [next(vaddr - v + o for o, v, size in segments if v <= vaddr < v + size)
               for vaddr, _ in entries]
    ours = output(program, "raw", path, text="".join(f"{o:x}\n" for o in offsets))
    bad = []
    for (vaddr, name), our in zip(entries, ours):
        if name.startswith("*ABS*"):
            fine = our == "?" or our.endswith("@plt+0x0")
        else:
            fine = our == re.sub("@.*", "", name) + "@plt+0x0"
        if not fine:
            bad.append(f"  {vaddr:x}: {our}, not {name}@plt")
    print(f"{path}: {len(entries)} PLT entries, {len(bad)} other than objdump")
    print("".join(line + "\n" for line in bad[:5]), end="")
    return not bad and len(ours) == len(entries)


def main():
    program, good = sys.argv[1], True
    for what in sys.argv[2:]:
        if what == "kernel":
            good = check_kernel(program) and good
        else:
            if not what.startswith("plt:"):
                good = check_file(program, what) and good
            good = check_plt(program, what.removeprefix("plt:")) and good
    sys.exit(0 if good else 1)


main()
