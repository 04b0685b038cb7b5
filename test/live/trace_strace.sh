#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace beside strace: the same calls in the same order with the same arguments and results, but
# for addresses, which strace may follow further. Then what strace does not have: files behind
# descriptors, durations, filters, and a count of what is missing.
set -u
: "${CUPEL:?path of the cupel binary}"
program=$(dirname "$CUPEL")/test/live/trace_lines
[ -x "$program" ] || { echo "not built: $program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
strace -o probe.strace true 2>/dev/null || {
	echo "strace does not run here"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
mkdir run
(cd run && "$CUPEL" trace --no-inherit --no-times --no-comm -o ../ours.txt -- "$program") || fail "trace"
rm -r run
mkdir run
(cd run && strace -o ../theirs.txt "$program") || fail "strace"
python3 - <<'PY' || failed=1
import re

def calls(path, pid):
    lines = [re.sub(r"^\d+ ", "", line.rstrip("\n")) if pid else line.rstrip("\n") for line in open(path)]
    marks = [i for i, line in enumerate(lines) if line.startswith("getpgid(-7)")]
    return [line for line in lines[marks[0]:marks[1]] if not line.startswith("---")]

ours, theirs = calls("ours.txt", True), calls("theirs.txt", False)
assert len(theirs) > 75, len(theirs)
exact, different = 0, []

def sort_flags(text):
    return re.sub(r"\w+(?:\|\w+)+", lambda m: "|".join(sorted(m.group(0).split("|"))), text)

for mine, other in zip(ours, theirs):
    other = re.sub(r"\)\s+= ", ") = ", other)
    other = re.sub(r" = 0x1 \(flags FD_CLOEXEC\)", " = 1", other)
    other = sort_flags(other)
    bare = sort_flags(re.sub(r"(?<=\d)<[^>]*>", "", mine))  # without the files behind descriptors
    if bare == other:
        exact += 1
        continue
    # addresses and numbers of processes differ between runs; strace follows some addresses
    pattern = re.sub(r"0x[0-9a-f]+|(?<=[(=] )\d{3,}$|(?<=\()\d{3,}(?=,)", "\0", bare)
    pattern = ".+?".join(re.escape(part) for part in pattern.split("\0"))
    # of strings and of events strace has another length or form
    pattern = re.sub(r'"x{255}"\\\.\\\.\\\.', '"x+"(?:\\\\.\\\\.\\\\.)?', pattern)
    pattern = pattern.replace("data=.+?", r"data=\{.*\}").replace("data=0", r"data=\{.*\}")
    # strace prints what poll returns behind the result, and gives clone's arguments names
    if not re.fullmatch(pattern, other) and not bare.startswith(("poll(", "clone(")):
        different.append("  ours: %s\nstrace: %s" % (mine, other))
assert not different, "\n" + "\n".join(different)
assert len(ours) == len(theirs), (len(ours), len(theirs))
print("%d calls like strace's, %d of them to the letter" % (len(ours), exact))
PY
grep -q 'events=POLLIN|POLLOUT, revents=POLLOUT}\], 1, 0) = 1' ours.txt || fail "poll"
grep -q 'clone(.*|SIGCHLD, ' ours.txt || fail "clone"
grep -q 'write(3<made>, ' ours.txt || fail "no file behind a descriptor"
"$CUPEL" trace --duration 40 -o slow.txt -- sh -c 'sleep 0.05' || fail "--duration"
grep -q 'clock_nanosleep(' slow.txt || fail "the slow call is missing"
grep -q 'openat(' slow.txt && fail "a fast call is among the slow ones"
"$CUPEL" trace --failure -e openat -o failed.txt -- sh -c 'cat /nowhere' 2>/dev/null
grep -q '"/nowhere", O_RDONLY) = -1 ENOENT' failed.txt || fail "--failure"
grep -qv ' = -1 ' failed.txt && fail "a call without a failure"
"$CUPEL" trace -S -e openat -o both.txt -- true
grep -q 'openat(' both.txt && grep -q 'Summary of system calls' both.txt || fail "-S"
[ "$(grep -c 'execve("' ours.txt)" -eq 1 ] || fail "execve has no path"

"$CUPEL" trace -o words.txt -- true "a b" || fail "arguments of a program"
grep -q 'execve(".*/true", \["true", "a b"\], 0x' words.txt || fail "$(grep execve words.txt)"
"$CUPEL" trace -o words.txt -- true "$(printf '%0300d' 0)"
grep -q 'execve(".*/true", \["true", "0*"\.\.\., \.\.\.\], 0x' words.txt || fail "$(grep execve words.txt)"

# Inputs are what the program passed, also when they change before the call returns.
rm -r run
mkdir run
inputs=$(dirname "$CUPEL")/test/live/trace_inputs
(cd run && "$CUPEL" trace -o ../inputs.txt -- "$inputs") || fail "trace of inputs"
input() {
	grep -q "$1" inputs.txt || fail "no $1"
}
input 'pselect6(0, NULL, NULL, NULL, {tv_sec=0, tv_nsec=50000000}, NULL) = 0'
input 'ppoll(NULL, 0, {tv_sec=0, tv_nsec=60000000}, NULL, 8) = 0'
input 'nanosleep({tv_sec=7, tv_nsec=0}, 0x.*) = ? ERESTART_RESTARTBLOCK'
input 'readlinkat(AT_FDCWD, "link", "target", 32) = 6'
input 'openat(AT_FDCWD, "fifo", O_RDONLY) = [0-9]*<fifo>'
# A descriptor has the name of its file at that time, or none.
input 'lseek([0-9]*, 123, SEEK_SET)'
input 'lseek([0-9]*</etc/passwd>, 124, SEEK_SET)'
input 'lseek(40</etc/passwd>, 125, SEEK_SET)'
input 'read([0-9]*, "!", 1) = 1'
input 'lseek([0-9]*</etc/passwd>, 126, SEEK_SET)'

# Every call has a line, or is counted as missing.
calls=$(dirname "$CUPEL")/test/live/trace_calls
"$CUPEL" trace -e getppid -o many.txt -- "$calls" loop 2 300000 2>log || fail "many calls"
lines=$(grep -c 'getppid()' many.txt)
missing=$(sed -n 's/^\[\([0-9]*\) calls of thread.*/\1/p' many.txt | awk '{ s += $1 } END { print s + 0 }')
lost=$(sed -n 's/.*warning: \([0-9]*\) calls found no room.*/\1/p' log)
[ "$((lines + ${lost:-0}))" -eq 600000 ] || fail "$lines lines, ${lost:-0} lost of 600000"
[ "$missing" -le "${lost:-0}" ] || fail "$missing are missing, ${lost:-0} lost"
exit "$failed"
