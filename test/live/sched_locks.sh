#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sched timehist and timechart say which lock a thread waits for: a mutex in a variable by its field's
# name, in each wait of a thread that takes turns with another, and in no sleep.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >turns.c <<'C'
#include <pthread.h>
#include <time.h>

#define TURNS 20

struct {
	int turns;
	pthread_mutex_t mutex;
} queue = { 0, PTHREAD_MUTEX_INITIALIZER };

static void nap(void)
{
	struct timespec time = { 0, 4000000 };

	nanosleep(&time, 0);
}

/* Each holds the lock as long as the other sleeps without it. */
static void *work(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&queue.mutex);
		nap();
		nap();
		queue.turns++;
		pthread_mutex_unlock(&queue.mutex);
		nap();
	}
	return unused;
}

int main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], 0);
	return queue.turns != 2 * TURNS;
}
C
cc -g -O1 -pthread -o takes_turns turns.c || exit 1

fail() {
	echo "FAIL: $*"
	exit 1
}

# record OPTIONS...: 77 if this kernel cannot.
record() {
	"$CUPEL" sched record "$@" -m 8M --max-size 100M -- ./takes_turns 2>log && return
	echo "the scheduler cannot be recorded here: $(head -n 1 log)"
	exit 77
}

record --no-locks -o without.data
record -o perf.data
"$CUPEL" script -i perf.data 2>/dev/null | grep -q sys_enter_futex: || {
	echo "this kernel has no tracepoints of system calls"
	exit 77
}
"$CUPEL" sched timehist >history || fail "timehist"
grep takes_turns history >own
named=$(grep -c '\[lock queue\.mutex\]$' own)
[ "$named" -ge 10 ] || {
	head -n 40 own
	fail "$named waits for the lock, of about 39"
}
# Of a thread's time off the CPU, what follows a line without a lock's name is a nap or a wait for a CPU.
[ "$(wc -l <own)" -gt $((named + 40)) ] || fail "sleeps have a lock's name"
! grep '\[lock' own | grep -v 'queue\.mutex' || fail "a lock with another name"
"$CUPEL" sched timehist -i without.data | grep '\[lock\|\[futex' && fail "locks were recorded"
"$CUPEL" timechart -p takes_turns -n 0 -o chart.svg || fail "timechart"
grep -q 'takes_turns [0-9]*: blocked: lock [0-9.]* ms .*, [0-9.]* ms of it for \[lock queue\.mutex\]<' \
	chart.svg || {
	grep -o 'takes_turns [^<]*' chart.svg
	fail "no wait for the lock in the picture"
}
"$CUPEL" timechart -p takes_turns -n 0 -o chart.html || fail "timechart: page"
python3 - <<'PY' || fail "page"
import base64
import json
import re
import zlib

packed = re.search('id="timeline-data">([^<]*)<', open("chart.html").read()).group(1)
page = json.loads(zlib.decompress(base64.b64decode(packed)))
kinds = [kind["name"] for kind in page["kinds"]]
own = [lane for lane in page["lanes"] if lane["name"].startswith("takes_turns")]
said = {}
for lane in own:
    for kind, label in zip(lane["slices"][3::5], lane["slices"][4::5]):
        said.setdefault(kinds[kind], set()).add(page["labels"][label])
assert said["blocked: lock"] == {"[lock queue.mutex]"}, said
PY
"$CUPEL" timechart record -m 8M --max-size 100M -o chart.data -- ./takes_turns 2>log || fail "$(cat log)"
"$CUPEL" sched timehist -i chart.data | grep -q '\[lock queue\.mutex\]$' || fail "timechart record"
