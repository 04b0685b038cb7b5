/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks with known holders: lock_truth KIND THREADS ROUNDS. In each round one thread takes the lock
 * and keeps it until all others sleep for it (by /proc), and HOLD_MS more. So every other thread
 * has one wait of at least that for it. Prints as JSON what must be found: the holder's thread id,
 * how many waits it caused, and the sum of all waits as the threads measured them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64
#define HOLD_MS	    3

static struct locks {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	sem_t semaphore;
	pthread_cond_t condition;
	pthread_barrier_t barrier;
	int ready;
} * lock;

struct kind {
	const char *name;
	void (*init)(void);
	void (*take)(void);
	void (*leave)(void);
	void (*hold)(void); /* NULL = take */
};

static int threads, rounds;
static const struct kind *kind;
static pid_t tid_of[MAX_THREADS];
static long long waited_ns[MAX_THREADS];
static pthread_barrier_t start, end;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void init_mutex(int type, int protocol, int robust)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setprotocol(&attr, protocol);
	pthread_mutexattr_setrobust(&attr, robust);
	pthread_mutex_init(&lock->mutex, &attr);
}

static void init_normal(void)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
}

static void init_recursive(void)
{
	init_mutex(PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
}

static void init_checked(void)
{
	init_mutex(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
}

static void init_pi(void)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
}

static void init_robust(void)
{
	init_mutex(PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
}

static void init_shared(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&lock->mutex, &attr);
}

static void take_mutex(void)
{
	pthread_mutex_lock(&lock->mutex);
}

static void leave_mutex(void)
{
	pthread_mutex_unlock(&lock->mutex);
}

static void init_rwlock(void)
{
	pthread_rwlock_init(&lock->rwlock, NULL);
}

static void take_read(void)
{
	pthread_rwlock_rdlock(&lock->rwlock);
}

static void take_write(void)
{
	pthread_rwlock_wrlock(&lock->rwlock);
}

static void leave_rwlock(void)
{
	pthread_rwlock_unlock(&lock->rwlock);
}

static void init_semaphore(void)
{
	sem_init(&lock->semaphore, 0, 1);
}

static void take_semaphore(void)
{
	while (sem_wait(&lock->semaphore))
		;
}

static void leave_semaphore(void)
{
	sem_post(&lock->semaphore);
}

static void init_condition(void)
{
	init_normal();
	pthread_cond_init(&lock->condition, NULL);
}

/* All others wait for it to be ready. */
static void hold_condition(void)
{
	lock->ready = 0;
}

static void take_condition(void)
{
	pthread_mutex_lock(&lock->mutex);
	while (!lock->ready)
		pthread_cond_wait(&lock->condition, &lock->mutex);
	pthread_mutex_unlock(&lock->mutex);
}

static void leave_condition(void)
{
	pthread_mutex_lock(&lock->mutex);
	if (!lock->ready) {
		lock->ready = 1;
		pthread_cond_broadcast(&lock->condition);
	}
	pthread_mutex_unlock(&lock->mutex);
}

static void init_barrier(void)
{
	pthread_barrier_init(&lock->barrier, NULL, (unsigned)threads);
}

static void do_nothing(void)
{
}

static void take_barrier(void)
{
	pthread_barrier_wait(&lock->barrier);
}

static const struct kind kinds[] = {
	{ "mutex", init_normal, take_mutex, leave_mutex, NULL },
	{ "recursive", init_recursive, take_mutex, leave_mutex, NULL },
	{ "checked", init_checked, take_mutex, leave_mutex, NULL },
	{ "pi", init_pi, take_mutex, leave_mutex, NULL },
	{ "robust", init_robust, take_mutex, leave_mutex, NULL },
	{ "shared", init_shared, take_mutex, leave_mutex, NULL },
	{ "rwlock-read", init_rwlock, take_read, leave_rwlock, take_write },
	{ "rwlock-write", init_rwlock, take_write, leave_rwlock, NULL },
	{ "rwlock-readers", init_rwlock, take_write, leave_rwlock, take_read },
	{ "semaphore", init_semaphore, take_semaphore, leave_semaphore, NULL },
	{ "condition", init_condition, take_condition, do_nothing, hold_condition },
	{ "barrier", init_barrier, take_barrier, do_nothing, do_nothing },
};

/* Whether the thread sleeps in a FUTEX call for this lock. */
static int is_asleep(pid_t tid)
{
	char path[64], text[256] = "";
	unsigned long number, address;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		text[0] = 0;
	if (fd >= 0)
		close(fd);
	return sscanf(text, "%lu %lx", &number, &address) == 2 && number == SYS_futex &&
	       address - (unsigned long)lock < sizeof(*lock);
}

static void await_all(void)
{
	for (int i = 1; i < threads; i++)
		while (!is_asleep(tid_of[i]))
			usleep(200);
	usleep(HOLD_MS * 1000);
}

static void *wait_for_it(void *context)
{
	long self = (long)context;

	tid_of[self] = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&start);
	for (int i = 0; i < rounds; i++) {
		long long began_ns;

		pthread_barrier_wait(&start); /* the lock is held */
		began_ns = now_ns();
		kind->take();
		waited_ns[self] += now_ns() - began_ns;
		kind->leave();
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static void __attribute__((noinline)) hold_it(void)
{
	(kind->hold ? kind->hold : kind->take)();
	pthread_barrier_wait(&start);
	await_all();
	if (kind->take == take_condition)
		leave_condition();
	else if (kind->take == take_barrier)
		take_barrier();
	else
		kind->leave();
}

static void *be_holder(void *context)
{
	(void)context;
	tid_of[0] = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&start);
	for (int i = 0; i < rounds; i++) {
		hold_it();
		pthread_barrier_wait(&end);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];
	long long all_ns = 0;

	if (argc < 4)
		return 2;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kind = &kinds[i];
	threads = (int)strtol(argv[2], NULL, 10);
	rounds = (int)strtol(argv[3], NULL, 10);
	if (!kind || threads < 2 || threads > MAX_THREADS)
		return 2;
	lock = mmap(NULL, sizeof(*lock), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	kind->init();
	pthread_barrier_init(&start, NULL, (unsigned)threads);
	pthread_barrier_init(&end, NULL, (unsigned)threads);
	pthread_create(&thread[0], NULL, be_holder, NULL);
	for (long i = 1; i < threads; i++)
		pthread_create(&thread[i], NULL, wait_for_it, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (int i = 1; i < threads; i++)
		all_ns += waited_ns[i];
	printf("{ \"holder\": %d, \"waits\": %d, \"wait_ns\": %lld, \"least_ns\": %lld, "
	       "\"address\": %lu }\n",
	       tid_of[0], (threads - 1) * rounds, all_ns,
	       (long long)HOLD_MS * 1000000 * (threads - 1) * rounds, (unsigned long)lock);
	return 0;
}
