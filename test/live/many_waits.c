/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each of THREADS threads sleeps ROUNDS times for 20 ms. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STACK_BYTES 65536

static void *wait_often(void *rounds)
{
	const struct timespec time = { .tv_nsec = 20000000 };

	for (long i = 0; i < *(const long *)rounds; i++)
		(void)nanosleep(&time, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	long rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	pthread_t *thread = threads > 0 ? calloc((size_t)threads, sizeof(*thread)) : NULL;
	pthread_attr_t attr;
	long made = 0;

	if (!thread)
		return 2;
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	while (made < threads && !pthread_create(&thread[made], &attr, wait_often, &rounds))
		made++;
	for (long i = 0; i < made; i++)
		(void)pthread_join(thread[i], NULL);
	(void)printf("%ld\n", made);
	free(thread);
	return 0;
}
