#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls of a 32-bit program beside strace: the same names, strings, structs and results; and the same
# names from a recording.
set -u
: "${CUPEL:?path of the cupel binary}"
source=$(cd "$(dirname "$0")" && pwd)/trace_compat.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
cc -m32 -O1 -nostdlib -static -ffreestanding -fno-builtin -fno-pic -no-pie -fno-stack-protector \
	-o compat "$source" 2>log || {
	echo "no 32-bit programs are made here: $(head -n 1 log)"
	exit 77
}
mkdir run
(cd run && ../compat)
[ $? -eq 3 ] || {
	echo "32-bit programs do not run here"
	exit 77
}
strace -o probe.strace true 2>/dev/null || {
	echo "strace does not run here"
	exit 77
}
(cd run && "$CUPEL" trace --no-times --no-comm -o ../ours.txt -- ../compat) 2>log
[ $? -eq 3 ] || {
	echo "FAIL: trace: $(cat log)"
	exit 1
}
(cd run && strace -o ../theirs.txt ../compat)
(cd run && "$CUPEL" trace record -o ../calls.data -- ../compat) >/dev/null 2>log
"$CUPEL" trace -i calls.data --no-times --no-comm -o recorded.txt || exit 1
python3 - <<'PY'
import re

def calls(path):
    lines = [re.sub(r"^\d+ ", "", line.rstrip("\n")) for line in open(path) if not line.startswith("[ Process")]
    marks = [i for i, line in enumerate(lines) if re.match(r"getpgid( \(32-bit\))?\((-7|0xfffffff9)\)", line)]
    assert len(marks) == 2, (path, lines)
    return lines[marks[0]:]

def plain(line):
    line = re.sub(r"^(\w+) \(32-bit\)", r"\1", line)
    line = re.sub(r"(?<=\d)<[^>]*>", "", line)  # files behind descriptors
    line = re.sub(r"\s+= ", " = ", line)
    line = re.sub(r" /\* [^*]* \*/", "", line)
    line = re.sub(r"tv_(sec|usec|nsec)=\d{4,}", r"tv_\1=N", line)
    line = re.sub(r"= 0x[0-9a-f]+$", "= ADDRESS", line)
    return re.sub(r"\w+(?:\|\w+)+", lambda m: "|".join(sorted(m.group(0).split("|"))), line)

ours, theirs, recorded = calls("ours.txt"), calls("theirs.txt"), calls("recorded.txt")
theirs = [line for line in theirs if not line.startswith("+++")]
assert len(theirs) > 35, len(theirs)
different = ["  ours: %s\nstrace: %s" % pair for pair in zip(ours, theirs) if plain(pair[0]) != plain(pair[1])]
assert not different, "\n" + "\n".join(different)
assert len(ours) == len(theirs), (len(ours), len(theirs))
assert all(" (32-bit)(" in line for line in ours), ours
names = lambda lines: [re.match(r"\w+", line).group(0) for line in lines]
assert names(recorded) == names(ours), (recorded, ours)
assert all(" (32-bit)(" in line for line in recorded), recorded
print("%d calls like strace's" % len(ours))
PY
