# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares inlined functions, files and lines of ELF files with those of the addr2line programs.

usage: dwarf_frames.py DWARF_FRAMES ADDRESSES ELF-FILE...

Addresses are random. A result is correct if it equals that of one of the programs, because these
differ: binutils 2.40 confuses some file numbers of DWARF 5 and does not read the range lists of Clang
and Go; elfutils 0.188 stops at functions of other units (LTO). Without DWARF data, as in the padding
between functions, they use the symbol table.
"""
import os
import random
import re
import subprocess
import sys


def code_sections(path):
    run = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True)
    for line in run.stdout.splitlines():
        word = line.replace("[ ", "[").split()
        if len(word) > 8 and word[0].startswith("[") and "X" in word[7]:
            yield int(word[3], 16), int(word[5], 16)


def pick_addresses(path, count):
    sections = list(code_sections(path))
    chosen = random.Random(1).choices(sections, [size for _, size in sections], k=count)
    return [start + random.Random(i).randrange(size) for i, (start, size) in enumerate(chosen)]


def plain_path(path):
    """The addr2line programs keep "." and join a relative compilation folder with itself."""
    path = re.sub(r"^\./\./", "", path)
    twice = re.match(r"(\.+/.*?)/\1(/.*)$", path)
    path = twice.group(1) + twice.group(2) if twice else path
    return path.replace("/./", "/")



def read_answers(command, addresses):
    text = "".join("%x\n" % a for a in addresses)
    try:
        run = subprocess.run(command, input=text, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    answers, frames = [], []
    lines = run.stdout.split("\n")[:-1]
    while lines:
        name = lines.pop(0)
        if re.fullmatch("0x[0-9a-f]+", name):
            frames = []
            answers.append(frames)
            continue
        place = re.sub(r" \(discriminator \d+\)", "", lines.pop(0))
        place = re.match(r"(.*?):([0-9?]+)(:\d+)?$", place)
        line = place.group(2).replace("?", "0")
        file = plain_path(place.group(1)) or "??"
        frames.append((re.sub(" inlined at .*", "", name), file if line != "0" else "??", line))
    return answers if len(answers) == len(addresses) else None  # eu-addr2line fails for some


def same_name(ours, theirs):
    """addr2line uses the symbol's name if DWARF has no linkage name (lambdas, clones)."""
    return ours == theirs or not ours.startswith("_Z") or theirs.startswith(ours + ".")


def explains(ours, theirs):
    """Whether two results are equal, or theirs is from the symbol table."""
    if ours == theirs:
        return True
    if ours[0][0] == "??":  # DWARF has no function here
        return len(theirs) == 1
    return len(ours) == len(theirs) and all(
        mine[1:] == other[1:] and same_name(mine[0], other[0])
        for mine, other in zip(ours, theirs))


def compare(program, path, count):
    addresses = pick_addresses(path, count)
    ours = read_answers([program, path], addresses)
    others = [read_answers([tool, "-a", "-f", "-i", "-e", path], addresses)
              for tool in ("addr2line", "eu-addr2line", "llvm-addr2line")]
    others = [answers for answers in others if answers]
    wrong = 0
    for address, mine, *theirs in zip(addresses, ours, *others):
        if any(explains(mine, answer) for answer in theirs):
            continue
        wrong += 1
        if wrong <= 3:
            print("%s %#x\n  ours   %s\n  theirs %s" % (path, address, mine, theirs))
    known = sum(answer[0][0] != "??" for answer in ours)
    inlined = sum(len(answer) > 1 for answer in ours)
    print("%s: %d addresses, %d in functions, %d with inlined ones, %d differ" % (
        os.path.basename(path), count, known, inlined, wrong))
    return not wrong and known


def main():
    program, count, *paths = sys.argv[1:]
    sys.exit(0 if all([compare(program, path, int(count)) for path in paths]) else 1)


main()
