/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that are difficult for profilers, one for each argument. Compiled without frame
 * pointers; each is busy for about a second in work(), below functions with frames to check.
 *
 * usage: unwind_life
 * spin|mixed|fork|vfork|thread|signal|maps|absent|libraries|replaced|deep|large|context|move
 * [LIBRARY…|CPU]
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __clang__
#define FRAME __attribute__((noinline)) /* a function with this name and its own frame */
#else
#define FRAME __attribute__((noipa))
#endif
#define STACK_BYTES (1 << 20)

static volatile unsigned sink;
static char *absent_stack; /* its upper part is removed from memory while work() runs */

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static FRAME void work(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sink += i * i;
}

static FRAME void busy(double seconds)
{
	double end = now_s() + seconds, next = 0;

	while (now_s() < end) {
		work(100000);
		if (absent_stack && now_s() > next) {
			(void)madvise(absent_stack + STACK_BYTES / 4 * 3, STACK_BYTES / 4,
				      MADV_DONTNEED);
			next = now_s() + 0.05;
		}
	}
	sink++; /* not a tail call */
}

/* Frames of half a kilobyte, so that 900 are half of STACK_BYTES. */
static FRAME unsigned descend(unsigned depth, double seconds)
{
	volatile char frame[512];

	frame[depth % sizeof(frame)] = (char)depth;
	if (depth)
		(void)descend(depth - 1, seconds);
	else
		busy(seconds);
	return (unsigned)frame[depth % sizeof(frame)];
}

/* A frame with a size that does not fit into 16 bits. */
static FRAME void large(void)
{
	char frame[300000];

	memset(frame, (int)sink, sizeof(frame));
	busy(1);
	sink += (unsigned char)frame[sink % sizeof(frame)];
}

static void *short_lived(void *argument)
{
	work(100);
	return argument;
}

/* Most of the time is spent at the start and end of threads. */
static FRAME void threads(void)
{
	double end = now_s() + 1;

	while (now_s() < end) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, short_lived, NULL))
			(void)pthread_join(thread, NULL);
		work(1000);
	}
}

static ucontext_t outside, inside[2];

static FRAME void coroutine(int id)
{
	for (unsigned i = 0; i < 50; i++) {
		busy(0.01);
		(void)swapcontext(&inside[id], &inside[!id]);
	}
}

static FRAME void contexts(void)
{
	for (int i = 0; i < 2; i++) {
		(void)getcontext(&inside[i]);
		inside[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		inside[i].uc_stack.ss_size = STACK_BYTES;
		inside[i].uc_link = &outside;
		makecontext(&inside[i], (void (*)(void))(uintptr_t)coroutine, 1, i);
	}
	(void)swapcontext(&outside, &inside[0]);
}

/* Children and grandchildren that never exec. */
#if defined(__GNUC__) && !defined(__clang__)
#define WITH_FRAME_POINTER __attribute__((optimize("no-omit-frame-pointer")))
#else
#define WITH_FRAME_POINTER
#endif

static void roomy(unsigned depth);

/* During its calls the caller's frame pointer is saved at the stack pointer. */
static FRAME WITH_FRAME_POINTER void framed(unsigned depth)
{
	if (depth)
		roomy(depth - 1);
	else
		busy(0.002);
	sink++;
}

/* Only the frame pointer leads to its frame. */
static FRAME void roomy(unsigned depth)
{
	volatile char *room = __builtin_alloca(64 + (sink & 255));

	room[0] = 1;
	framed(depth);
	sink += (unsigned)room[0];
}

/* Frames of both kinds in varying numbers, below others that stay. */
static FRAME void mixed(void)
{
	double end = now_s() + 1;

	for (unsigned i = 0; now_s() < end; i++)
		roomy(i * 7 % 20);
}

static FRAME void forks(void)
{
	for (int i = 0; i < 20; i++) {
		if (fork())
			continue;
		if (i % 2 && !fork()) {
			busy(0.05);
			_exit(0);
		}
		busy(0.05);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

/* The child works in the parent's memory, while the parent is suspended in vfork(). */
static FRAME void vforks(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = vfork();

		if (!pid) {
			busy(0.05);
			_exit(0);
		}
		(void)waitpid(pid, NULL, 0);
	}
}

/* Three thousand executable mappings that cannot be merged. */
static FRAME void maps(const char *self)
{
	int fd = open(self, O_RDONLY | O_CLOEXEC);

	for (int i = 0; i < 3000; i++)
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, i % 2 ? 4096 : 0) ==
		    MAP_FAILED)
			exit(77);
	busy(1);
	(void)close(fd);
}

static FRAME void *deep_thread(void *seconds)
{
	(void)descend(900, *(double *)seconds);
	return NULL;
}

/* A thread with a file as its stack: pages can be dropped and are read back unchanged, as pages of
 * other stacks are read back from swap. */
static FRAME void absent(void)
{
	double seconds = 1;
	pthread_attr_t attributes;
	pthread_t thread;
	FILE *file = tmpfile();

	if (!file || ftruncate(fileno(file), STACK_BYTES))
		exit(77);
	absent_stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	(void)pthread_attr_init(&attributes);
	if (absent_stack == MAP_FAILED ||
	    pthread_attr_setstack(&attributes, absent_stack, STACK_BYTES) ||
	    pthread_create(&thread, &attributes, deep_thread, &seconds))
		exit(77);
	(void)pthread_join(thread, NULL);
}

static FRAME void on_signal(int number)
{
	(void)number;
	busy(1);
}

static FRAME void signals(void)
{
	(void)signal(SIGUSR1, on_signal);
	(void)raise(SIGUSR1);
}

/* Libraries are loaded and unloaded, one at the address of the other. */
static FRAME void libraries(char **path)
{
	double end = now_s() + 1;

	for (char **at = path; now_s() < end; at = at[1] ? at + 1 : path) {
		void *library = dlopen(*at, RTLD_NOW);
		void (*enter)(void (*)(double), double);

		if (!library)
			exit(77);
		*(void **)&enter = dlsym(library, "plugin_enter");
		enter(busy, 0.01);
		(void)dlclose(library);
	}
}

/* Code is mapped over other code that was never unmapped, as by runtimes that replace their code:
 * the text of one library over that of another. */
static FRAME void replaced(char **path)
{
	double end = now_s() + 1;
	struct {
		int fd;
		uint64_t at,
			offset; /* of plugin_enter(): in its segment; the segment in the file */
	} text[2];
	char *place = NULL;

	for (unsigned i = 0; i < 2; i++) {
		void *library = dlopen(path[i], RTLD_NOW), *enter;
		Dl_info info;

		if (!library || !(enter = dlsym(library, "plugin_enter")) || !dladdr(enter, &info))
			exit(77);
		text[i].fd = open(path[i], O_RDONLY | O_CLOEXEC);
		text[i].offset = (uint64_t)((char *)enter - (char *)info.dli_fbase) & ~4095ull;
		text[i].at = (uint64_t)enter & 4095;
	}
	for (unsigned i = 0; now_s() < end; i ^= 1) {
		void (*enter)(void (*)(double), double);
		char *code = mmap(place, 4096, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | (place ? MAP_FIXED : 0), text[i].fd,
				  (off_t)text[i].offset);

		if (code == MAP_FAILED)
			exit(77);
		place = code;
		code += text[i].at;
		*(void **)&enter = code;
		enter(busy, 0.01);
	}
}

static FRAME void move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(77);
	busy(1);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "spin"))
		busy(1);
	else if (!strcmp(what, "fork"))
		forks();
	else if (!strcmp(what, "mixed"))
		mixed();
	else if (!strcmp(what, "vfork"))
		vforks();
	else if (!strcmp(what, "thread"))
		threads();
	else if (!strcmp(what, "signal"))
		signals();
	else if (!strcmp(what, "maps"))
		maps(argv[0]);
	else if (!strcmp(what, "absent"))
		absent();
	else if (!strcmp(what, "deep"))
		(void)descend(900, 1);
	else if (!strcmp(what, "large"))
		large();
	else if (!strcmp(what, "context"))
		contexts();
	else if (!strcmp(what, "move") && argc > 2)
		move((int)strtol(argv[2], NULL, 10));
	else if (!strcmp(what, "libraries") && argc > 2)
		libraries(argv + 2);
	else if (!strcmp(what, "replaced") && argc > 3)
		replaced(argv + 2);
	else
		return 2;
	return 0;
}
