/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of calls (see trace_sums.h). */
#include "session/trace/trace_sums.h"

#include <string.h>

#include "session/trace/trace_call.h"
#include "source/syscall/syscall_table.h"

static uint32_t number_of(struct trace_sums *sums, const struct syscall_line *line)
{
	struct syscall_thread *thread;
	bool added;
	uint64_t *index = map_add(&sums->by_tid, line->tid, &added);

	if (added) {
		thread = vec_add(&sums->thread);
		*index = sums->thread.count;
		*thread = (struct syscall_thread){ .number = (uint32_t)*index,
						   .tid = line->tid,
						   .tgid = line->tgid };
	}
	thread = &sums->thread.item[*index - 1];
	memcpy(thread->comm, line->comm, sizeof(thread->comm)); /* the last one */
	return thread->number;
}

static struct syscall_sum *sum_of(struct trace_sums *sums, struct syscall_key key)
{
	bool added;
	uint64_t *index = map_add(&sums->by_call, (uint64_t)key.thread << 32 | key.call, &added);

	if (added) {
		*vec_add(&sums->sum) = (struct syscall_sum){ .key = key };
		*index = sums->sum.count;
	}
	return &sums->sum.item[*index - 1];
}

static void count_error(struct trace_sums *sums, struct syscall_key key, uint32_t error)
{
	uint64_t id = hash_u64((uint64_t)key.thread << 32 | key.call) + error;
	bool added;
	uint64_t *index = map_add(&sums->by_error, id, &added);

	if (added) {
		*vec_add(&sums->error) = (struct syscall_error){ .key = { key, error } };
		*index = sums->error.count;
	}
	sums->error.item[*index - 1].count++;
}

/* The last one that begins at or before it. */
static size_t bucket_of(uint64_t ns)
{
	size_t low = 0, high = SYSCALL_BUCKETS;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (syscall_bucket_ns(middle) <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void trace_sums_add(struct trace_sums *sums, const struct syscall_line *line)
{
	struct syscall_key key = { number_of(sums, line), line->call };
	struct syscall_sum *sum = sum_of(sums, key);
	uint64_t end_ns = line->start_ns + line->ns;

	sum->calls++;
	if (!sums->start_ns || line->start_ns < sums->start_ns)
		sums->start_ns = line->start_ns;
	if (end_ns > sums->end_ns)
		sums->end_ns = end_ns;
	if (line->returns_never)
		return;
	if (trace_call_failed(line)) {
		sum->errors++;
		count_error(sums, key, (uint32_t)-line->result);
	}
	if (line->headless)
		return;
	if (!sum->timed || line->ns < sum->min_ns)
		sum->min_ns = line->ns;
	if (line->ns > sum->max_ns)
		sum->max_ns = line->ns;
	sum->timed++;
	sum->total_ns += line->ns;
	sum->bucket[bucket_of(line->ns)]++;
}

void trace_sums_end(const struct trace_sums *sums, struct syscall_sums *ret)
{
	*ret = (struct syscall_sums){ .start_ns = sums->start_ns,
				      .end_ns = sums->end_ns,
				      .no_cpu = true };
	for (size_t i = 0; i < sums->thread.count; i++)
		vec_push(&ret->thread, sums->thread.item[i]);
	for (size_t i = 0; i < sums->sum.count; i++)
		syscall_sums_add(ret, &sums->sum.item[i]);
	for (size_t i = 0; i < sums->error.count; i++)
		vec_push(&ret->error, sums->error.item[i]);
	ret->counts.threads = sums->thread.count;
	syscall_sums_name(ret, syscall_label, syscall_error_name);
}

void trace_sums_done(struct trace_sums *sums)
{
	vec_done(&sums->thread);
	vec_done(&sums->sum);
	vec_done(&sums->error);
	map_done(&sums->by_tid);
	map_done(&sums->by_call);
	map_done(&sums->by_error);
}
