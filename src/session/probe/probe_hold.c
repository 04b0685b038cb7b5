/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_hold.h. */
#include "session/probe/probe_hold.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "session/probe/probe_define.h"
#include "session/probe/tracefs_events.h"
#include "session/run.h"

void probe_hold_add(struct probe_hold *hold, const struct probe_defined *defined)
{
	struct record_selector item = { 0 };
	struct buf text = { 0 };

	(void)buf_printf(&text, "%s=%s", defined->name.data, defined->spec.data);
	vec_push(&hold->text, mem_strdup(text.data));
	item.text = *vec_last(&hold->text);
	vec_push(&hold->source.selector, item);
	buf_done(&text);
}

static int run_until_end(struct run *run, char **argv, struct err *err)
{
	int code = run_fork(run, argv, false, err);

	return code ? code : run_watch(run, err);
}

int probe_hold_run(struct probe_hold *hold, char **argv, struct err *err)
{
	struct source_options source = hold->source;
	struct tracefs_events events = { 0 };
	struct run run;
	int code = run_open(&run, err);

	source.tracefs = true;
	if (!code)
		code = tracefs_events_make(&events, &source, err);
	if (!code) {
		hold->made(hold->context, events.set.notes.data);
		code = run_until_end(&run, argv, err);
	}
	hold->launched = run.launched;
	hold->exit_status = run.exit_status;
	run_close(&run);
	hold->in_use = !tracefs_events_close(&events);
	return code;
}

void probe_hold_done(struct probe_hold *hold)
{
	for (size_t i = 0; i < hold->text.count; i++)
		free(hold->text.item[i]);
	vec_done(&hold->text);
	vec_done(&hold->source.selector);
}
