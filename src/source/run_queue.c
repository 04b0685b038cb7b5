/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User space's side of watching queues for CPUs (see run_queue.h). */
#include "source/run_queue.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "bpf/run_queue.skel.h"

struct run_queue {
	struct run_queue_bpf *skeleton;
	struct ring_buffer *ring;
	const struct run_queue_delays *delays;
	VEC(struct bpf_link *) sampler; /* by CPU that is online */
	uint32_t cpus;
};

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static int fail(struct err *err, int code, const char *step)
{
	(void)err_set(err, code, "watching run queues: %s: %s", step, strerror(-code));
	if (code == -EPERM || code == -EACCES)
		return err_hint(err, "run as root, or with CAP_BPF and CAP_PERFMON");
	return err_hint(err, "this needs Linux 5.11 or newer, with BTF");
}

static struct run_queue *open_half(bool delays)
{
	struct run_queue *queue = mem_zalloc(sizeof(*queue));
	struct run_queue_bpf *skeleton = run_queue_bpf__open();

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
	libbpf_print_fn_t print = libbpf_set_print(say_nothing);
	int code = queue->skeleton ? run_queue_bpf__load(queue->skeleton) : -errno;

	(void)libbpf_set_print(print);
	return code ? fail(err, code, "loading the BPF programs") : 0;
}

static int take_delay(void *context, void *data, size_t size)
{
	const struct run_queue *queue = context;

	if (size == sizeof(struct run_queue_delay))
		queue->delays->delay(queue->delays->context, data);
	return 0;
}

static int watch(struct run_queue *queue, struct err *err)
{
	const struct run_queue_delays *delays = queue->delays;
	struct run_queue_bpf *skeleton = queue->skeleton;
	const uint32_t *id = delays->pid ? delays->pid : delays->tid;
	const uint8_t yes = 1;
	int code;

	for (size_t i = 0; id && i < delays->count; i++)
		if (bpf_map__update_elem(skeleton->maps.targets, &id[i], sizeof(*id), &yes,
					 sizeof(yes), BPF_ANY))
			return fail(err, -errno, "naming the threads");
	queue->ring = ring_buffer__new(bpf_map__fd(skeleton->maps.delays), take_delay, queue, NULL);
	if (!queue->ring)
		return fail(err, -errno, "mapping the ring buffer");
	code = run_queue_bpf__attach(skeleton);
	return code ? fail(err, code, "attaching") : 0;
}

int run_queue_open_delays(const struct run_queue_delays *delays, struct run_queue **ret,
			  struct err *err)
{
	struct run_queue *queue = open_half(true);
	int code;

	queue->delays = delays;
	if (queue->skeleton) {
		queue->skeleton->rodata->min_ns = delays->min_ns;
		queue->skeleton->rodata->by_pid = delays->pid != NULL;
		queue->skeleton->rodata->by_tid = delays->tid != NULL;
		queue->skeleton->rodata->cgroup_id = delays->cgroup_id;
		if (delays->comm)
			memcpy((char *)queue->skeleton->rodata->comm_wanted, delays->comm,
			       strnlen(delays->comm, 15));
	}
	code = load(queue, err);
	if (!code)
		code = watch(queue, err);
	if (code) {
		run_queue_close(queue);
		return code;
	}
	*ret = queue;
	return 0;
}

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

int run_queue_open_lengths(uint64_t frequency_hz, struct run_queue **ret, struct err *err)
{
	struct run_queue *queue = open_half(false);
	int code = load(queue, err);

	for (uint32_t cpu = 0; !code && cpu < queue->cpus; cpu++) {
		code = sample_cpu(queue, cpu, frequency_hz);
		if (code)
			(void)fail(err, code, "sampling CPUs");
	}
	if (code) {
		run_queue_close(queue);
		return code;
	}
	*ret = queue;
	return 0;
}

int run_queue_fd(const struct run_queue *queue)
{
	return ring_buffer__epoll_fd(queue->ring);
}

int run_queue_drain(struct run_queue *queue, struct err *err)
{
	int code = ring_buffer__consume(queue->ring);

	return code < 0 ? fail(err, code, "reading the ring buffer") : 0;
}

uint64_t run_queue_lost(const struct run_queue *queue)
{
	return queue->skeleton->bss->lost;
}

int run_queue_lengths(const struct run_queue *queue, uint32_t *ret_cpus, uint64_t **ret,
		      struct err *err)
{
	uint32_t count = queue->cpus * RUN_QUEUE_LENGTHS;
	uint64_t *lengths = mem_zalloc(count * sizeof(*lengths));
	int fd = bpf_map__fd(queue->skeleton->maps.lengths);

	for (uint32_t i = 0; i < count; i++)
		if (bpf_map_lookup_elem(fd, &i, &lengths[i])) {
			free(lengths);
			return fail(err, -errno, "reading the counts");
		}
	*ret = lengths;
	*ret_cpus = queue->cpus;
	return 0;
}

void run_queue_close(struct run_queue *queue)
{
	if (!queue)
		return;
	for (size_t i = 0; i < queue->sampler.count; i++)
		(void)bpf_link__destroy(queue->sampler.item[i]); /* nothing is left to lose */
	vec_done(&queue->sampler);
	ring_buffer__free(queue->ring);
	run_queue_bpf__destroy(queue->skeleton);
	free(queue);
}
