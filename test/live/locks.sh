#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock on locks of all kinds with known holders: every wait is found, with the thread that held
# the lock where the lock knows it; deadlocks of one, two and three threads; names of static locks;
# hold times; stampedes and waits that time out; a counter under a lock, and without one.
# sanitizers: yes
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
programs=$(dirname "$CUPEL")/test/live
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
"$CUPEL" lock -o /dev/null -- true 2>log || {
	echo "waits for locks cannot be watched here: $(head -n 1 log)"
	exit 77
}
cat >check.py <<'PYTHON'
import json, os, subprocess, sys

cupel, programs = sys.argv[1:3]
failed = False
# kind, its name, whether the lock knows its holder
KINDS = {
    "mutex": ("mutex", True), "recursive": ("recursive mutex", True), "checked": ("mutex", True),
    "pi": ("PI mutex", True), "robust": ("robust mutex", True), "shared": ("mutex", True),
    "rwlock-read": ("rwlock", True), "rwlock-write": ("rwlock", True),
    "rwlock-readers": ("rwlock", False), "semaphore": ("semaphore", False),
    "condition": ("condition", False), "barrier": ("barrier", False),
}


def fail(text):
    global failed
    failed = True
    print("FAIL:", text)


def look(*words):
    run = subprocess.run([cupel, "lock", "--json", "-o", "out.json", *words], capture_output=True,
                         text=True)
    if run.returncode:
        fail(f"{words}: status {run.returncode}: {run.stderr}")
        sys.exit(1)
    look.said = run.stdout
    return json.load(open("out.json"))


def watch(*words):
    found = look(*words)
    return json.loads(look.said), found


def check(kind, threads, rounds):
    name, has_owner = KINDS[kind]
    truth, found = watch("--user", "--", f"{programs}/lock_truth", kind, str(threads), str(rounds))
    what = f"{kind} {threads}: {truth}"
    rows = [row for row in found["locks"] if row["kind"] == name
            and 0 <= int(row["address"], 16) - truth["address"] < 512]
    if len(rows) != 1:
        return fail(f"{what}: {len(rows)} rows: {[(r['name'], r['kind']) for r in found['locks']]}")
    row = rows[0]
    if found["lost"]:
        fail(f"{what}: {found['lost']} lost")
    # Every other thread waited once in a round; those who come too late may wait once more. Linux
    # 6.18 leaves out a switch now and then when a CPU wakes from being idle: perf has none either.
    missing = max(0, truth["waits"] - row["waits"])
    if 0 < missing <= max(1, truth["waits"] // 50):
        print(f"not tested: every wait of {kind} {threads}: {missing} of {truth['waits']} had no event")
    elif missing or row["wait_ns"] < truth["least_ns"]:
        fail(f"{what}: {row['waits']} waits, {row['wait_ns']} ns")
    if row["wait_ns"] > truth["wait_ns"]:
        fail(f"{what}: {row['wait_ns']} ns is more than the threads waited")
    if sum(w["waits"] for w in row["waiters"]) != row["waits"]:
        fail(f"{what}: waiters do not sum up")
    by_holder = sum(h["waits"] for h in row["holders"]
                    if h["tid"] == truth["holder"] and h["relation"] == "held-by")
    if has_owner and by_holder != truth["waits"] - missing:
        fail(f"{what}: held by the holder in {by_holder} waits: {row['holders']}")
    if not has_owner and any(h["relation"] == "held-by" for h in row["holders"]):
        fail(f"{what}: the holder cannot be known: {row['holders']}")
    if not all(f["function"] for w in row["waiters"] for f in w["stack"]):
        fail(f"{what}: a stack without names: {row['waiters']}")


for kind in KINDS:
    check(kind, 3, 5)
for threads in 2, 8, 64:
    check("mutex", threads, 3)

for threads in 1, 2, 3:
    run = subprocess.run([cupel, "lock", "--json", "-o", "out.json", "-d", "500ms", "--",
                          f"{programs}/lock_deadlock", str(threads), "5"],
                         capture_output=True, text=True)
    found = json.load(open("out.json"))
    cycles = found["deadlocks"]
    if len(cycles) != 1 or len(cycles[0]) != threads:
        if "stuck" in run.stdout:
            fail(f"deadlock of {threads}: {cycles}")
        else:
            print(f"not tested: deadlock of {threads} threads: the machine is too slow")
        continue
    for link in cycles[0]:
        if not link["lock"].startswith("circle") or \
                "take_next" not in [f["function"] for f in link["stack"]]:
            fail(f"deadlock of {threads}: {link}")


def attach(threads):
    """Waits that are on when watching begins, of a program that hangs already."""
    stuck = subprocess.Popen([f"{programs}/lock_deadlock", str(threads), "600"],
                             stdout=subprocess.PIPE, text=True)
    try:
        stuck.stdout.readline()
        found = look("-p", str(stuck.pid), "-d", "100ms")
    finally:
        stuck.kill()
        stuck.wait()
    cycles = found["deadlocks"]
    if len(cycles) != 1 or len(cycles[0]) != threads:
        return fail(f"attached to a deadlock of {threads}: {cycles}")
    for link in cycles[0]:
        if not link["lock"].startswith("circle") or \
                "take_next" not in [f["function"] for f in link["stack"]]:
            fail(f"attached to a deadlock of {threads}: {link}")
    for row in found["locks"]:
        if row["kind"] == "mutex" and (row["standing"], row["open"], row["waits"]) != (1, 1, 1):
            fail(f"attached to a deadlock of {threads}: {row}")


def hold():
    """How long locks were held."""
    found = look("--user", "--hold", "--", f"{programs}/lock_hold")
    for line in look.said.splitlines():
        address, count, least, most = (int(word) for word in line.split())
        rows = [row for row in found["locks"] if int(row["address"], 16) == address]
        if len(rows) != 1 or "hold" not in rows[0]:
            fail(f"no hold times of {address:#x}: {found['locks']}")
            continue
        held = rows[0]["hold"]
        if held["count"] != count or not least <= held["ns"] <= most or rows[0]["waits"]:
            fail(f"{rows[0]['name']} was held {count} times for {least} to {most} ns: {held}")
        elif "main" not in [f["function"] for f in held["by"][0]["stack"]]:
            fail(f"{rows[0]['name']}: where it was let go: {held['by'][0]}")


def hold_of_static():
    """A program with its own lock functions: no hold times, and why."""
    if subprocess.run(["cc", "-static", "-x", "c", "-o", "static", "-"], text=True,
                      input="int main(void) { return 0; }", capture_output=True).returncode:
        print("not tested: --hold on a static program: none can be built")
        return
    run = subprocess.run([cupel, "lock", "--hold", "-o", "/dev/null", "--", "./static"],
                         capture_output=True, text=True)
    if run.returncode or "statically linked" not in run.stderr:
        fail(f"--hold on a static program: {run.returncode}: {run.stderr}")


if subprocess.run([cupel, "lock", "--hold", "-o", "/dev/null", "--", "true"], capture_output=True).returncode:
    print("not tested: hold times: the C library cannot be probed here")
else:
    hold()
    hold_of_static()
if tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2]) >= (5, 18):
    for threads in 1, 2, 3:
        attach(threads)
else:
    print("not tested: waits from before: this needs Linux 5.18")
sys.exit(failed)
PYTHON
python3 check.py "$CUPEL" "$programs" || exit 1

# Members of variables, as debug info tells; without it the offset.
cat >fields.c <<'C'
#include <pthread.h>
#include <unistd.h>

static struct {
	long used;
	struct {
		pthread_mutex_t lock;
		long hits;
	} stats, shard[3];
} server;

static void *want(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return lock;
}

int main(void)
{
	pthread_mutex_t *locks[] = { &server.stats.lock, &server.shard[2].lock };

	for (int i = 0; i < 2; i++) {
		pthread_t thread;

		pthread_mutex_lock(locks[i]);
		pthread_create(&thread, NULL, want, locks[i]);
		while (locks[i]->__data.__lock != 2) /* until it waits */
			usleep(1000);
		usleep(20000);
		pthread_mutex_unlock(locks[i]);
		pthread_join(thread, NULL);
	}
	return 0;
}
C
cc -g -pthread -o fields fields.c && cp fields bare && strip -g bare || exit 1
# names PROGRAM FIRST SECOND
names() {
	"$CUPEL" lock --user --stacks 0 -o table -- "./$1" && grep -q " $2\$" table && grep -q " $3\$" table && return
	echo "FAIL: the locks of $1 are not $2 and $3:"
	cat table
	failed=1
}
failed=0
names fields server.stats.lock 'server.shard\[2\].lock'
names bare server+0x8 server+0x98

# That nothing waited is no failure.
if ! "$CUPEL" lock --user --flamegraph none.svg -- true >/dev/null 2>none.log || [ -e none.svg ] ||
	! grep -q 'no waits to draw' none.log; then
	echo "FAIL: no waits: $(cat none.log)"
	failed=1
fi
# Threads that are woken together, a wait that times out, and a counter under a lock or without one.
cat >habits.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int waiting, round_now;
static struct {
	pthread_mutex_t lock;
	atomic_long value;
} hits = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void *want_turn(void *unused)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&own);
		int seen = round_now;

		waiting++;
		while (seen == round_now)
			pthread_cond_wait(&turn, &own);
		pthread_mutex_unlock(&own);
	}
	return unused;
}

static void give_turns(void)
{
	for (int i = 0; i < 5; i++) {
		for (int all = 0; !all;) { /* until all of them wait */
			usleep(2000);
			pthread_mutex_lock(&own);
			all = waiting == 4;
			pthread_mutex_unlock(&own);
		}
		usleep(2000);
		pthread_mutex_lock(&own);
		waiting = 0;
		round_now++;
		pthread_cond_broadcast(&turn);
		pthread_mutex_unlock(&own);
	}
}

static void *want_taken(void *unused)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (until.tv_nsec += 5000000) / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_timedlock(&taken, &until);
	return unused;
}

static void *count_locked(void *unused)
{
	for (int i = 0; i < 100000; i++) {
		pthread_mutex_lock(&hits.lock);
		hits.value++;
		pthread_mutex_unlock(&hits.lock);
	}
	return unused;
}

static void *count_atomic(void *unused)
{
	for (int i = 0; i < 100000; i++)
		atomic_fetch_add(&hits.value, 1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread[4];
	void *(*run)(void *) = strcmp(argv[argc - 1], "turns") == 0  ? want_turn
			       : strcmp(argv[argc - 1], "taken") == 0 ? want_taken
			       : strcmp(argv[argc - 1], "lock") == 0  ? count_locked
								      : count_atomic;

	pthread_mutex_lock(&taken);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, run, NULL);
	if (run == want_turn)
		give_turns();
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return hits.value % 400000 != 0;
}
C
cc -g -O1 -pthread -o habits habits.c || exit 1
# habit WHAT REGEX: a line of the text matches
habit() {
	"$CUPEL" lock --user -o table -- ./habits "$1" && grep -qE "$2" table && return
	echo "FAIL: habits $1: no $2:"
	cat table
	failed=1
}
habit turns '^ +stampede: [0-9]+ of [0-9]+ waiters were woken together'
habit taken '^ +4 waits timed out$'
habit lock ' hits(\.lock)?$|^Nobody waited for a lock\.$'
"$CUPEL" lock --user -o table -- ./habits atomic
if grep -q ' hits' table; then
	echo "FAIL: a lock of a counter without one:"
	cat table
	failed=1
fi

# Blocks of the heap, by who allocated them.
cat >blocks.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct queue {
	long used;
	pthread_mutex_t lock;
	long left[2];
};

static __attribute__((noinline)) struct queue *make_queue(void)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	pthread_mutex_init(&queue->lock, NULL);
	return queue;
}

static void *want(void *queue)
{
	pthread_mutex_lock(&((struct queue *)queue)->lock);
	pthread_mutex_unlock(&((struct queue *)queue)->lock);
	return queue;
}

int main(void)
{
	struct queue *queue = make_queue();
	pthread_t thread;

	pthread_mutex_lock(&queue->lock);
	pthread_create(&thread, NULL, want, queue);
	while (queue->lock.__data.__lock != 2) /* until it waits */
		usleep(1000);
	usleep(20000);
	pthread_mutex_unlock(&queue->lock);
	pthread_join(thread, NULL);
	free(queue);
	return 0;
}
C
cc -g -O1 -pthread -o in_blocks blocks.c || exit 1
if "$CUPEL" heap --exact -o /dev/null -- ./in_blocks 2>log; then
	"$CUPEL" lock --heap --user --stacks 0 -o table -- ./in_blocks || failed=1
	grep -q ' block of 64 bytes from make_queue() +0x8$' table || {
		echo "FAIL: the lock in a block has another name:"
		cat table
		failed=1
	}
else
	echo "not tested: locks in blocks of the heap: $(head -n 1 log)"
fi
for option in -a --kernel; do
	"$CUPEL" lock --heap $option -d 10ms >/dev/null 2>log
	if [ $? != 2 ] || ! grep -q -- '--heap needs a program' log; then
		echo "FAIL: lock --heap $option: $(cat log)"
		failed=1
	fi
done
exit $failed
