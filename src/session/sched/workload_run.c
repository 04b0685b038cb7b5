/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that run, sleep and wake each other as recorded (see workload_run.h). Each has one
 * semaphore for all its sleeps: it is posted once for every one of them, and never before the waker
 * came as far as it had when that happened, so a replay ends as the recording did. */
#include "session/sched/workload_run.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "profile/sched/sched_workload.h"

#define STACK_BYTES ((size_t)64 << 10)

struct stage;

struct player {
	struct stage *stage;
	const struct sched_actor *actor;
	pthread_t thread;
	sem_t woken;
};

struct stage {
	struct player *player; /* by sched_task.index */
	size_t count;
	pthread_mutex_t held; /* by the thread that starts the others */
	bool abandoned;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now); /* cannot fail for clocks that exist */
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t ns)
{
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void pause_for(uint64_t ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void sleep_until_woken(struct player *player)
{
	while (sem_wait(&player->woken) && errno == EINTR)
		;
}

static void *play(void *context)
{
	struct player *player = context;
	struct stage *stage = player->stage;
	bool abandoned;

	(void)pthread_mutex_lock(&stage->held);
	abandoned = stage->abandoned;
	(void)pthread_mutex_unlock(&stage->held);
	for (size_t i = 0; !abandoned && i < player->actor->atom.count; i++) {
		const struct sched_atom *atom = &player->actor->atom.item[i];

		switch ((enum sched_atom_kind)atom->kind) {
		case SCHED_ATOM_RUN:
			compute(atom->ns);
			break;
		case SCHED_ATOM_SLEEP:
			sleep_until_woken(player);
			break;
		case SCHED_ATOM_PAUSE:
			pause_for(atom->ns);
			break;
		case SCHED_ATOM_WAKE:
			(void)sem_post(&stage->player[atom->task].woken);
			break;
		}
	}
	return NULL;
}

/* All that can fail comes before anybody begins. */
static int cast(struct stage *stage, const struct sched_workload *workload, struct err *err)
{
	pthread_attr_t attr;
	int code = 0;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES > (size_t)PTHREAD_STACK_MIN
						       ? STACK_BYTES
						       : (size_t)PTHREAD_STACK_MIN);
	while (!code && stage->count < workload->actor.count) {
		struct player *player = &stage->player[stage->count];

		player->stage = stage;
		player->actor = &workload->actor.item[stage->count];
		(void)sem_init(&player->woken, 0, 0);
		if (player->actor->atom.count)
			code = pthread_create(&player->thread, &attr, play, player);
		if (!code)
			stage->count++;
	}
	(void)pthread_attr_destroy(&attr);
	return code ? err_set(err, -code, "starting %zu threads: %s", workload->actor.count,
			      strerror(code))
		    : 0;
}

int workload_run(const struct sched_workload *workload, struct workload_time *ret, struct err *err)
{
	struct stage stage = { .held = PTHREAD_MUTEX_INITIALIZER };
	uint64_t wall_ns, cpu_ns;
	int code;

	stage.player = mem_zalloc((workload->actor.count + 1) * sizeof(*stage.player));
	(void)pthread_mutex_lock(&stage.held);
	code = cast(&stage, workload, err);
	stage.abandoned = code != 0;
	wall_ns = clock_ns(CLOCK_MONOTONIC);
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	(void)pthread_mutex_unlock(&stage.held);
	for (size_t i = 0; i < stage.count; i++)
		if (stage.player[i].actor->atom.count)
			(void)pthread_join(stage.player[i].thread, NULL);
	if (!code)
		*ret = (struct workload_time){ clock_ns(CLOCK_MONOTONIC) - wall_ns,
					       clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns };
	for (size_t i = 0; i < stage.count; i++)
		(void)sem_destroy(&stage.player[i].woken);
	free(stage.player);
	return code;
}
