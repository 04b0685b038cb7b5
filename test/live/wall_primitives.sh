#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel wall on all kinds of waits for other threads: waits for locks are classified as lock, with the
# holder if the library stores it; waits for events are idle. -e off-cpu gives the same reasons.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wall.bash
. "$(dirname "$0")/wall.bash"
cat >primitives.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HELD_MS 200

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static uint32_t word;
static int fd[2];

static void nap(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void *hold_mutex(void *unused)
{
	pthread_mutex_lock(&mutex);
	nap(HELD_MS);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *write_rwlock(void *unused)
{
	pthread_rwlock_wrlock(&rwlock);
	nap(HELD_MS);
	pthread_rwlock_unlock(&rwlock);
	return unused;
}

static void *read_rwlock(void *unused)
{
	pthread_rwlock_rdlock(&rwlock);
	nap(HELD_MS);
	pthread_rwlock_unlock(&rwlock);
	return unused;
}

static void *meet(void *ms)
{
	for (int i = 0; i < 4; i++) {
		nap((long)(intptr_t)ms);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static long futex(int operation, uint32_t value)
{
	return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL,
		       FUTEX_BITSET_MATCH_ANY);
}

/* As Rust's Mutex does. */
static void *hold_word(void *unused)
{
	__atomic_store_n(&word, 2, __ATOMIC_SEQ_CST);
	nap(HELD_MS);
	__atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
	futex(FUTEX_WAKE, 1);
	return unused;
}

/* As Rust's Condvar does. */
static void *count_up(void *unused)
{
	for (int i = 0; i < 4; i++) {
		nap(HELD_MS / 4);
		__atomic_add_fetch(&word, 1, __ATOMIC_SEQ_CST);
		futex(FUTEX_WAKE, 1);
	}
	return unused;
}

static void *write_fd(void *unused)
{
	uint64_t one = 1;

	nap(HELD_MS);
	return write(fd[1], &one, sizeof(one)) == sizeof(one) ? unused : NULL;
}

static void *drain_fd(void *unused)
{
	char bytes[4096];

	nap(HELD_MS);
	while (read(fd[0], bytes, sizeof(bytes)) > 0)
		;
	return unused;
}

static void *(*held)(void *);

static void *be_holder(void *unused)
{
	prctl(PR_SET_NAME, "holder"); /* pthread_setname_np() from outside needs /proc */
	return held(unused);
}

static void set_mutex(int protocol, int robust)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutex_init(&mutex, &attr);
}

static void wait_eventfd(void)
{
	uint64_t count;

	if (read(fd[0], &count, sizeof(count)) != sizeof(count))
		abort();
}

static void wait_timerfd(void)
{
	struct itimerspec time = { .it_value = { 0, HELD_MS * 1000000 } };

	fd[0] = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(fd[0], 0, &time, NULL);
	wait_eventfd();
}

static int messages;

static void *send_message(void *unused)
{
	long type = 1;

	nap(HELD_MS);
	return msgsnd(messages, &type, 0, 0) ? NULL : unused;
}

static void wait_message(void)
{
	struct {
		long type;
		char text[1];
	} message;

	if (msgrcv(messages, &message, 0, 0, 0) < 0 || msgctl(messages, IPC_RMID, NULL))
		abort();
}

/* A device with letters, but no terminal. */
static void wait_kmsg(void)
{
	char line[8192];

	fd[0] = open("/dev/kmsg", O_RDONLY);
	lseek(fd[0], 0, SEEK_END);
	alarm(1);
	while (read(fd[0], line, sizeof(line)) > 0)
		;
}

#define ENTRIES 4

static struct io_uring_params ring;
static char *queue;
static struct io_uring_sqe *entries;

static int set_ring(void)
{
	fd[0] = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring);
	if (fd[0] < 0)
		exit(77);
	queue = mmap(NULL, ring.sq_off.array + ENTRIES * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		     MAP_SHARED, fd[0], IORING_OFF_SQ_RING);
	entries = mmap(NULL, ENTRIES * sizeof(*entries), PROT_READ | PROT_WRITE, MAP_SHARED, fd[0],
		       IORING_OFF_SQES);
	return queue == MAP_FAILED || entries == MAP_FAILED;
}

/* The only request there is. */
static void wait_ring(void)
{
	uint32_t *tail = (uint32_t *)(queue + ring.sq_off.tail);

	((uint32_t *)(queue + ring.sq_off.array))[*tail & (ENTRIES - 1)] = 0;
	__atomic_add_fetch(tail, 1, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, fd[0], 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

static void wait_ring_event(void)
{
	int64_t time[2] = { 0, HELD_MS * 1000000 };

	if (set_ring())
		abort();
	memset(entries, 0, sizeof(*entries));
	entries->opcode = IORING_OP_TIMEOUT;
	entries->addr = (uintptr_t)time;
	entries->len = 1;
	wait_ring();
}

static void wait_ring_disk(void)
{
	int file = open("primitives.c", O_RDONLY | O_DIRECT);
	void *page = NULL;

	if (set_ring() || posix_memalign(&page, 4096, 4096))
		abort();
	for (int i = 0; i < 200; i++) {
		memset(entries, 0, sizeof(*entries));
		entries->opcode = IORING_OP_READ;
		entries->fd = file;
		entries->addr = (uintptr_t)page;
		entries->len = 4096;
		wait_ring();
	}
}

static void lock_file(void)
{
	int file = open("locked", O_CREAT | O_RDWR, 0600);

	if (fork() == 0) {
		int own = open("locked", O_RDWR);

		flock(own, LOCK_EX);
		nap(HELD_MS);
		_exit(0);
	}
	nap(HELD_MS / 4);
	flock(file, LOCK_EX);
	wait(NULL);
}

static void splice_all(void)
{
	int file = open("/proc/self/exe", O_RDONLY);

	for (loff_t at = 0; at < 1 << 20; at += 4096) {
		loff_t from = 0;

		if (splice(file, &from, fd[1], NULL, 4096, 0) <= 0)
			abort();
	}
	close(fd[1]);
}

static void *take_turn(void *name)
{
	prctl(PR_SET_NAME, name);
	pthread_mutex_lock(&mutex);
	nap(HELD_MS);
	pthread_mutex_unlock(&mutex);
	nap(2 * HELD_MS); /* what a thread did is known while it is there */
	return name;
}

/* Two threads have it one after the other while this one waits. */
static void wait_for_two(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take_turn, "first");
	nap(HELD_MS / 4);
	pthread_create(&thread, NULL, take_turn, "second");
	nap(HELD_MS / 4);
	pthread_mutex_lock(&mutex);
	nap(HELD_MS / 4);
}

static void second(const char *what)
{
	struct timespec time = in_ms(CLOCK_REALTIME, 10000);

	nap(HELD_MS / 4);
	if (strcmp(what, "timed") == 0)
		pthread_mutex_timedlock(&mutex, &time);
	else if (strcmp(what, "rwlock-read") == 0)
		pthread_rwlock_rdlock(&rwlock);
	else if (strcmp(what, "rwlock-write") == 0 || strcmp(what, "rwlock-writers") == 0)
		pthread_rwlock_wrlock(&rwlock);
	else if (strcmp(what, "word") == 0)
		while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 2)
			futex(FUTEX_WAIT_BITSET, 2);
	else
		pthread_mutex_lock(&mutex);
}

static const struct {
	const char *name;
	void *(*other)(void *);
} pairs[] = {
	{ "mutex", hold_mutex },
	{ "timed", hold_mutex },
	{ "robust", hold_mutex },
	{ "inherit", hold_mutex },
	{ "rwlock-read", write_rwlock },
	{ "rwlock-write", read_rwlock },
	{ "rwlock-writers", write_rwlock },
	{ "word", hold_word },
};

/* Each has what the other wants, for ever. */
static void *cross(void *unused)
{
	pthread_rwlock_wrlock(&rwlock);
	nap(HELD_MS / 4);
	pthread_mutex_lock(&mutex);
	return unused;
}

static void wait_for_each_other(void)
{
	pthread_mutex_lock(&mutex);
	nap(HELD_MS / 4);
	pthread_rwlock_rdlock(&rwlock);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	void *(*other)(void *) = NULL;
	void (*own)(void) = NULL;
	pthread_t thread;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (strcmp(what, pairs[i].name) == 0)
			other = pairs[i].other;
	if (strcmp(what, "robust") == 0)
		set_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	if (strcmp(what, "inherit") == 0)
		set_mutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
	if (other) {
		held = other;
		pthread_create(&thread, NULL, be_holder, NULL);
		second(what);
		return 0;
	}
	if (strcmp(what, "barrier") == 0) {
		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&thread, NULL, meet, (void *)(intptr_t)5);
		meet((void *)(intptr_t)(HELD_MS / 4));
		return 0;
	}
	if (strcmp(what, "counter") == 0) {
		pthread_create(&thread, NULL, count_up, NULL);
		for (uint32_t seen = 0; seen < 4; seen = __atomic_load_n(&word, __ATOMIC_SEQ_CST))
			futex(FUTEX_WAIT_BITSET, seen);
		return 0;
	}
	if (strcmp(what, "eventfd") == 0) {
		fd[0] = fd[1] = eventfd(0, 0);
		other = write_fd;
		own = wait_eventfd;
	} else if (strcmp(what, "splice") == 0 && pipe(fd) == 0) {
		other = drain_fd;
		own = splice_all;
	} else if (strcmp(what, "message") == 0) {
		messages = msgget(IPC_PRIVATE, 0600);
		other = send_message;
		own = wait_message;
	} else if (strcmp(what, "timerfd") == 0) {
		own = wait_timerfd;
	} else if (strcmp(what, "kmsg") == 0) {
		own = wait_kmsg;
	} else if (strcmp(what, "ring-event") == 0) {
		own = wait_ring_event;
	} else if (strcmp(what, "ring-disk") == 0) {
		own = wait_ring_disk;
	} else if (strcmp(what, "deadlock") == 0) {
		held = cross;
		other = be_holder;
		own = wait_for_each_other;
	} else if (strcmp(what, "turns") == 0) {
		own = wait_for_two;
	} else if (strcmp(what, "flock") == 0) {
		own = lock_file;
	}
	if (other)
		pthread_create(&thread, NULL, other, NULL);
	if (own)
		own();
	return !own;
}
C
cc -O1 -pthread -o primitives primitives.c || exit 1

# is REASON MS WHAT...: the ledger has at least MS of REASON; with a further word the holder is named
is() {
	watch "$3" ./primitives "$3"
	ask "$3 is $1" "reason('$1') >= $2"
	[ $# = 3 ] || ask "$3: the holder" "[b for b in by('primitives') if b['relation'] == 'held-by'
 and b['reason'] == 'lock' and b['holder'].startswith('holder:') and did(b, 'sleep') >= 40]"
}

# stacks REASON MS WHAT: a recording has at least MS of REASON
stacks() {
	"$CUPEL" record -q -e off-cpu --off-cpu-states "$1" -o off.data -- ./primitives "$3" 2>log &&
		"$CUPEL" report --json -i off.data >off.json && python3 - "$2" <<'PY' && return
import json, sys
sys.exit(sum(e["weight"] for e in json.load(open("off.json"))["events"]) < float(sys.argv[1]) * 1e6)
PY
	echo "$3: -e off-cpu has less than $2 ms of $1: $(head -c 500 log)"
	failed=1
}

is lock 60 timed holder
is lock 60 robust holder
is lock 60 inherit holder
is lock 60 rwlock-read holder
is lock 60 rwlock-writers holder
is lock 60 rwlock-write # readers do not store their thread id
is lock 60 word
is lock 200 turns
ask "two holders in turn" "all([b for b in by('primitives') if b['relation'] == 'held-by'
 and b['holder'].startswith(name) and b['ns'] >= 60e6 and did(b, 'sleep') >= 40]
 for name in ('first:', 'second:'))"
is lock 60 flock
sh -c 'until [ -e watched ]; do sleep 0.05; done; exec ./primitives deadlock' &
hanging=$!
"$CUPEL" wall --json -o result.json -p $hanging -d 2s 2>log &
wait_for is_watching $!
touch watched
wait $!
kill $hanging
wait
ask "hanging threads with their blockers" "[b for b in by('primitives') if b['relation'] == 'held-by'
 and b['holder'].startswith('holder:') and did(b, 'lock') > 0] and
[b for b in by('holder') if b['relation'] == 'held-by' and did(b, 'lock') > 0]"
# A program that is over before its lock is looked at.
cat >brief.c <<'C'
#include <pthread.h>

static pthread_mutex_t brief_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *take(void *unused)
{
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&brief_lock);
	for (volatile int i = 0; i < 3000000; i++)
		;
	pthread_mutex_unlock(&brief_lock);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, take, NULL);
	take(NULL);
	return 0;
}
C
cc -O1 -pthread -o brief brief.c || exit 1
for ((i = 0; i < 5; i++)); do
	watch brief ./brief
	ask "the name of a lock of a brief program" '
all(b["lock_name"] == "brief_lock" for b in r["blocked_by"] if b["reason"] == "lock")'
done
is condition 60 barrier
ask "a barrier is no lock" 'reason("lock") == 0'
is condition 60 counter
ask "a counter is no lock" 'reason("lock") == 0'
is poll 60 eventfd
is poll 60 timerfd
is pipe 150 message
is pipe 60 splice
ask "a full pipe is no disk" 'reason("disk") < 100'
if ./primitives ring-event; then
	is poll 190 ring-event
	ask "an event is no disk" 'reason("disk") < 100'
	stacks poll 190 ring-event
	if dd if=primitives.c of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null; then
		watch ring-disk ./primitives ring-disk # a fast disk may be done before the thread waits
		ask "a disk is no event" 'reason("poll") <= reason("disk")'
	fi
else
	echo "no rings of requests here"
fi
# shellcheck disable=SC2016
echo 'void _start(void) { int time[2] = { 0, 200000000 }, ret; /* nanosleep is 162, exit 1 */
	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(162), "b"(time), "c"(0) : "memory");
	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(1), "b"(0) : "memory"); }' >small.c
if [ "$(uname -m)" = x86_64 ] && cc -m32 -nostdlib -static -fno-pie -no-pie -o small small.c 2>log &&
	./small; then
	watch small ./small
	ask "calls of 32-bit programs have other numbers" 'reason("other") >= 150 and reason("disk") < 100'
else
	echo "no 32-bit program can be made here"
fi
if [ -r /dev/kmsg ]; then
	"$CUPEL" wall --json -o result.json -- ./primitives kmsg
	ask "a device is no terminal" 'reason("other") >= 500 and reason("terminal") == 0'
fi

stacks lock 60 rwlock-read
stacks condition 60 counter

# the lock has the tid of the container's namespace, and the kernel can find the thread
if grep -q ' bpf_task_from_vpid$' /proc/kallsyms && unshare -p true 2>/dev/null; then
	watch namespace unshare -pf ./primitives mutex
	ask "a holder in a container" "[b for b in by('primitives') if b['relation'] == 'held-by'
 and b['holder'].startswith('holder:') and did(b, 'sleep') >= 40]"
else
	echo "no thread can be found in a container here"
fi
exit "$failed"
