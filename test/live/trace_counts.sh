#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace -s: counts are exact for programs that make known calls: in one thread and in many, in
# many short processes, with and without times, of errors by name, of unknown numbers and of 32-bit
# calls. strace counts the same. Running processes are traced, too, and threads of one user. Nothing stays
# in the kernel after SIGKILL.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
program=$(dirname "$CUPEL")/test/live/trace_calls
[ -x "$program" ] || { echo "not built: $program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace -s -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# calls NAME FILE: threads that made it, and how often in all
calls() {
	python3 - "$1" "$2" <<'PY'
import json, sys
found = [s["calls"] for g in json.load(open(sys.argv[2]))["groups"] for s in g["syscalls"]
         if s["name"] == sys.argv[1]]
print(len(found), sum(found))
PY
}

for threads in 1 2 8; do
	for mode in "" --counts; do
		# shellcheck disable=SC2086
		"$CUPEL" trace -s $mode --json -o out.json -- "$program" loop "$threads" 1000000 ||
			fail "loop $threads $mode"
		got=$(calls getppid out.json)
		[ "$got" = "$threads $((threads * 1000000))" ] || fail "loop $threads $mode: $got"
		got=$(calls exit_group out.json)
		[ "$got" = "1 1" ] || fail "exit_group with $threads threads $mode: $got"
	done
done

"$CUPEL" trace -s --json -o out.json -- "$program" fork 500 || fail "fork"
got=$(calls getppid out.json)
[ "$got" = "500 5000" ] || fail "500 processes: $got"
"$CUPEL" trace -s --no-inherit --json -o out.json -- "$program" fork 50 || fail "fork without children"
got=$(calls getppid out.json)
[ "$got" = "0 0" ] || fail "--no-inherit: $got"

"$CUPEL" trace -s --json -o mixed.json -- "$program" mixed >said || fail "mixed"
"$CUPEL" trace -s --counts --json -o counts.json -- "$program" mixed >/dev/null || fail "mixed counts"
python3 - "$(wc -l <said)" <<'PY' || failed=1
import json, sys
timed, counted = (json.load(open(f)) for f in ("mixed.json", "counts.json"))
rows = {s["name"]: s for s in timed["groups"][0]["syscalls"]}
assert rows["openat"]["by_error"]["EBADF"] == 5, rows["openat"]
assert rows["openat"]["by_error"]["ENOENT"] >= 1, rows["openat"]
assert rows["close"]["by_error"] == {"EBADF": 5}, rows["close"]
assert rows["syscall_999"]["by_error"] == {"ENOSYS": 1}, rows
assert rows["rt_sigreturn"]["calls"] == 3, rows.get("rt_sigreturn")
pause = rows["clock_nanosleep"]
assert 50e6 <= pause["min_ns"] == pause["max_ns"] == pause["total_ns"], pause
assert pause["cpu_ns"] < pause["total_ns"] / 2, pause
assert pause["min_ns"] <= pause["p50_ns"] <= pause["max_ns"], pause
assert rows["execve"]["calls"] == 1, rows["execve"]
if sys.argv[1] == "0":
	assert rows["getppid (32-bit)"]["calls"] == 1, rows
	assert "semget" not in rows
	assert rows["getppid"]["calls"] == 1, rows
# the other way of counting sees the same
assert {s["name"]: (s["calls"], s["by_error"]) for s in counted["groups"][0]["syscalls"]} == \
	{name: (s["calls"], s["by_error"]) for name, s in rows.items()}
PY

"$CUPEL" trace -s -e '%file,!x' -- true 2>/dev/null && fail "a list with ! inside"
"$CUPEL" trace -s -e openat -e close --json -o out.json -- "$program" mixed >/dev/null
python3 -c 'import json
names = {s["name"].split()[0] for g in json.load(open("out.json"))["groups"] for s in g["syscalls"]}
assert names == {"openat", "close"}, names' || failed=1

# strace counts calls that return, as we do, but its own way of starting makes no difference
if command -v strace >/dev/null && strace -f -c -o strace.txt -- "$program" fork 20 2>/dev/null; then
	"$CUPEL" trace -s --summary-mode total --json -o out.json -- "$program" fork 20
	python3 - <<'PY' || failed=1
import json
ours = {s["name"]: s["calls"] for s in json.load(open("out.json"))["groups"][0]["syscalls"]}
theirs = {}
for line in open("strace.txt"):
	words = line.split()
	if len(words) >= 5 and words[3].isdigit() and words[-1] != "total":
		theirs[words[-1]] = int(words[3])
for name in ("clone", "wait4", "getppid", "execve", "openat", "mmap", "close"):
	assert ours.get(name) == theirs.get(name), (name, ours.get(name), theirs.get(name))
PY
else
	echo "not tested: counts of strace: it does not run here"
fi

# a running process; its open call counts as time, not as a call
sleep 100 &
pid=$!
wait_for is_asleep "$pid" sleep || exit 1
"$CUPEL" trace -s -p "$pid" --timeout 300ms --json -o out.json || fail "a sleeping process"
kill "$pid"
grep -q '"by": "thread"' out.json || fail "no summary of a sleeping process"

# Ids of the programs that a process has open.
programs() {
	cat "/proc/$1"/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u
}
if command -v bpftool >/dev/null || [ -x /usr/sbin/bpftool ]; then
	PATH=$PATH:/usr/sbin
	"$CUPEL" trace -s -o killed.txt -- sleep 5 2>/dev/null &
	pid=$!
	loaded() { [ -n "$(programs "$pid")" ]; }
	wait_for loaded || fail "no programs are loaded"
	programs "$pid" >ids
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	unloaded() {
		while read -r id; do
			! bpftool prog show id "$id" >/dev/null 2>&1 || return
		done <ids
	}
	wait_for unloaded || fail "programs stay after SIGKILL"
fi
# Threads of one user, also of one that a program becomes; all but one process.
cat >user.py <<'PY'
import os, sys, time
out, user = sys.argv[1], int(sys.argv[2])
while not os.path.exists(out):
    time.sleep(0.02)
child = os.fork()
if child == 0:
    seen = open(out)
    text = ""
    if user:
        os.setuid(user)
    while "getpgid" not in text:
        os.getpgid(0)
        time.sleep(0.02)
        text += seen.read()
    for _ in range(777):
        os.getppid()
    os._exit(0)
os.waitpid(child, 0)
for _ in range(5):
    os.getppid()
PY
# chosen NAME USER OPTION...: whether the calls of the child are seen, and not those of the parent
chosen() {
	local out=$1.lines user=$2 program tracer
	shift 2
	python3 user.py "$out" "$user" &
	program=$!
	"$CUPEL" trace -e getppid,getpgid -o "$out" "${@/PARENT/$program}" 2>log &
	tracer=$!
	ended() {
		! kill -0 $program 2>/dev/null || ! kill -0 $tracer 2>/dev/null
	}
	wait_for ended || kill $program
	wait $program
	kill -INT $tracer 2>/dev/null
	wait $tracer
	# with -a, of other programs of the machine, too
	[ "$(grep -c 'getppid()' "$out")" -ge 777 ] && ! grep -q "/$program " "$out" ||
		fail "$*: $(grep -c 'getppid()' "$out") calls, $(grep -c "/$program " "$out") of the parent: $(cat log)"
}
if [ "$(id -u)" = 0 ]; then
	chosen user 65533 -u 65533
	chosen others 0 -a --filter-pids PARENT
fi
[ "$failed" -eq 0 ] && echo "exact: 1, 2 and 8 threads of a million calls, 500 processes"
exit "$failed"
