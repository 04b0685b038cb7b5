/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording and reading at once (see live.h). */
#include "session/live.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "event/desc.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "proc/proc.h"
#include "profile/profile.h"
#include "session/load/resolve.h"
#include "session/record/recorder.h"
#include "session/replay.h"

#define SWEEP_MS 200u /* whoever looks wants to see what happens now */

/* What the process that records leaves behind, in memory that both have. */
struct left {
	struct err err;
	struct live_result result;
};

struct live {
	struct replay_handler handler; /* first */
	const struct live_options *options;
	pid_t recorder;
	int pipe_fd, end_fd;
	struct left *left;
	pthread_t reader;
	bool has_reader;
	struct err err;	      /* the reader's */
	pthread_mutex_t lock; /* over all below */
	struct profile *profile;
	uint64_t since_ns;	/* the profile began */
	VEC(uint32_t) frame_of; /* by place; + 1, 0 = not in this profile yet */
};

static struct profile *begin_profile(struct live *live)
{
	live->since_ns = clock_ns(CLOCK_MONOTONIC);
	live->frame_of.count = 0;
	return profile_new(0);
}

static frame_id make_frame(struct live *live, const struct replay_frame *from)
{
	const struct symbol *symbol = from->symbol;
	const char *path = resolve_module_path(from->module);
	struct frame frame = { .module = profile_module(live->profile, path, ""),
			       .kind = resolve_frame_kind(from->module, from->kernel) };

	if (symbol) {
		const char *name = symbol->frame[symbol->count - 1].name;

		frame.binding = symbol->binding;
		frame.symbol_start = symbol->start;
		frame.symbol_end = symbol->end;
		if (name)
			frame.function =
				strtab_put_tidy(live->profile->strings, name, strlen(name));
	} else {
		frame.offset = from->offset;
		frame.pc = from->pc;
	}
	return profile_frame(live->profile, &frame);
}

static frame_id frame_of(struct live *live, const struct replay_frame *from)
{
	uint32_t *known;

	while (live->frame_of.count <= from->place)
		vec_push(&live->frame_of, 0);
	known = &live->frame_of.item[from->place];
	if (!*known)
		*known = make_frame(live, from).v + 1;
	return (frame_id){ *known - 1 };
}

static stack_id stack_of(struct live *live, const struct replay_sample *sample)
{
	stack_id stack = STACK_EMPTY;

	if (!sample->count || !live->options->stacks)
		return profile_stack_push(
			live->profile, stack,
			frame_of(live, sample->count ? sample->frame : &sample->ip));
	for (size_t i = sample->count; i-- > 0;)
		stack = profile_stack_push(live->profile, stack, frame_of(live, &sample->frame[i]));
	return stack;
}

static int on_sample(struct replay_handler *handler, const struct replay_sample *sample,
		     struct err *err)
{
	struct live *live = (struct live *)handler;
	const struct event *event = sample->event;
	const struct event_desc *desc = event->desc;
	struct profile_sample one = { .cpu = PROFILE_NO_CPU,
				      .weight = event->sample.period,
				      .stop = (uint8_t)sample->stop,
				      .count = 1 };

	(void)err;
	(void)pthread_mutex_lock(&live->lock);
	one.stack = stack_of(live, sample);
	one.thread = profile_thread(live->profile, sample->thread->pid, sample->thread->tid,
				    sample->thread->comm);
	one.event = desc ? profile_event_of_kind(live->profile, desc->name,
						 event_unit_name(desc->unit), desc->kind)
			 : profile_event(live->profile, "unknown", "count");
	profile_add(live->profile, &one);
	(void)pthread_mutex_unlock(&live->lock);
	return 0;
}

static int on_other(struct replay_handler *handler, const struct event *event,
		    const struct thread *thread, struct err *err)
{
	struct live *live = (struct live *)handler;

	(void)thread;
	(void)err;
	if (event->type != EVENT_LOST && event->type != EVENT_THROTTLE)
		return 0;
	(void)pthread_mutex_lock(&live->lock);
	if (event->type == EVENT_LOST)
		live->profile->meta.lost_samples += event->lost.count;
	else
		live->profile->meta.throttled++;
	(void)pthread_mutex_unlock(&live->lock);
	return 0;
}

static int read_recording(struct live *live, struct err *err)
{
	const struct replay_options options = { .symbol = live->options->symbol, .endless = true };
	struct perf_data *data = NULL;
	struct input *input = NULL;
	char path[64];
	int code;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", live->pipe_fd);
	code = input_open(path, &input, err);
	fd_close(&live->pipe_fd); /* the recorder notices when nobody reads any more */
	live->pipe_fd = -1;
	if (!code)
		code = perf_data_open(input, &data, err);
	if (!code)
		code = session_replay(data, &options, &live->handler, err);
	perf_data_close(data);
	input_close(input);
	return code;
}

static void *read_all(void *context)
{
	struct live *live = context;
	uint64_t one = 1;

	(void)read_recording(live, &live->err);
	(void)fd_write_all(live->end_fd, &one, sizeof(one));
	return NULL;
}

/* In a process of its own, which ends here. */
_Noreturn static void record(const struct recording_options *options, int fd, struct left *left)
{
	struct recording_options own = *options;
	struct recording_result result;

	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	own.output_fd_plus_one = fd + 1;
	own.sweep_ms = SWEEP_MS;
	own.no_context = true;
	(void)session_record(&own, NULL, &result, &left->err);
	(void)snprintf(left->result.notes, sizeof(left->result.notes), "%s", result.notes);
	recording_result_done(&result);
	_exit(0);
}

/* live_stop() may come before the recorder takes signals: then one waits for it. */
static pid_t fork_without_interrupts(void)
{
	sigset_t interrupt, before;
	pid_t pid;

	(void)sigemptyset(&interrupt);
	(void)sigaddset(&interrupt, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &interrupt, &before);
	pid = fork();
	if (pid)
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static int start_recorder(struct live *live, const struct recording_options *options,
			  struct err *err)
{
	int fd[2];

	live->left = mmap(NULL, sizeof(*live->left), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (live->left == MAP_FAILED) {
		live->left = NULL;
		return err_errno(err, "mmap");
	}
	if (pipe2(fd, O_CLOEXEC))
		return err_errno(err, "pipe2");
	live->pipe_fd = fd[0];
	live->recorder = fork_without_interrupts();
	if (live->recorder == 0) {
		(void)close(fd[0]);
		record(options, fd[1], live->left);
	}
	(void)close(fd[1]);
	return live->recorder < 0 ? err_errno(err, "fork") : 0;
}

static int start_reader(struct live *live, struct err *err)
{
	int code;

	live->end_fd = eventfd(0, EFD_CLOEXEC);
	if (live->end_fd < 0)
		return err_errno(err, "eventfd");
	code = pthread_create(&live->reader, NULL, read_all, live);
	if (code)
		return err_set(err, -code, "starting the reader: %s", strerror(code));
	live->has_reader = true;
	return 0;
}

int live_start(const struct recording_options *record, const struct live_options *options,
	       struct live **ret, struct err *err)
{
	struct live *live = mem_zalloc(sizeof(*live));
	int code;

	live->handler = (struct replay_handler){ .sample = on_sample, .other = on_other };
	live->options = options;
	live->pipe_fd = live->end_fd = -1;
	(void)pthread_mutex_init(&live->lock, NULL);
	live->profile = begin_profile(live);
	code = start_recorder(live, record, err);
	if (!code)
		code = start_reader(live, err);
	if (code) {
		struct live_result ignored;
		struct err later = { 0 };

		(void)live_end(live, &ignored, &later);
		return code;
	}
	*ret = live;
	return 0;
}

int live_fd(const struct live *live)
{
	return live->end_fd;
}

struct profile *live_take(struct live *live)
{
	struct profile *profile;

	(void)pthread_mutex_lock(&live->lock);
	profile = live->profile;
	profile->meta.duration_ns = clock_ns(CLOCK_MONOTONIC) - live->since_ns;
	live->profile = begin_profile(live);
	(void)pthread_mutex_unlock(&live->lock);
	return profile;
}

void live_stop(const struct live *live)
{
	if (live->recorder > 0)
		(void)kill(live->recorder, SIGINT);
}

int live_end(struct live *live, struct live_result *ret, struct err *err)
{
	struct err cause;

	live_stop(live);
	if (live->has_reader)
		(void)pthread_join(live->reader, NULL);
	fd_close(&live->pipe_fd);
	fd_close(&live->end_fd);
	if (live->recorder > 0)
		(void)waitpid(live->recorder, NULL, 0);
	cause = live->err;
	if (live->left) {
		*ret = live->left->result;
		if (live->left->err.code)
			cause = live->left->err;
		(void)munmap(live->left, sizeof(*live->left));
	}
	profile_free(live->profile);
	vec_done(&live->frame_of);
	(void)pthread_mutex_destroy(&live->lock);
	free(live);
	if (cause.code)
		*err = cause;
	return cause.code;
}
