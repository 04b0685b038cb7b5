/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stat_counts WHAT N: does something N times. WHAT is calls (of sched_get_priority_max(), which
 * nothing else calls), faults (first accesses to pages) or waits (switches from the CPU). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE  4096
#define PLACE ((void *)0x200000000000) /* a separate mapping */

int main(int argc, char **argv)
{
	long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	const struct timespec wait = { .tv_nsec = 50000 };
	char *pages;

	if (argc != 3)
		return 2;
	if (strcmp(argv[1], "calls") == 0) {
		/* half of them in a child, which is counted as well */
		for (long i = 0; i < n / 2; i++)
			(void)syscall(SYS_sched_get_priority_max, 0);
		if (fork() == 0) {
			for (long i = n / 2; i < n; i++)
				(void)syscall(SYS_sched_get_priority_max, 0);
			_exit(0);
		}
		return wait4(-1, NULL, 0, NULL) < 0;
	}
	if (strcmp(argv[1], "waits") == 0) {
		for (long i = 0; i < n; i++)
			(void)nanosleep(&wait, NULL);
		return 0;
	}
	pages = mmap(PLACE, (size_t)(n + 1) * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, (size_t)(n + 1) * PAGE, MADV_NOHUGEPAGE))
		return 1;
	for (long i = 0; i < n; i++)
		pages[i * PAGE] = 1;
	return 0;
}
