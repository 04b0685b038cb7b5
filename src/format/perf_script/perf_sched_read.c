/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scheduler tracepoints with stacks → off-CPU time. The weight of a wait is the value of
 * sched_stat_sleep or sched_stat_blocked at its end; in text without them, the time until a
 * sched_switch puts the thread back on a CPU. Fields as printed by perf: "prev_pid=1 … next_pid=2",
 * or "cat:1 [120] S ==> dd:2 [120]" with libtraceevent's plugin. */
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_script/perf_script_line.h"
#include "format/perf_script/perf_script_stack.h"
#include "format/text/text.h"
#include "profile/profile.h"

#define MAX_CHAIN 4096 /* frames, with wakers and their wakers */

struct sleeper {
	bool asleep, waker_known;
	stack_id stack; /* in which it left the CPU, later with its waker */
	stack_id chain; /* that of its last wait; empty once it waits again */
	uint64_t since_ns, woken_ns;
	thread_id thread;
};

struct sched_reader {
	const struct format_read_options *options;
	struct profile *profile;
	struct script_stacks *stacks;
	struct map ids; /* tid → index in sleepers */
	VEC(struct sleeper) sleepers;
	VEC(struct slice) body; /* lines below the header at hand, leaf first */
	VEC(frame_id) path;
	uint16_t event;
	bool stats; /* sched_stat_* tell the weights */
};

/* The text after the last `key` up to a blank. The last one, because the command before it may
 * contain anything. */
static struct slice field(struct slice text, const char *key)
{
	struct slice found = { 0 };
	const char *at;

	while (text.len && (at = memmem(text.s, text.len, key, strlen(key)))) {
		at += strlen(key);
		text = found = (struct slice){ at, text.len - (size_t)(at - text.s) };
	}
	return text_cut(&found, ' ');
}

static bool read_tid(struct slice word, uint32_t *ret)
{
	uint64_t value;

	if (!text_number(word, 1, &value) || value >= SCRIPT_UNKNOWN)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* The thread id in "comm:1 [120] S". */
static bool read_plugin_tid(struct slice half, uint32_t *ret)
{
	const char *end = half.s ? memrchr(half.s, '[', half.len) : NULL, *colon;

	if (!end)
		return false;
	colon = memrchr(half.s, ':', (size_t)(end - half.s));
	return colon &&
	       read_tid(text_trim((struct slice){ colon + 1, (size_t)(end - colon - 1) }), ret);
}

static bool read_switch(struct slice text, uint32_t *ret_prev, uint32_t *ret_next)
{
	const char *arrow = text.len ? memmem(text.s, text.len, " ==> ", 5) : NULL;
	struct slice next;

	if (read_tid(field(text, " prev_pid="), ret_prev) &&
	    read_tid(field(text, " next_pid="), ret_next))
		return true;
	if (!arrow)
		return false;
	next = (struct slice){ arrow + 5, text.len - (size_t)(arrow + 5 - text.s) };
	return read_plugin_tid((struct slice){ text.s, (size_t)(arrow - text.s) }, ret_prev) &&
	       read_plugin_tid(next, ret_next);
}

static struct sleeper *sleeper_of(struct sched_reader *r, uint32_t tid)
{
	bool added;
	uint64_t *place = map_add(&r->ids, tid, &added);

	if (added) {
		*place = r->sleepers.count;
		vec_push(&r->sleepers, ((struct sleeper){ .asleep = false }));
	}
	return &r->sleepers.item[*place];
}

/* `more` from its leaf to its root, or the other way, on top of `stack`. */
static stack_id push_all(struct sched_reader *r, stack_id stack, stack_id more, bool leaf_first)
{
	r->path.count = 0;
	for (; more.v; more = r->profile->nodes.item[more.v].parent)
		vec_push(&r->path, r->profile->nodes.item[more.v].frame);
	for (size_t i = 0; i < r->path.count && r->profile->nodes.item[stack.v].depth < MAX_CHAIN;
	     i++)
		stack = profile_stack_push(r->profile, stack,
					   r->path.item[leaf_first ? i : r->path.count - 1 - i]);
	return stack;
}

static frame_id waker_frame(struct sched_reader *r, const struct script_header *header)
{
	struct buf name = { 0 };
	frame_id ret;

	(void)buf_append(&name, header->comm.s, header->comm.len);
	for (size_t i = 0; i < name.len; i++) /* as in the root frame */
		if (name.data[i] == ' ')
			name.data[i] = '_';
	if (r->options->waker_tids)
		(void)buf_printf(&name, "-%u", header->tid);
	ret = text_frame(r->profile, (struct slice){ name.data, name.len });
	buf_done(&name);
	return ret;
}

/* The thread of the header woke the sleeper; if it was itself woken during that wait, its waker is
 * appended as well. */
static void wake(struct sched_reader *r, uint32_t tid, const struct script_header *header,
		 stack_id stack)
{
	struct sleeper waker = *sleeper_of(r, header->tid), *sleeper = sleeper_of(r, tid);
	static const struct frame separator = { .kind = FRAME_SEPARATOR };
	struct frame between = separator;

	if (!r->options->wakers || !sleeper->asleep || sleeper->waker_known)
		return;
	sleeper->waker_known = true;
	sleeper->woken_ns = header->time_ns;
	sleeper->stack = push_all(r, sleeper->stack, stack, true);
	sleeper->stack = profile_stack_push(r->profile, sleeper->stack, waker_frame(r, header));
	if (r->options->wakers != FORMAT_WAKERS_ALL || !waker.chain.v ||
	    waker.woken_ns < sleeper->since_ns)
		return;
	between.function = strtab_puts(r->profile->strings, "-");
	sleeper->stack =
		profile_stack_push(r->profile, sleeper->stack, profile_frame(r->profile, &between));
	sleeper->stack = push_all(r, sleeper->stack, waker.chain, false);
}

static void end_wait(struct sched_reader *r, struct sleeper *sleeper, uint64_t time_ns,
		     uint64_t weight)
{
	sleeper->asleep = false;
	sleeper->chain = sleeper->stack;
	if (weight)
		profile_add(r->profile,
			    &(struct profile_sample){
				    .stack = profile_stack_or_unknown(r->profile, sleeper->stack),
				    .thread = sleeper->thread,
				    .event = r->event,
				    .cpu = PROFILE_NO_CPU,
				    .time_ns = time_ns,
				    .weight = weight,
				    .count = 1 });
}

static bool take_switch(struct sched_reader *r, const struct script_header *header, stack_id stack)
{
	struct strtab *strings = r->profile->strings;
	uint32_t prev, next;
	struct sleeper *sleeper;
	string_id comm;

	if (!read_switch(header->rest, &prev, &next))
		return false;
	sleeper = sleeper_of(r, next);
	if (!r->stats && sleeper->asleep)
		end_wait(r, sleeper, header->time_ns,
			 header->time_ns > sleeper->since_ns ? header->time_ns - sleeper->since_ns
							     : 0);
	if (prev == 0) /* an idle CPU waits for nothing */
		return true;
	comm = strtab_intern(strings, header->comm.s, header->comm.len);
	*sleeper_of(r, prev) = (struct sleeper){
		.asleep = true,
		.stack = stack,
		.since_ns = header->time_ns,
		.thread = profile_thread(r->profile,
					 prev == header->tid ? header->pid : PROFILE_NO_ID, prev,
					 strtab_get(strings, comm)),
	};
	return true;
}

static bool is_event(const struct script_header *header, const char *name)
{
	struct slice event = header->event;
	const char *colon = event.len ? memrchr(event.s, ':', event.len) : NULL;

	if (colon)
		event = (struct slice){ colon + 1, event.len - (size_t)(colon + 1 - event.s) };
	return event.len == strlen(name) && memcmp(event.s, name, event.len) == 0;
}

static bool is_stat(const struct script_header *header)
{
	return is_event(header, "sched_stat_sleep") || is_event(header, "sched_stat_blocked");
}

static bool take_event(struct sched_reader *r, const struct script_header *header, stack_id stack)
{
	uint64_t delay;
	uint32_t tid;

	if (is_event(header, "sched_switch"))
		return take_switch(r, header, stack);
	if (!is_stat(header) && !is_event(header, "sched_waking") &&
	    !is_event(header, "sched_wakeup"))
		return text_starts(header->event, "sched:"); /* says nothing about waits */
	if (!read_tid(field(header->rest, " pid="), &tid))
		return false;
	wake(r, tid, header, stack);
	if (!is_stat(header))
		return true;
	if (!text_number(field(header->rest, " delay="), 1, &delay) ||
	    !sleeper_of(r, tid)->asleep) /* perf prints some of them twice */
		return false;
	end_wait(r, sleeper_of(r, tid), header->time_ns, delay);
	return true;
}

static void finish_event(struct sched_reader *r, const struct script_header *header)
{
	stack_id stack = STACK_EMPTY;

	if (header->event.len && r->body.count)
		stack = script_stacks_lines(r->stacks, r->body.item, r->body.count,
					    &r->profile->meta.unknown_records);
	if (header->event.len)
		r->profile->meta.unknown_records += !take_event(r, header, stack);
	r->body.count = 0;
}

static bool starts_event(struct slice line, struct script_header *ret)
{
	struct script_header header;

	if (!line.len || line.s[0] == '\t' || line.s[0] == '#' ||
	    !script_header_parse(line, true, &header) || !header.event.len)
		return false;
	*ret = header;
	return true;
}

/* A thread's stack is that of the sched_switch with which it left the CPU; options->wakers adds
 * wakers on top. Events that do not belong to a wait, and waits without a beginning in the text,
 * are counted in meta.unknown_records. */
static int perf_sched_read(struct input *input, const struct format_read_options *options,
			   struct profile *profile, struct err *err)
{
	struct sched_reader r = { .profile = profile, .options = options };
	struct script_header header = { 0 }, next;
	struct slice text, line;
	const uint8_t *data;
	int code = input_map(input, &data, &text.len, err);

	if (code)
		return code;
	text.s = (const char *)data;
	r.stats = text_has(text, "sched_stat_sleep: ") || text_has(text, "sched_stat_blocked: ");
	r.stacks = script_stacks_new(profile);
	r.event = profile_event(profile, "off-cpu", "ns");
	while (text_line(&text, &line)) {
		if (!text_trim(line).len || starts_event(line, &next)) {
			finish_event(&r, &header);
			header = text_trim(line).len ? next : (struct script_header){ 0 };
		} else if (header.event.len) {
			vec_push(&r.body, line);
		} else {
			profile->meta.unknown_records += line.s[0] != '#';
		}
	}
	finish_event(&r, &header);
	script_stacks_free(r.stacks);
	map_done(&r.ids);
	vec_done(&r.sleepers);
	vec_done(&r.body);
	vec_done(&r.path);
	return 0;
}

/* Certain for text with sched_stat_sleep or sched_stat_blocked and scheduler events only: the
 * input of FlameGraph's stackcollapse-perf-sched.awk. */
static int perf_sched_sniff(const uint8_t *head, size_t len)
{
	struct slice text = { (const char *)head, len }, line;
	struct script_header header;
	bool stat = false, first = true;

	if (!text_has(text, "sched_stat_sleep: ") && !text_has(text, "sched_stat_blocked: "))
		return 0;
	while (text_line(&text, &line)) {
		bool event = text.len && starts_event(line, &header); /* the last line may be cut */

		if (first && !event && text_trim(line).len && line.s[0] != '#')
			return 0; /* bytes of another format that contains such text */
		first &= !event;
		if (!event)
			continue;
		if (!memmem(header.event.s, header.event.len, "sched_", 6))
			return 0;
		stat |= is_stat(&header);
	}
	return stat ? 3 : 0;
}

const struct format_ops format_perf_sched = {
	.name = "perf-sched",
	.help = "perf script text with scheduler events, read as off-CPU time",
	.sniff = perf_sched_sniff,
	.read = perf_sched_read,
	.waits = &format_perf_sched,
};
