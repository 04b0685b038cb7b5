/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints views of what only a live kernel can give, made of scenes that are written down: golden
 * cases with a file `program` that names this program give it the view to print. */
#include <stdio.h>
#include <string.h>

#include "../unit/ledger_scene.h"
#include "base/buf.h"
#include "profile/ledger/ledger_slices.h"
#include "profile/profile.h"
#include "profile/waits/waits.h"
#include "view/ledger/ledger_timeline.h"
#include "view/ledger/ledger_view.h"
#include "view/wait_stacks.h"

static void print_ledger(const char *view, struct buf *out)
{
	struct ledger_view_options options = { .max_rows = 20 };
	struct ledger ledger;

	ledger_scene(&ledger);
	if (!strcmp(view, "process"))
		options.rows = LEDGER_ROWS_PROCESS;
	if (!strcmp(view, "name"))
		options.rows = LEDGER_ROWS_NAME;
	if (!strcmp(view, "json"))
		ledger_json(&ledger, NULL, out);
	else
		ledger_text(&ledger, &options, out);
	ledger_done(&ledger);
}

/* The reader runs and waits for the disk by turns, then for the writer. */
static void reader_slices(struct ledger_slices *slices)
{
	struct ledger_span span = { .key = { .waiter_tid = 11 }, .start_ns = 1000 };
	struct ledger_edge_key disk = { .waiter_tid = 11,
					.other_tid = 4,
					.device = 253 << LEDGER_MINOR_BITS,
					.relation = LEDGER_WOKEN_BY,
					.waker = LEDGER_WAKER_SOFTIRQ,
					.account = LEDGER_DISK };

	for (int i = 0; i < 4; i++) {
		span.key = (struct ledger_edge_key){ .waiter_tid = 11, .account = LEDGER_RUNNING };
		span.ns = 50000;
		ledger_slices_add(slices, &span);
		span.start_ns += span.ns;
		span.key = disk;
		span.ns = 125000;
		ledger_slices_add(slices, &span);
		span.start_ns += span.ns;
	}
	span.key = (struct ledger_edge_key){
		.waiter_tid = 11, .other_tid = 12, .account = LEDGER_LOCK, .lock = 0xabc
	};
	span.ns = 300000;
	ledger_slices_add(slices, &span);
}

static void print_timeline(struct buf *out)
{
	struct ledger_slices slices = { 0 };
	struct timeline timeline;
	struct ledger ledger;

	ledger_scene(&ledger);
	reader_slices(&slices);
	ledger_slices_finish(&slices, &ledger);
	ledger_timeline(&slices, &ledger, &timeline);
	timeline.title = "a scene";
	timeline.about = "written down";
	timeline_chrome_trace(&timeline, out);
	ledger_timeline_done(&timeline);
	ledger_slices_done(&slices);
	ledger_done(&ledger);
}

static void add_wait(struct profile *p, const char *event, const char *const *function,
		     struct profile_sample sample)
{
	sample.event = profile_event(p, event, "ns");
	sample.count = 1;
	for (; *function; function++) {
		struct frame frame = {
			.function = strtab_intern(p->strings, *function, strlen(*function)),
			.kind = strstr(*function, "sche") || strstr(*function, "wake")
					? FRAME_KERNEL
					: FRAME_USER
		};

		sample.stack = profile_stack_push(p, sample.stack, profile_frame(p, &frame));
	}
	profile_add(p, &sample);
}

static void print_waits(enum waits_by by, bool folded, struct buf *out)
{
	static const char *const asleep[] = { "main", "take", "schedule", NULL };
	static const char *const wakes[] = { "main", "give", "try_to_wake_up", NULL };
	struct wait_stacks_options options = { .folded = folded, .delimited = true };
	struct waits_selection selection = { by, NULL };
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	thread_id reader = profile_thread(p, 10, 11, "reader");
	thread_id writer = profile_thread(p, 10, 12, "writer");
	struct waits waits;

	for (uint64_t at = 1; at <= 3; at++) {
		add_wait(p, "wakeup-time", wakes,
			 (struct profile_sample){ .thread = writer,
						  .time_ns = at * 1000000,
						  .weight = at * 100000 });
		add_wait(p, "offcpu-time", asleep,
			 (struct profile_sample){ .thread = reader,
						  .time_ns = at * 1000000,
						  .weight = at * 100000 });
	}
	add_wait(p, "offcpu-time", asleep + 1, /* without a recorded end */
		 (struct profile_sample){ .thread = writer, .time_ns = 9000000, .weight = 70000 });
	waits_collect(p, &selection, &waits);
	wait_stacks_text(p, &waits, &options, out);
	waits_done(&waits);
	profile_free(p);
}

int main(int argc, char **argv)
{
	const char *view = argc > 1 ? argv[1] : "";
	const char *how = argc > 2 ? argv[2] : "";
	bool folded = !strcmp(how, "folded");
	struct buf out = { 0 };

	if (!strcmp(view, "ledger"))
		print_ledger(how, &out);
	else if (!strcmp(view, "timeline"))
		print_timeline(&out);
	else if (!strcmp(view, "offcputime"))
		print_waits(WAITS_BY_SLEEPER, folded, &out);
	else if (!strcmp(view, "wakeuptime"))
		print_waits(WAITS_BY_WAKER, folded, &out);
	else if (!strcmp(view, "offwaketime"))
		print_waits(WAITS_BY_BOTH, folded, &out);
	else
		return 2;
	(void)fwrite(out.data, 1, out.len, stdout); /* what is missing fails the case */
	buf_done(&out);
	return 0;
}
