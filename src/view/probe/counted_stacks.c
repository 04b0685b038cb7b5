/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints stacks with their counts (see counted_stacks.h). */
#include "view/probe/counted_stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/profile.h"

struct row {
	stack_id stack;
	thread_id thread; /* one of them */
	uint8_t stop;
	uint64_t count;
};

struct rows {
	const struct profile *profile;
	VEC(struct row) row; /* the rarest first */
	uint64_t hits, whole;
};

enum rows_by { BY_STACK, BY_NAME, BY_PROCESS };

/* What threads of one row have in common. */
static uint32_t owner_of(const struct profile *profile, thread_id thread, enum rows_by by)
{
	const struct profile_thread *of = &profile->threads.item[thread.v];

	return by == BY_PROCESS ? of->pid : by == BY_NAME ? of->comm.v : 0;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	if (a->stack.v != b->stack.v)
		return a->stack.v < b->stack.v ? -1 : 1;
	return a->thread.v < b->thread.v ? -1 : a->thread.v > b->thread.v;
}

static bool is_whole(const struct profile_sample *sample)
{
	return sample->stop == STACK_STOP_ROOT || sample->stop == STACK_STOP_NONE;
}

static void collect(const struct profile *profile, enum rows_by by, struct rows *ret)
{
	struct map known = { 0 };

	*ret = (struct rows){ .profile = profile };
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];
		uint64_t key = (uint64_t)sample->stack.v << 32 |
			       owner_of(profile, sample->thread, by);
		bool added;
		uint64_t *at = map_add(&known, key, &added);

		if (added) {
			*at = ret->row.count;
			vec_push(&ret->row,
				 ((struct row){ sample->stack, sample->thread, sample->stop, 0 }));
		}
		ret->row.item[*at].count += sample->weight;
		ret->hits += sample->weight;
		ret->whole += is_whole(sample) ? sample->weight : 0;
	}
	if (ret->row.count)
		qsort(ret->row.item, ret->row.count, sizeof(*ret->row.item), compare_rows);
	map_done(&known);
}

void counted_stacks_sum(const struct profile *profile, uint64_t *ret_hits, uint64_t *ret_whole)
{
	*ret_hits = *ret_whole = 0;
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *sample = &profile->samples.item[i];

		*ret_hits += sample->weight;
		*ret_whole += is_whole(sample) ? sample->weight : 0;
	}
}

static const struct frame *frame_of(const struct profile *profile, stack_id stack)
{
	return &profile->frames.item[profile->nodes.item[stack.v].frame.v];
}

static stack_id caller_of(const struct profile *profile, stack_id stack)
{
	return profile->nodes.item[stack.v].parent;
}

static bool is_of_tracing(const struct profile *profile, stack_id stack)
{
	static const char *const prefixes[] = { "__traceiter_", "perf_syscall_", "perf_trace_",
						"bpf_prog_", "bpf_trace_run" };
	const struct frame *frame = frame_of(profile, stack);
	const char *name = profile_string(profile, frame->function);

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return frame->kind == FRAME_KERNEL;
	return false;
}

void counted_stacks_trim(struct profile *profile)
{
	for (size_t i = 0; i < profile->samples.count; i++) {
		stack_id *stack = &profile->samples.item[i].stack;

		while (stack->v && is_of_tracing(profile, *stack))
			*stack = caller_of(profile, *stack);
	}
}

/* "[unknown] (libx.so)" */
static void put_name(const struct profile *profile, const struct frame *frame, struct buf *out)
{
	const char *name = profile_string(profile, frame->function);

	if (name[0]) {
		(void)buf_put_tidy(out, name);
		return;
	}
	(void)buf_puts(out, "[unknown] (");
	(void)buf_put_tidy(out, profile_string(profile, profile->modules.item[frame->module].name));
	(void)buf_putc(out, ')');
}

static const struct profile_thread *thread_of(const struct rows *rows, const struct row *row)
{
	return &rows->profile->threads.item[row->thread.v];
}

/* Whether the program's part begins at that frame, with the kernel's part in front of it. */
static bool is_border(const struct profile *profile, stack_id inner, stack_id stack)
{
	return inner.v && frame_of(profile, inner)->kind == FRAME_KERNEL &&
	       frame_of(profile, stack)->kind != FRAME_KERNEL;
}

void counted_stacks_text(const struct profile *profile,
			 const struct counted_stacks_options *options, struct buf *ret)
{
	struct rows rows;

	collect(profile, options->by_process ? BY_PROCESS : BY_STACK, &rows);
	for (size_t i = 0; i < rows.row.count; i++) {
		const struct row *row = &rows.row.item[i];
		stack_id inner = STACK_EMPTY;

		for (stack_id at = row->stack; at.v; at = caller_of(profile, at)) {
			if (options->delimited && is_border(profile, inner, at))
				(void)buf_puts(ret, "    --\n");
			(void)buf_puts(ret, "  ");
			put_name(profile, frame_of(profile, at), ret);
			(void)buf_putc(ret, '\n');
			inner = at;
		}
		if (options->by_process) {
			(void)buf_puts(ret, "    ");
			(void)buf_put_tidy(ret,
					   profile_string(profile, thread_of(&rows, row)->comm));
			(void)buf_printf(ret, " [%" PRIu32 "]\n", thread_of(&rows, row)->pid);
		}
		(void)buf_printf(ret, "    %" PRIu64 "\n\n", row->count);
	}
	vec_done(&rows.row);
}

/* A word of a folded line, in which semicolons are taken. */
static void end_word(struct buf *out, size_t start)
{
	for (; start < out->len; start++)
		if (out->data[start] == ';')
			out->data[start] = ':';
}

static void fold(const struct profile *profile, stack_id stack, bool delimited, struct buf *out)
{
	stack_id caller = caller_of(profile, stack);
	size_t start;

	if (caller.v)
		fold(profile, caller, delimited, out);
	if (delimited && caller.v && is_border(profile, stack, caller))
		(void)buf_puts(out, ";-");
	(void)buf_putc(out, ';');
	start = out->len;
	put_name(profile, frame_of(profile, stack), out);
	end_word(out, start);
}

void counted_stacks_folded(const struct profile *profile,
			   const struct counted_stacks_options *options, struct buf *ret)
{
	struct rows rows;

	collect(profile, options->by_process ? BY_PROCESS : BY_NAME, &rows);
	for (size_t i = 0; i < rows.row.count; i++) {
		const struct row *row = &rows.row.item[i];
		const struct profile_thread *thread = thread_of(&rows, row);
		size_t start = ret->len;

		(void)buf_put_tidy(ret, profile_string(profile, thread->comm));
		end_word(ret, start);
		if (options->by_process)
			(void)buf_printf(ret, "-%" PRIu32, thread->pid);
		if (row->stack.v)
			fold(profile, row->stack, options->delimited, ret);
		(void)buf_printf(ret, " %" PRIu64 "\n", row->count);
	}
	vec_done(&rows.row);
}

void counted_stacks_put(const struct profile *profile, uint32_t stack, size_t indent,
			struct buf *ret)
{
	for (stack_id at = { stack }; at.v; at = caller_of(profile, at)) {
		(void)buf_pad(ret, ' ', indent);
		put_name(profile, frame_of(profile, at), ret);
		(void)buf_putc(ret, '\n');
	}
}

void counted_stacks_put_json(const struct profile *profile, uint32_t stack, struct buf *out)
{
	(void)buf_puts(out, ",\"stack\":[");
	for (stack_id at = { stack }; at.v; at = caller_of(profile, at)) {
		const struct frame *frame = frame_of(profile, at);
		const char *name = profile_string(profile, frame->function);

		(void)buf_puts(out, at.v == stack ? "{\"function\":" : ",{\"function\":");
		if (name[0])
			(void)buf_put_json(out, name);
		else
			(void)buf_puts(out, "null");
		(void)buf_puts(out, ",\"module\":");
		(void)buf_put_json(
			out, profile_string(profile, profile->modules.item[frame->module].name));
		if (frame->inlined)
			(void)buf_puts(out, ",\"inlined\":true");
		if (frame->kind == FRAME_KERNEL)
			(void)buf_puts(out, ",\"kernel\":true");
		(void)buf_putc(out, '}');
	}
	(void)buf_putc(out, ']');
}

void counted_stacks_json(const struct profile *profile,
			 const struct counted_stacks_options *options, struct buf *ret)
{
	struct rows rows;

	collect(profile, options->by_process ? BY_PROCESS : BY_STACK, &rows);
	(void)buf_printf(ret,
			 "{\"cupel\":1,\"what\":\"stack counts\",\"calls\":%" PRIu64
			 ",\"whole_stacks\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"stacks\":[",
			 rows.hits, rows.whole, options->lost);
	for (size_t i = rows.row.count; i-- > 0;) {
		const struct row *row = &rows.row.item[i];
		const struct profile_thread *thread = thread_of(&rows, row);

		(void)buf_printf(ret, "%s\n{\"calls\":%" PRIu64, i + 1 < rows.row.count ? "," : "",
				 row->count);
		if (options->by_process) {
			(void)buf_puts(ret, ",\"comm\":");
			(void)buf_put_json(ret, profile_string(profile, thread->comm));
			(void)buf_printf(ret, ",\"pid\":%" PRIu32, thread->pid);
		}
		(void)buf_printf(ret, ",\"stopped\":\"%s\"",
				 stack_stop_name((enum stack_stop)row->stop));
		counted_stacks_put_json(profile, row->stack.v, ret);
		(void)buf_putc(ret, '}');
	}
	(void)buf_puts(ret, "]}\n");
	vec_done(&rows.row);
}
