# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares every call frame row of ELF files with readelf's interpretation.

usage: unwind_rows.py UNWIND_ROWS ELF-FILE...

Rows are compared by function and pc. readelf prints one column per register in the function, and no row
for a function with only the rules of its CIE. The test ignores registers other than the general ones
(vector registers in assembly).
"""
import subprocess
import sys

KNOWN = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "ra"} | {
    "r%d" % i for i in range(8, 16)}


def read_ours(program, path):
    functions, rows, last = {}, None, ""
    with subprocess.Popen([program, path], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            word = line.split()
            if word[0] == "F":
                rows = functions[(int(word[1], 16), int(word[2], 16))] = {}
            elif word[0] == "R":
                rows[int(word[1], 16)] = (word[2], dict(x.split("=") for x in word[3:]))
            else:
                last = line.strip()
    return functions, last


def read_readelf(path):
    functions, cies, rows, names, end = {}, {}, None, [], 0
    command = ["readelf", "--wide", "--debug-dump=frames-interp", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as run:
        for line in run.stdout:
            if line.startswith("Contents of the"):
                if functions:
                    run.terminate()
                    break  # the first section only: .eh_frame
                continue
            word = [w for w in line.split() if w[0] != "("]  # "r8 (r8)" is one register
            if " FDE " in line:
                start, end = (int(x, 16) for x in line.split("pc=")[1].split(".."))
                rows = functions[(start, end)] = dict(cies[line.split("cie=")[1].split()[0]])
                if rows:
                    rows[start] = rows.pop(0)
            elif " CIE " in line:
                rows, end = cies.setdefault(word[0], {}), 1
            elif word and word[0] == "LOC":
                names = word[2:]
            elif rows is not None and len(word) >= 2 and len(word[0]) == 16:
                pc = int(word[0], 16)
                if pc < end:
                    rows[pc] = (word[1], dict(zip(names, word[2:])))
    return functions


def same_rules(ours, theirs):
    names = (set(ours) | set(theirs)) & KNOWN
    return all(ours.get(n, "u") == theirs.get(n, "u") for n in names)


def compare(ours, theirs):
    rows, wrong = 0, []
    for key in set(ours) ^ set(theirs):
        wrong.append("function %x..%x only in %s" % (*key, "ours" if key in ours else "readelf"))
    for key in set(ours) & set(theirs):
        for pc in set(ours[key]) | set(theirs[key]):
            a, b = ours[key].get(pc), theirs[key].get(pc)
            rows += 1
            if not a or not b or a[0] != b[0] or not same_rules(a[1], b[1]):
                wrong.append("%x: ours %s, readelf %s" % (pc, a, b))
    return rows, wrong


def main():
    failed = False
    for path in sys.argv[2:]:
        ours, summary = read_ours(sys.argv[1], path)
        rows, wrong = compare(ours, read_readelf(path))
        print("%s: %d rows compared, %d differ %s" % (path, rows, len(wrong), summary))
        for line in wrong[:10]:
            print("  " + line)
        failed |= bool(wrong) or not rows
    sys.exit(failed)


main()
