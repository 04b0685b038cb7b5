/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of watching queues for CPUs (see run_queue.h). */
#include "source/run_queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/run_queue.skel.h"
#include "event/event.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/ring_reader.h"
#include "source/bpf/thread_filter.h"

struct run_queue {
	struct source source; /* first */
	struct run_queue_bpf *skeleton;
	struct ring_reader *ring;
	VEC(struct bpf_link *) sampler; /* by CPU that is online */
	uint32_t cpus;
	uint64_t frequency_hz;
	struct source_loss loss;
	/* during a call */
	struct sink *sink;
	struct err *err;
	int code; /* of the sink */
};

static struct run_queue *self_of(struct source *source)
{
	return (struct run_queue *)source;
}

static int explain(struct err *err)
{
	if (!err->hint[0])
		(void)err_hint(err, "requires Linux 5.11 or newer");
	return err_wrap(err, "run queues");
}

static int fail(struct err *err, int code, const char *step)
{
	(void)bpf_fail(err, code, step);
	return explain(err);
}

static struct run_queue *new_queue(bool delays)
{
	struct run_queue *queue = mem_zalloc(sizeof(*queue));
	struct run_queue_bpf *skeleton;

	bpf_be_quiet();
	skeleton = run_queue_bpf__open();
	queue->source.ops = delays ? &source_run_delay : &source_run_lengths;
	queue->source.fd = -1;
	queue->skeleton = skeleton;
	queue->cpus = (uint32_t)libbpf_num_possible_cpus();
	if (!skeleton)
		return queue;
	/* None of these fail before loading. */
	(void)bpf_program__set_autoload(skeleton->progs.on_waking, delays);
	(void)bpf_program__set_autoload(skeleton->progs.on_wakeup_new, delays);
	(void)bpf_program__set_autoload(skeleton->progs.on_switch, delays);
	(void)bpf_program__set_autoload(skeleton->progs.on_sample, !delays);
	(void)bpf_map__set_max_entries(skeleton->maps.lengths, queue->cpus * RUN_QUEUE_LENGTHS);
	return queue;
}

static int load(struct run_queue *queue, struct err *err)
{
	if (!queue->skeleton)
		return fail(err, -errno, "opening the BPF programs");
	if (bpf_load(queue->skeleton->skeleton, "loading the BPF programs", err))
		return explain(err);
	return 0;
}

static void run_lengths_detach(struct source *source)
{
	struct run_queue *queue = self_of(source);

	for (size_t i = 0; i < queue->sampler.count; i++)
		(void)bpf_link__destroy(queue->sampler.item[i]); /* nothing is left to lose */
	queue->sampler.count = 0;
}

static void run_queue_close(struct source *source)
{
	struct run_queue *queue = self_of(source);

	run_lengths_detach(source);
	vec_done(&queue->sampler);
	ring_reader_free(queue->ring);
	run_queue_bpf__destroy(queue->skeleton);
	free(queue);
}

static void take_delay(void *context, void *data, size_t size)
{
	struct run_queue *queue = context;
	const struct run_queue_delay *delay = data;
	struct event event = { .type = EVENT_OWN, .own = { delay, sizeof(*delay) } };

	if (size != sizeof(*delay) || queue->code)
		return;
	event.pid = delay->pid;
	event.tid = delay->tid;
	event.cpu = delay->cpu;
	event.has_time = true;
	event.time_ns = delay->time_ns;
	queue->code = queue->sink->event(queue->sink, &event, queue->err);
}

static int map_ring(struct run_queue *queue, struct err *err)
{
	int fd = bpf_map__fd(queue->skeleton->maps.delays);

	queue->ring = ring_reader_new(take_delay);
	return ring_reader_add(queue->ring, fd, queue, err) ? explain(err) : 0;
}

static void set_up_delays(struct run_queue_bpf *skeleton, const struct source_options *options)
{
	skeleton->rodata->min_ns = options->min_ns;
	skeleton->rodata->by_pid = options->pids != NULL;
	skeleton->rodata->by_tid = options->tids != NULL;
	skeleton->rodata->cgroup_id = options->cgroup_id;
	if (options->comm)
		memcpy((char *)skeleton->rodata->comm_wanted, options->comm,
		       strnlen(options->comm, 15));
}

static int run_delay_open(struct source **ret, const struct source_options *options,
			  struct err *err)
{
	struct run_queue *queue = new_queue(true);
	int code;

	if (queue->skeleton)
		set_up_delays(queue->skeleton, options);
	code = load(queue, err);
	if (!code)
		code = thread_filter_fill(queue->skeleton->maps.targets, options, err);
	if (!code)
		code = map_ring(queue, err);
	if (code) {
		run_queue_close(&queue->source);
		return code;
	}
	queue->source.fd = ring_reader_fd(queue->ring);
	*ret = &queue->source;
	return 0;
}

static int run_delay_start(struct source *source, struct err *err)
{
	int code = run_queue_bpf__attach(self_of(source)->skeleton);

	return code ? fail(err, code, "attaching") : 0;
}

static int64_t run_delay_ready(struct source *source, struct sink *sink, struct err *err)
{
	struct run_queue *queue = self_of(source);

	queue->sink = sink;
	queue->err = err;
	queue->code = 0;
	(void)ring_reader_drain(queue->ring);
	return queue->code;
}

static int run_delay_stop(struct source *source, struct sink *sink, struct err *err)
{
	struct run_queue *queue = self_of(source);
	int64_t code;

	run_queue_bpf__detach(queue->skeleton);
	code = run_delay_ready(source, sink, err);
	queue->loss = (struct source_loss){ -1, queue->skeleton->bss->lost, true };
	source->loss = &queue->loss;
	source->loss_count = 1;
	return (int)code;
}

const struct source_ops source_run_delay = {
	.name = "run_delay",
	.help = "long waits for a CPU, one by one",
	.open = run_delay_open,
	.start = run_delay_start,
	.ready = run_delay_ready,
	.stop = run_delay_stop,
	.close = run_queue_close,
};

static int sample_cpu(struct run_queue *queue, uint32_t cpu, uint64_t frequency_hz)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.freq = 1,
					.sample_freq = frequency_hz };
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;

	if (fd < 0)
		return errno == ENODEV ? 0 : -errno; /* offline */
	link = bpf_program__attach_perf_event(queue->skeleton->progs.on_sample, fd);
	if (!link) {
		int code = -errno;

		(void)close(fd);
		return code;
	}
	vec_push(&queue->sampler, link);
	return 0;
}

static int run_lengths_open(struct source **ret, const struct source_options *options,
			    struct err *err)
{
	struct run_queue *queue = new_queue(false);
	int code = load(queue, err);

	if (code) {
		run_queue_close(&queue->source);
		return code;
	}
	queue->frequency_hz = options->frequency.hz;
	*ret = &queue->source;
	return 0;
}

static int run_lengths_start(struct source *source, struct err *err)
{
	struct run_queue *queue = self_of(source);

	for (uint32_t cpu = 0; cpu < queue->cpus; cpu++) {
		int code = sample_cpu(queue, cpu, queue->frequency_hz);

		if (code)
			return fail(err, code, "sampling CPUs");
	}
	return 0;
}

static int run_lengths_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct run_queue *queue = self_of(source);
	uint32_t cells = queue->cpus * RUN_QUEUE_LENGTHS;
	uint64_t *count = mem_zalloc(cells * sizeof(*count));
	const struct event event = { .type = EVENT_OWN, .own = { count, cells * sizeof(*count) } };
	int fd = bpf_map__fd(queue->skeleton->maps.lengths), code = 0;

	for (uint32_t i = 0; !code && i < cells; i++)
		if (bpf_map_lookup_elem(fd, &i, &count[i]))
			code = fail(err, -errno, "reading counts");
	if (!code)
		code = sink->event(sink, &event, err);
	free(count);
	return code;
}

const struct source_ops source_run_lengths = {
	.name = "run_lengths",
	.help = "how many threads wait for a CPU, sampled",
	.open = run_lengths_open,
	.start = run_lengths_start,
	.snapshot = run_lengths_snapshot,
	.stop = run_lengths_snapshot,
	.detach = run_lengths_detach,
	.close = run_queue_close,
};
