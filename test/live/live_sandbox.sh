#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run by root, commands that watch programs open binaries only in children without privileges:
# CUPEL_CHECK_PRIVILEGES aborts a process that does otherwise. The children's state, and what happens
# when one is killed.
set -u
: "${CUPEL:?path of the cupel binary}"
[ "$(id -u)" = 0 ] || {
	echo "needs root"
	exit 77
}
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

cat >busy.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) long work(int n)
{
	volatile long sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

static void *run(void *argument)
{
	for (int i = 0; i < 40; i++) {
		char *block = malloc(100000 + i);

		pthread_mutex_lock(&mutex);
		block[0] = (char)work(200000);
		usleep(500);
		pthread_mutex_unlock(&mutex);
		if (i % 2)
			free(block);
	}
	return argument;
}

int main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
C
cc -g -O1 -pthread -o busy busy.c || exit 1

# confined WORDS...: the command runs without opening a binary with privileges
confined() {
	CUPEL_CHECK_PRIVILEGES=1 timeout 120 "$CUPEL" "$@" >out 2>&1
	status=$?
	if grep -q 'with privileges, it opens' out; then
		fail "$*: $(grep -m 1 'with privileges' out)"
	elif [ $status -ne 0 ] && grep -qE 'BPF|verifier|not supported|perf_event_open' out; then
		echo "not tested: $*: $(grep -m 1 cupel: out)"
	elif [ $status -ne 0 ]; then
		fail "$*: status $status: $(head -n 3 out)"
	fi
}

confined record -o r.data -- ./busy
confined record -e off-cpu -o r.data -- ./busy
confined record --call-graph dwarf -o r.data -- ./busy
confined record -e "probe:$work/busy:work n" -o r.data -- ./busy
confined flamegraph -o a.svg -- ./busy
confined flamegraph --save s.data -o a.svg -- ./busy
confined flamegraph --off-cpu -o a.svg -- ./busy
for tool in offcputime wakeuptime offwaketime wall lock io rss heap; do
	confined $tool -- ./busy
done
confined trace --by-caller -- ./busy
confined trace -g -- ./busy
confined trace -F all -e "probe:$work/busy:work n" -- ./busy
confined mem --stalls -- ./busy
confined stat -e "probe:$work/busy:work" -- ./busy
for tool in funccount funclatency stackcount "funclatency --slowest 3" "stackcount -i 1"; do
	# shellcheck disable=SC2086 # words
	confined $tool "$work/busy:work" -- ./busy
done
confined argdist -C "p:$work/busy:work(int n):int:n" -H "r:$work/busy:work" -n 1 -- ./busy
confined funclatency --by n "$work/busy:work" -- ./busy
confined mem --watch mutex -- ./busy
confined list --usdt /proc/self/exe sdt
confined doctor ./busy
export PERF_BUILDID_DIR=$work/kept
for option in -a -u -r -a; do
	confined buildid-cache $option ./busy
done
confined buildid-cache -M r.data
[ -n "$("$CUPEL" buildid-cache -l)" ] || fail "buildid-cache -a: nothing was kept"
if python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null); then
	printf '%s\n' 'import time' 'def counted():' ' end = time.process_time() + 0.3' \
		' while time.process_time() < end: sum(range(1000))' 'counted()' >busy.py
	confined record -o r.data -- "$python" busy.py
	"$CUPEL" script -i r.data 2>log | grep -q 'counted' || fail "no Python function: $(head -n 3 log)"
fi
confined test
confined top -a --stdio --duration 1s -d 1
confined record -a -o r.data -- ./busy

# the child that reads: sandboxed before the first byte, with no descriptors but its own
status_of() {
	sed -n "s/^$2:\t//p" "/proc/$1/status" 2>/dev/null
}
reader_of() { pgrep -P "$1" -x cupel-reader; }
"$CUPEL" flamegraph -o b.svg -- sleep 60 2>log &
pid=$!
wait_for reader_of $pid >/dev/null
reader=$(reader_of $pid)
[ "$(status_of "$reader" Seccomp)" = 2 ] || fail "the reader has no filter of system calls"
[ "$(status_of "$reader" NoNewPrivs)" = 1 ] || fail "the reader could gain privileges"
caps=$(status_of "$reader" CapPrm)
((0x${caps:-0} & ~0x10400080004)) && fail "the reader has capabilities $caps"
open=$(find "/proc/$reader/fd" -mindepth 1 | wc -l)
[ "$open" = 4 ] || fail "the reader has $open descriptors: $(ls -l "/proc/$reader/fd")"
# its death is an error with a reason
kill -9 "$reader"
pkill -P $pid -x sleep
wait $pid
status=$?
[ $status -ne 0 ] || fail "the reader died and nothing was said"
grep -q 'the process that reads binaries ended' log || fail "the reader died: $(cat log)"

# killed itself, cupel leaves no process
"$CUPEL" flamegraph -o c.svg -- sleep 60 2>/dev/null &
pid=$!
wait_for reader_of $pid >/dev/null
readers=$(pgrep -P $pid -x 'cupel-.*')
kill -9 $pid
wait $pid 2>/dev/null
gone() {
	for one in $readers; do
		[ ! -e "/proc/$one" ] || return 1
	done
}
wait_for gone || failed=1
exit $failed
