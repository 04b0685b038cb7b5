/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that unwind_step runs: compiled without frame pointers and linked lazily, with code
 * that is hard to unwind. Prints one line at its end, which the stepper checks. */
#include <dlfcn.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline))
#endif

static volatile int sink;
static jmp_buf jump;
static sigjmp_buf signal_jump;

static NOINLINE int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static NOINLINE void sort(void)
{
	int numbers[40];

	for (int i = 0; i < 40; i++)
		numbers[i] = (i * 7919) % 101;
	qsort(numbers, 40, sizeof(*numbers), compare);
	sink += numbers[3];
}

static NOINLINE void stack_by_size(size_t size)
{
	char *block = __builtin_alloca(size);

	memset(block, 1, size);
	sink += block[size / 2];
}

static NOINLINE void realigned(size_t size)
{
	__attribute__((aligned(64))) char lines[128];
	char *block = __builtin_alloca(size);

	memset(lines, (int)size, sizeof(lines));
	memset(block, 2, size);
	sink += lines[size % 128] + block[1];
}

static NOINLINE int many_registers(int a, int b, int c, int d, int e, int f, int g, int h)
{
	int x = compare(&a, &b), y = compare(&c, &d), z = compare(&e, &f);

	return x * g + y * h + z + compare(&g, &h) + a * b * c * d * e * f;
}

static NOINLINE int tail_end(int x)
{
	return sink + x;
}

static NOINLINE int tail_call(int x)
{
	sink += x;
	return tail_end(x * 2);
}

static NOINLINE int recurse(int n)
{
	if (n <= 0)
		return tail_call(3);
	return recurse(n - 1) + sink;
}

static NOINLINE void jump_back(int depth)
{
	if (depth)
		jump_back(depth - 1);
	else
		longjmp(jump, 1);
	sink++;
}

static void on_signal(int signal)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%d %p", signal, (void *)text);
	sink += text[0];
}

static void on_signal_jump(int signal)
{
	sink += signal;
	siglongjmp(signal_jump, 1);
}

/* The stepper sends the signal at arbitrary instructions. */
static void on_interruption(int signal)
{
	sink += tail_call(signal);
}

static NOINLINE void signals(void)
{
	(void)signal(SIGUSR1, on_signal);
	(void)raise(SIGUSR1);
	(void)signal(SIGUSR1, on_signal_jump);
	if (!sigsetjmp(signal_jump, 1))
		(void)raise(SIGUSR1);
}

static NOINLINE void children(void)
{
	char *const argv[] = { (char *)"true", NULL };
	pid_t pid = vfork();
	int status;

	if (!pid) {
		execv("/bin/true", argv);
		_exit(1);
	}
	(void)waitpid(pid, &status, 0);
	sink += status;
}

static NOINLINE void library(void)
{
	char text[256];
	regex_t regex;
	struct tm tm;
	time_t now = 1700000000;

	(void)snprintf(text, sizeof(text), "%g %La %s %10.3f", 3.25, 1.5L, "text", 1e100);
	sink += (int)strtod("12.75e3", NULL) + (int)strlen(text);
	if (!regcomp(&regex, "^([a-z]+)[0-9]*$", REG_EXTENDED)) {
		sink += regexec(&regex, "word42", 0, NULL, 0);
		regfree(&regex);
	}
	(void)gmtime_r(&now, &tm);
	(void)strftime(text, sizeof(text), "%A %H:%M", &tm);
	free(realloc(malloc(100), 100000));
	sink += (int)strstr("a needle in a haystack", "hay")[0];
	sink += getenv("PATH") != NULL;
}

static NOINLINE void clocks(void)
{
	struct timespec t;
	struct timeval v;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* in the vDSO */
	(void)gettimeofday(&v, NULL);
	sink += (int)t.tv_sec + (int)time(NULL);
}

static NOINLINE void plugin(void)
{
	void *handle = dlopen("libm.so.6", RTLD_LAZY);
	double (*cosine)(double) = NULL;

	if (handle)
		*(void **)&cosine = dlsym(handle, "cos");
	if (cosine)
		sink += (int)(cosine(0.5) * 100);
	if (handle)
		(void)dlclose(handle);
}

int main(void)
{
	(void)signal(SIGUSR2, on_interruption);
	sort();
	for (size_t size = 16; size < 3000; size *= 5) {
		stack_by_size(size);
		realigned(size);
	}
	sink += many_registers(1, 2, 3, 4, 5, 6, 7, 8);
	sink += recurse(60);
	if (!setjmp(jump))
		jump_back(5);
	signals();
	children();
	library();
	clocks();
	plugin();
	(void)printf("stepped to the end\n");
	return 0;
}
