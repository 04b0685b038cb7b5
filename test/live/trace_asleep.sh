#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A process that hangs: each thread of it and of its children has its call with its stack, sums have the
# open calls, and a stopped process is called so. Descriptors have names whichever calls are chosen.
# A call that has not returned has nothing of earlier calls.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
trap 'kill -KILL "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT
pids=()
child=
cd "$work" || exit 1
"$CUPEL" trace -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
cat >hangs.c <<'C'
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

__attribute__((noinline)) int in_futex(void) { return pthread_mutex_lock(&mutex) + 1; }
__attribute__((noinline)) int in_poll(void) { return poll(NULL, 0, -1) + 1; }
__attribute__((noinline)) int in_read(void) { char c; return read(ends[0], &c, 1) + 1; }
__attribute__((noinline)) int in_wait4(void) { return wait(NULL) + 1; }
__attribute__((noinline)) int in_child(void) { return pause() + 1; }

static void *run(void *function) { return (void *)(long)((int (*)(void))function)(); }

int main(void)
{
	int (*const functions[])(void) = { in_futex, in_poll, in_read };
	pthread_t thread;

	if (pipe(ends) || dup2(open("/etc/passwd", O_RDONLY), 7) != 7)
		return 1;
	if (fork() == 0)
		return in_child();
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, run, (void *)functions[i]);
	return in_wait4();
}
C
cc -O1 -g -fomit-frame-pointer -o hangs hangs.c -pthread || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
./hangs &
disown
hangs=$!
pids+=("$hangs")
# four threads and the child, all asleep in a call
all_asleep() {
	child_of "$hangs" hangs || return 1
	[ "$(cat /proc/"$hangs"/task/*/syscall /proc/"$child"/syscall | grep -c '^[0-9]')" -eq 5 ] &&
		[ "$(grep -h '^State:	S' /proc/"$hangs"/task/*/status /proc/"$child"/status | wc -l)" -eq 5 ]
}
wait_for all_asleep || exit 1
pids+=("$child")

# looks CONDITION… -- OPTION…: traces until the condition holds, then ends it
looks() {
	local condition=()
	while [ "$1" != -- ]; do
		condition+=("$1")
		shift
	done
	shift
	rm -f out
	timeout -k 1 -s INT 100 "$CUPEL" trace -o out "$@" 2>log &
	tracer=$!
	pids+=("$tracer")
	wait_for "${condition[@]}" || fail "$*: $(cat out log)"
	kill -INT "$(pgrep -P "$tracer")"
	wait "$tracer"
}
written() { [ -s out ] && [ "$(grep -c -- "$1" out)" -ge "$2" ]; }
looks written unfinished 5 -- -g -p "$hangs"
if grep -q 'copied instead' log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
for call in futex:futex poll:poll read:read wait4:wait4 child:pause; do
	awk -v call="${call#*:}(" -v name="in_${call%:*}" '
		/unfinished/ { here = index($0, " " call) }
		here && $1 == name && /\(hangs\)$/ { found = 1 }
		END { exit !found }' out || fail "no in_${call%:*} below ${call#*:}: $(cat out)"
done
grep -q "hangs/$child pause" out || fail "the child: $(cat out)"
grep -q 'read([0-9]*<pipe:' out || fail "the pipe's name: $(cat out)"

# Sums have the open calls, with the time so far.
timeout -k 1 100 "$CUPEL" trace -s --json -o sums.json -p "$hangs" --timeout 200ms || fail "sums"
python3 - <<'PY' || fail "sums: $(cat sums.json)"
import json
calls = {c["name"]: c for t in json.load(open("sums.json"))["groups"] for c in t["syscalls"]}
assert {"futex", "poll", "read", "wait4", "pause"} <= set(calls), calls
assert all(c["calls"] == 0 and c["open_ns"] >= 1e8 for c in calls.values()), calls
PY

# A stopped process: its calls, and that it is stopped.
kill -STOP "$hangs"
stopped() { grep -q '^State:	T' "/proc/$hangs/status"; }
wait_for stopped
looks written 'stopped by a signal' 4 -- -p "$hangs"
grep -q "hangs/$hangs wait4(.*unfinished" out || fail "the stopped one's call: $(cat out)"
! grep -q "hangs/$child --- stopped" out || fail "the child is not: $(cat out)"
kill -CONT "$hangs"

# Names of descriptors that calls opened which are not shown, or that were open before.
"$CUPEL" trace -e read,fstat -o out -- cat /etc/passwd >/dev/null 2>log || fail "$(cat log)"
grep -q 'read([0-9]*</etc/passwd>, ' out || fail "names: $(cat out)"
! grep -Eq '(openat|close)\(' out || fail "other calls: $(cat out)"
"$CUPEL" trace --failure -o out -- sh -c 'exec 8</etc/passwd; cd /nowhere; exec 8<&-; cat <&8' >/dev/null 2>log
! grep -q '= [0-9]' out || fail "calls that succeed: $(cat out)"
grep -q 'chdir("/nowhere")' out || fail "calls that fail: $(cat out)"

# What earlier calls pointed to is not that of one which has not returned.
cat >late.c <<'C'
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char **word)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct stat stats[2];
	struct pollfd poll_of;
	int ends[2], epoll = epoll_create1(0);
	FILE *pid = fopen("late.pid", "w");

	if (!pid || pipe(ends) || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event))
		return 1;
	fprintf(pid, "%d\n", (int)getpid());
	fclose(pid);
	poll_of = (struct pollfd){ ends[0], POLLIN, 0 };
	stat("/a/rather/long/path/that/is/longer/than/a/pollfd", stats);
	return count > 1 ? epoll_wait(epoll, &event, 1, -1) : poll(&poll_of, 1, -1);
}
C
cc -O1 -o late late.c || exit 1
asleep() {
	local late
	late=$(cat late.pid) && grep -q '^State:	S' "/proc/$late/status" &&
		grep -q '^[0-9]' "/proc/$late/syscall"
} 2>/dev/null
# late ARGUMENT…
late() {
	rm -f late.pid
	looks asleep -- -- ./late "$@"
	pids+=("$(cat late.pid)")
}
late
grep -Eq ' poll\(0x[0-9a-f]+, 1, (-1|4294967295) <unfinished' out || fail "poll: $(tail -n 1 out)"
late epoll
grep -Eq ' epoll_p?wait\(.*, 0x[0-9a-f]+, 1, -1.* <unfinished' out || fail "epoll: $(tail -n 1 out)"
exit "$failed"
