/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects ledgers during a run (see ledger_watch.h): a source for the ledgers, one for the
 * machine, and a sink for their data. */
#include "session/ledger_watch.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "session/lock/lock_seen.h"
#include "session/lock/wait_codes.h"
#include "session/run.h"
#include "source/ledger/block_device.h"
#include "source/ledger/ledger_source.h"
#include "source/source.h"

struct watch {
	struct sink sink; /* first */
	const struct ledger_watch_options *options;
	struct ledger_watch_result *result;
	struct run run;
	struct source *ledger, *machine, *mappings;
	struct source_options follow; /* of mappings */
	struct lock_seen *locks;
	struct wait_codes *codes;
};

static void look_at_code(struct watch *watch, const struct ledger_code *question)
{
	struct wait_code code;

	wait_codes_find(watch->codes, question, &code);
	ledger_source_answer(watch->ledger, question, &code);
}

static int collect(struct sink *sink, const struct event *event, struct err *err)
{
	struct ledger_watch_result *result = ((struct watch *)sink)->result;

	(void)err;
	if (event->type == EVENT_LEDGER_THREAD) {
		vec_push(&result->ledger.thread, *event->ledger_thread);
	} else if (event->type == EVENT_LEDGER_EDGE) {
		const struct ledger_link link = { .key = *event->ledger_edge.key,
						  .edge = *event->ledger_edge.edge };

		vec_push(&result->ledger.link, link);
	} else if (event->type == EVENT_LEDGER_SPAN) {
		ledger_slices_add(&result->slices, event->ledger_span);
	} else if (event->type == EVENT_LEDGER_LOCK) {
		lock_seen_add(((struct watch *)sink)->locks, event->ledger_lock);
	} else if (event->type == EVENT_LEDGER_CODE) {
		look_at_code((struct watch *)sink, event->ledger_code);
	} else if (event->type == EVENT_LEDGER_COUNTS) {
		result->ledger.counts = *event->ledger_counts;
	} else if (event->type == EVENT_MACHINE) {
		machine_series_add(&result->machine, event->machine);
		*event->machine = (struct machine_sample){ 0 };
	}
	return 0;
}

static void copy(const struct buf *from, char *to, size_t size)
{
	(void)snprintf(to, size, "%s", from->data ? from->data : "");
}

/* Resolves the names of devices now; they may be gone when the ledger is read. */
static void name_devices(struct ledger *ledger)
{
	struct buf name = { 0 }, about = { 0 };

	for (size_t i = 0; i < ledger->link.count; i++) {
		struct ledger_device device = { .device = ledger->link.item[i].key.device };

		if (!device.device || ledger_device_find(ledger, device.device))
			continue;
		buf_clear(&name);
		buf_clear(&about);
		block_device_name("", device.device, &name, &about);
		copy(&name, device.name, sizeof(device.name));
		copy(&about, device.about, sizeof(device.about));
		vec_push(&ledger->device, device);
	}
	buf_done(&name);
	buf_done(&about);
}

static int open_source(struct watch *watch, const char *name, const struct source_options *options,
		       struct source **ret, struct err *err)
{
	int code = source_find(name)->open(ret, options, err);

	if (!code)
		run_add_source(&watch->run, *ret, &watch->sink);
	return code;
}

/* A program may be over before its locks are looked at: the kernel reports what is mapped, by all
 * processes, as events that follow a program would cost it at each switch. Without that the
 * mappings are read when a lock is seen. */
static void follow_mappings(struct watch *watch)
{
	struct source_options *options = &watch->follow;
	struct err ignored = { 0 };

	options->budget.none = true;
	options->system_wide = true;
	vec_push(&options->selector, ((struct record_selector){ .text = "dummy" }));
	if (!source_find("perf_event")->open(&watch->mappings, options, &ignored))
		run_add_source(&watch->run, watch->mappings,
			       lock_seen_follow(watch->locks, watch->mappings));
}

static int prepare(struct watch *watch, char **argv, struct err *err)
{
	const struct ledger_watch_options *options = watch->options;
	struct source_options source = options->source;
	int code = run_fork(&watch->run, argv, false, err);

	source.program = watch->run.program.pid;
	if (!code)
		code = open_source(watch, "ledger", &source, &watch->ledger, err);
	if (!code && argv)
		follow_mappings(watch);
	if (!code && options->machine)
		code = open_source(watch, "machine", &source, &watch->machine, err);
	if (!code && !source.system_wide && !argv)
		code = run_add_targets(&watch->run, source.pids, NULL, err);
	watch->run.duration_ns = options->duration_ns;
	return code;
}

static void finish(struct watch *watch)
{
	struct ledger_watch_result *result = watch->result;

	result->ledger.start_ns = watch->ledger->start_ns;
	result->ledger.end_ns = watch->ledger->end_ns;
	name_devices(&result->ledger);
	lock_seen_name(watch->locks, &result->ledger);
	ledger_finish(&result->ledger);
	if (watch->options->source.ledger.spans)
		ledger_slices_finish(&result->slices, &result->ledger);
}

int ledger_watch(const struct ledger_watch_options *options, char **argv,
		 struct ledger_watch_result *ret, struct err *err)
{
	struct watch watch = { .sink.event = collect, .options = options, .result = ret };
	int code;

	memset(ret, 0, sizeof(*ret));
	watch.locks = lock_seen_new();
	code = run_open(&watch.run, err);
	if (!code)
		code = wait_codes_start(&watch.codes, err);
	if (!code)
		code = prepare(&watch, argv, err);
	if (!code)
		code = run_watch(&watch.run, err);
	if (!code)
		finish(&watch);
	ret->launched = watch.run.launched;
	ret->exit_status = watch.run.exit_status;
	run_close(&watch.run);
	source_close(watch.ledger);
	source_close(watch.machine);
	source_close(watch.mappings);
	vec_done(&watch.follow.selector);
	lock_seen_free(watch.locks);
	wait_codes_free(watch.codes);
	return code;
}

void ledger_watch_result_done(struct ledger_watch_result *result)
{
	ledger_done(&result->ledger);
	ledger_slices_done(&result->slices);
	machine_series_done(&result->machine);
}
