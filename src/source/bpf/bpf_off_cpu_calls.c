/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller, as samples (see bpf_off_cpu.h): for each sum of the kernel part one of
 * every account with a time, and one of every length with calls. Nothing is left out: a call with a
 * stack that is not known has the call's frame alone. */
#include "source/bpf/bpf_off_cpu.h"

#include <string.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "bpf/off_cpu.skel.h"
#include "event/stop.h"
#include "event/syscall_frame.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_stacks.h"
#include "source/bpf/raw_waits.h"
#include "source/bpf/sum_maps.h"

/* What all samples of a sum have in common. */
struct call_samples {
	struct bpf_off_cpu *self;
	const struct off_cpu_call_key *key;
	uint64_t time_ns;
	const struct cpu_sample *raw; /* its stack, or NULL */
	size_t raw_len;
};

void bpf_off_cpu_open_calls(struct bpf_off_cpu *self)
{
	const struct sum_maps_options calls = {
		.map_fd = { bpf_map__fd(self->program->maps.call_sums),
			    bpf_map__fd(self->program->maps.odd_call_sums) },
		.odd_turn = &self->program->bss->odd_call_turn,
		.key_size = sizeof(struct off_cpu_call_key),
		.sum_size = sizeof(struct off_cpu_call_sum),
	};

	self->calls = sum_maps_new(&calls);
}

/* A stack that the kernel part did not unwind, with one more frame of the kernel on top. */
static void put_raw(const struct call_samples *samples, uint64_t frame, uint64_t weight)
{
	const size_t before = sizeof(struct cpu_sample) + sizeof(struct cpu_raw);
	const char *from = (const char *)samples->raw;
	struct buf *out = &samples->self->call_record;
	struct cpu_sample *head;
	struct cpu_raw *raw;

	(void)buf_append(out, from, before);
	(void)buf_append(out, (const char *)&frame, sizeof(frame));
	(void)buf_append(out, from + before, samples->raw_len - before);
	head = (struct cpu_sample *)out->data;
	head->time_ns = samples->time_ns;
	head->flags &= (uint8_t)~OFF_CPU_STACK;
	head->frames++;
	raw = (struct cpu_raw *)(head + 1);
	raw->id = samples->self->off_cpu_id;
	raw->period = weight;
}

static void put_walked(const struct call_samples *samples, uint64_t frame, uint64_t weight)
{
	const struct off_cpu_call_key *key = samples->key;
	const uint64_t seed = samples->self->program->rodata->seed;
	const uint64_t call = syscall_frame_of_call(key->call);
	const uint64_t id = samples->self->off_cpu_id;
	bool known = key->stack && !key->raw;
	const struct cpu_sample head = {
		.time_ns = samples->time_ns,
		.base = known ? key->stack : cpu_node_root(seed, STACK_STOP_NO_TABLE),
		.pid = key->pid,
		.tid = key->tid,
		.kind = CPU_WALKED,
		.flags = CPU_IN_KERNEL,
		.period = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX,
		.frames = known ? 1 : 2,
	};
	struct buf *out = &samples->self->call_record;

	(void)buf_append(out, (const char *)&head, sizeof(head));
	(void)buf_append(out, (const char *)&frame, sizeof(frame));
	if (!known)
		(void)buf_append(out, (const char *)&call, sizeof(call));
	if (samples->self->many_events)
		(void)buf_append(out, (const char *)&id, sizeof(id));
	if (head.period == UINT32_MAX)
		(void)buf_append(out, (const char *)&weight, sizeof(weight));
}

static int emit(const struct call_samples *samples, uint64_t frame, uint64_t weight)
{
	struct bpf_off_cpu *self = samples->self;
	struct buf *made = &self->call_record;
	struct bpf_stacks_record record = { .cpu = -1 };
	int code;

	if (!weight)
		return 0;
	buf_clear(made);
	if (samples->raw)
		put_raw(samples, frame, weight);
	else
		put_walked(samples, frame, weight);
	record.data = made->data;
	record.len = made->len;
	code = bpf_stacks_take(self->stacks, &record, self->sink, self->err);
	return code < 0 ? code : 0;
}

static int take_call(void *context, const void *of, const void *what)
{
	const struct off_cpu_call_sum *sum = what;
	struct call_samples samples = { .self = context, .key = of, .time_ns = sum->last_ns };
	int code = 0;

	if (samples.key->raw)
		samples.raw =
			raw_waits_find(samples.self->raw, samples.key->stack, &samples.raw_len);
	for (unsigned i = 0; !code && i < LEDGER_ACCOUNTS; i++)
		code = emit(&samples, SYSCALL_FRAME_ACCOUNT + i, sum->ns[i]);
	for (unsigned i = 0; !code && i < SYSCALL_BUCKETS; i++)
		code = emit(&samples, SYSCALL_FRAME_LENGTH + i, sum->bucket[i]);
	return code;
}

int bpf_off_cpu_take_calls(struct bpf_off_cpu *self)
{
	bool reported = false;
	int code = sum_maps_read(self->calls, self->stopped, take_call, self, &reported);

	return code && !reported ? bpf_fail(self->err, code, "system calls by caller: reading sums")
				 : code;
}
