/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See heap_calls_watch.h. */
#include "session/heap/heap_calls_watch.h"

#include <errno.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "profile/heap/heap_calls.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/probe/probe_set.h"
#include "session/record/recorder.h"
#include "session/record/recording_options.h"

#define INTERVAL_NS 200000000u

/* In the order of enum heap_calls_value. */
static const struct load_values values[] = {
	{ NULL, { "arg1", "arg2", "retval" } },
};

static const struct {
	const char *name, *values;
	bool returns;
} calls[] = {
#define X(id, name, values, returns) { name, values, returns },
	HEAP_CALLS(X)
#undef X
};

void heap_calls_load(struct load_options *load)
{
	load->keep = PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_VALUES;
	load->values = values;
	load->heap = NULL;
}

static void add(struct arena *arena, struct recording_options *options, struct buf *text)
{
	vec_push(&options->source.selector,
		 ((struct record_selector){ .text = arena_strdup(arena, text->data) }));
	buf_clear(text);
}

static bool has_function(const char *place, int pid, bool returns)
{
	const struct probe_set_options options = { .pid = pid, .returns = returns };
	struct probe_set set = { 0 };
	struct err ignored = { 0 };
	int code = probe_set_find(&set, &place, 1, &options, &ignored);

	probe_set_done(&set);
	return !code;
}

/* malloc is required: placing its probe fails, with the reason, where it is missing. */
unsigned heap_calls_find(const char *file, int pid, struct buf *left_out)
{
	unsigned found = 1u << HEAP_CALL_MALLOC;
	struct buf text = { 0 };

	for (unsigned i = 0; i < HEAP_CALL_COUNT; i++) {
		buf_clear(&text);
		(void)buf_printf(&text, "%s:%s", file, calls[i].name);
		if (found >> i & 1)
			continue;
		if (has_function(text.data, pid, calls[i].returns))
			found |= 1u << i;
		else if (calls[i].returns && has_function(text.data, pid, false))
			(void)buf_printf(left_out, "%s%s", left_out->len ? ", " : "",
					 calls[i].name);
	}
	buf_done(&text);
	return found;
}

void heap_calls_select(const char *file, unsigned found, struct arena *arena,
		       struct recording_options *options)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!(found >> i & 1))
			continue;
		(void)buf_printf(&text, "probe:%s:%s %s", file, calls[i].name, calls[i].values);
		add(arena, options, &text);
		if (!calls[i].returns)
			continue;
		(void)buf_printf(&text, "uretprobe:%s:%s $retval", file, calls[i].name);
		add(arena, options, &text);
	}
	buf_done(&text);
	options->source.period = 1;
	options->source.raw = true;
	options->source.call_graph.given = true;
}

/* Timers may be late, so the time is measured. */
static int look(void *context, struct err *err)
{
	struct heap_calls_guard *guard = context;
	uint64_t samples = session_record_taken(guard->run), now = clock_ns(CLOCK_MONOTONIC);
	uint64_t passed = now - guard->since_ns;

	(void)err;
	if (guard->since_ns && passed) {
		double hz = (double)(samples - guard->samples) * 1e9 / (double)passed;

		if (hz > HEAP_CALLS_MOST_HZ) {
			guard->hz = (uint64_t)hz;
			run_finish(guard->run, RUN_ENOUGH);
		}
	}
	guard->since_ns = now;
	guard->samples = samples;
	return 0;
}

void heap_calls_attend(struct heap_calls_guard *guard, struct run *run)
{
	guard->run = run;
	guard->timer =
		(struct run_timer){ .interval_ns = INTERVAL_NS, .due = look, .context = guard };
	run_add_timer(run, &guard->timer);
}

int heap_calls_check(const struct heap_calls_guard *guard, const char *file, struct err *err)
{
	if (!guard->hz)
		return 0;
	(void)err_set(err, -EBUSY,
		      "--probes: %s: %" PRIu64
		      " hits a second, more than %u: probes would slow the "
		      "program down",
		      file, guard->hz, HEAP_CALLS_MOST_HZ);
	return err_hint(err, "it goes on without them; where its memory grows: cupel heap --maps");
}
