#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Waits that -e off-cpu could miss or confuse: waits in progress at the start or end, the first waits of
# a program with a delayed recorder, tens of thousands per second, and waits of two callers with stacks
# that differ in one return address.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
if ! "$CUPEL" record -q -e off-cpu -o probe.data -- sleep 0.1 2>log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi
cat >waits.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long sum;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

__attribute__((noinline)) void nap(long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&time, NULL);
	sum++;
}

__attribute__((noinline)) void first_naps(void)
{
	for (int i = 0; i < 20; i++)
		nap(10000);
}

__attribute__((noinline)) void for_ever(void)
{
	for (;;)
		nap(1000000000);
}

/* The same frames but for where they return to. */
__attribute__((noinline)) void castor(void)
{
	nap(400);
	sum += 2;
}

__attribute__((noinline)) void pollux(void)
{
	nap(1200);
	sum += 3;
}

static void twins(void)
{
	double spent[2] = { 0 };

	for (int i = 0; i < 300; i++) {
		double start = now(), between;

		castor();
		between = now();
		pollux();
		spent[0] += between - start;
		spent[1] += now() - between;
	}
	printf("castor %.0f\npollux %.0f\n", spent[0], spent[1]);
}

/* Each waits for the other's byte, again and again. */
static void table_tennis(void)
{
	int to[2], back[2];
	double start;
	char c = 0;

	if (pipe(to) || pipe(back))
		abort();
	start = now();
	if (fork() == 0) {
		for (int i = 0; i < 20000; i++)
			if (read(to[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < 20000; i++)
		if (write(to[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			abort();
	printf("tennis %.0f\n", now() - start);
	fflush(stdout);
	wait(NULL);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (strcmp(argv[1], "unread") == 0) {
		kill(getppid(), SIGSTOP);
		first_naps();
		kill(getppid(), SIGCONT);
	} else if (strcmp(argv[1], "twins") == 0) {
		twins();
	} else if (strcmp(argv[1], "tennis") == 0) {
		table_tennis();
	} else {
		for_ever();
	}
	return 0;
}
C
cc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o waits waits.c || exit 1
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# weight PATTERN: ns of the folded stacks that match.
weight() {
	grep -E "$1" folded | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

# near NAME GOT LEAST MOST
near() {
	echo "$1: $2 ns of $3..$4"
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || fail "$1"
}

whole() {
	grep -v ';_start;' folded >short && fail "$1: stacks without a root: $(cat short)"
}

"$CUPEL" record -q -e off-cpu -o unread.data -- ./waits unread || fail "unread"
"$CUPEL" collapse unread.data >folded || exit 1
near "unread naps" "$(weight ';first_naps;')" 196000000 2000000000
whole "unread naps"

./waits sleep &
child=$!
wait_for is_asleep $child waits || exit 1
"$CUPEL" record -q -e off-cpu -p $child --duration 1s -o open.data 2>log || fail "open: $(cat log)"
kill $child
child=
"$CUPEL" collapse open.data >folded || exit 1
near "a wait that was on all the time" "$(weight ';for_ever;nap;')" 950000000 1900000000
whole "a wait that was on all the time"

"$CUPEL" record -q -e off-cpu -o twins.data -- ./waits twins >truth || fail "twins"
"$CUPEL" collapse twins.data >folded || exit 1
for name in castor:120000000 pollux:360000000; do
	took=$(sed -n "s/^${name%:*} //p" truth)
	near "${name%:*}" "$(weight ";${name%:*};")" $((${name#*:} * 98 / 100)) "$took"
done
whole twins

"$CUPEL" record -q -e off-cpu --off-cpu-states pipe -o tennis.data -- ./waits tennis >truth ||
	fail "tennis"
"$CUPEL" collapse tennis.data >folded || exit 1
took=$(sed -n "s/^tennis //p" truth)
near tennis "$(weight ';read;')" 1000000 $((took * 2))
whole tennis
# The loop's counter may be in the frame pointer's register; the stack is always the same.
walked=$("$CUPEL" report --json -i tennis.data | sed -n 's/.*"walked":\([0-9]*\).*/\1/p')
echo "tennis: $walked walks for 20000 turns"
[ "$walked" -lt 4000 ] || fail "tennis: stacks are walked again and again"
exit $failed
