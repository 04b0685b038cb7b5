#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""disassemble.py PROGRAM FILE...: compares PROGRAM's instructions (disassemble.c) with those of
`objdump -d`, all functions of each FILE: the same boundaries, the same targets of jumps and calls."""
import re
import subprocess
import sys

FUNCTION = re.compile(rb"^([0-9a-f]+) <.*>:$")
SECTION = re.compile(rb"^Disassembly of section ")
LINE = re.compile(rb"^ +([0-9a-f]+):\t(.*)$")
# the mnemonic of a jump or call, and the address before "<symbol>"
TARGET = re.compile(rb"^(?:[a-zA-Z0-9.,]+ +)*?(?:j[a-z]+|call|loop[a-z]*|xbegin|b|bl|b\.[a-z]+"
                    rb"|cbn?z|tbn?z)(?:,p[nt])? +(?:.*[, ])?(?:0x)?([0-9a-f]+)(?: <.*>)?$")


def section_ends(path):
    """The end of each section, by its start."""
    out = subprocess.run(["objdump", "-h", "-w", path], stdout=subprocess.PIPE, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {int(r[3], 16): int(r[3], 16) + int(r[2], 16) for r in rows if r and r[0].isdigit()}


def read_objdump(path):
    """Functions as [start, end, {address: target}, {address: text}]."""
    functions = []
    objdump = subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", "-w", path],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    fresh = True
    for line in objdump.stdout:
        line = line.rstrip()
        if SECTION.match(line):
            fresh = True
            continue
        found = FUNCTION.match(line)
        if found:
            start = int(found[1], 16)
            if functions and not fresh:
                functions[-1][1] = start
            functions.append([start, None, {}, {}])
            fresh = False
            continue
        found = LINE.match(line)
        if found and functions:
            address = int(found[1], 16)
            text = found[2].split(b"#")[0].rstrip()
            target = TARGET.match(text)
            functions[-1][2][address] = int(target[1], 16) if target else None
            functions[-1][3][address] = text
    objdump.wait()
    return functions


def compare(program, path):
    functions = [f for f in read_objdump(path) if f[2]]
    sections = section_ends(path)
    for function in functions:
        if function[1] is None:
            inside = max(s for s in sections if s <= function[0] and sections[s] > function[0])
            function[1] = sections[inside]
    ranges = "".join("%x %x\n" % (f[0], f[1]) for f in functions)
    out = subprocess.run([program, path], input=ranges.encode(), stdout=subprocess.PIPE, check=True)
    ours = {}
    for line in out.stdout.splitlines():
        address, target = line.split()
        ours[int(address, 16)] = None if target == b"-" else int(target, 16)
    theirs = {}
    texts = {}
    for function in functions:
        theirs.update(function[2])
        texts.update(function[3])
    extra = sorted(set(ours) - set(theirs))
    missing = sorted(set(theirs) - set(ours))
    targets = [a for a in theirs if a in ours and ours[a] != theirs[a]]
    return functions, theirs, texts, missing, extra, targets, ours


def main():
    program, *paths = sys.argv[1:]
    bad = 0
    for path in paths:
        functions, theirs, texts, missing, extra, targets, ours = compare(program, path)
        print("%s: %d functions, %d instructions, %d jumps and calls: %d boundaries missing, "
              "%d extra, %d targets differ" % (path, len(functions), len(theirs),
              sum(1 for t in theirs.values() if t is not None), len(missing), len(extra),
              len(targets)))
        for address in missing[:5]:
            print("  missing %x %s" % (address, texts[address].decode()))
        for address in extra[:5]:
            before = max((a for a in range(address - 16, address) if a in texts), default=None)
            print("  extra %x; there: %s" % (address, before and
                                             "%x %s" % (before, texts[before].decode())))
        for address in targets[:5]:
            print("  target of %x %s: %s" % (address, texts[address].decode(), ours[address] and
                                             "%x" % ours[address]))
        bad += len(missing) + len(extra) + len(targets)
        if not functions:
            print("  no functions found")
            bad += 1
    return 1 if bad else 0


sys.exit(main())
