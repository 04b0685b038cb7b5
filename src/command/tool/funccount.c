/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel funccount: how often functions are called, static probes and tracepoints passed. */
#include "command/command.h"
#include "command/tool/probe_tool.h"
#include "view/probe/function_counts.h"

static int set_up(struct tool_run *run, struct option_words words, struct err *err)
{
	((struct probe_tool_run *)run)->kernel = true;
	return probe_tool_set_up(run, words, err);
}

static void print(const struct tool_run *run, struct buf *out)
{
	const struct probe_tool_run *self = (const struct probe_tool_run *)run;
	const struct tool_options *options = run->options;
	const struct function_counts shown = { self->set.choice.names.item,
					       run->interval.prints ? run->fresh : run->all,
					       run->cells };

	(options->json ? function_counts_json : function_counts_text)(&shown, out);
}

static const struct tool funccount = {
	.source = "probe_counts",
	.state_size = sizeof(struct probe_tool_run),
	.own_words = true,
	.map = { .thing = "calls" },
	.set_up = set_up,
	.put_head = probe_tool_head,
	.print = print,
	.done = probe_tool_done,
};

TOOL_COMMAND(funccount, tool_main, &funccount, .args = "[options] PROBE... [-- program arguments]",
	     .summary = "count calls of functions, static probes and tracepoints",
	     .options = probe_tool_rows, .options_size = sizeof(struct probe_tool_options),
	     .keeps_dashes = true);
