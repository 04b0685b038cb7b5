/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller as JSON (see syscall_callers_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "view/ledger/ledger_view.h"
#include "view/state_kind.h"
#include "view/syscall/syscall_callers_view.h"

static void put(struct buf *out, const char *name, uint64_t value)
{
	(void)buf_printf(out, ", \"%s\": %" PRIu64, name, value);
}

static const char *state_name(int account)
{
	return account == LEDGER_RUNNING
		       ? "running: kernel"
		       : state_kinds[ledger_state_kind((enum ledger_account)account)].name;
}

static void put_times(struct buf *out, const uint64_t ns[LEDGER_ACCOUNTS])
{
	const char *before = "";

	put(out, "cpu_ns", syscall_state_ns(ns, LEDGER_STATE_RUNNING_KERNEL));
	put(out, "runnable_ns", syscall_state_ns(ns, LEDGER_STATE_RUNNABLE));
	put(out, "blocked_ns", syscall_state_ns(ns, LEDGER_STATE_BLOCKED));
	put(out, "idle_ns", syscall_state_ns(ns, LEDGER_STATE_IDLE));
	(void)buf_puts(out, ", \"by_state\": {");
	for (int i = 0; i < LEDGER_ACCOUNTS; i++)
		if (ns[i]) {
			(void)buf_printf(out, "%s \"%s\": %" PRIu64, before, state_name(i), ns[i]);
			before = ",";
		}
	(void)buf_puts(out, *before ? " }" : "}");
}

static void put_stack(const struct profile *profile, stack_id stack, struct buf *out)
{
	(void)buf_puts(out, ", \"stack\": [");
	for (stack_id at = stack; at.v; at = profile->nodes.item[at.v].parent) {
		const struct frame *frame =
			&profile->frames.item[profile->nodes.item[at.v].frame.v];
		const struct profile_module *module = &profile->modules.item[frame->module];

		(void)buf_puts(out, at.v == stack.v ? " { \"function\": " : ", { \"function\": ");
		(void)buf_put_json(out, profile_string(profile, frame->function));
		(void)buf_puts(out, ", \"module\": ");
		(void)buf_put_json(out, profile_string(profile, module->name));
		(void)buf_puts(out, frame->inlined ? ", \"inlined\": true }" : " }");
	}
	(void)buf_puts(out, stack.v ? " ]" : "]");
}

static void put_row(const struct syscall_callers_view *view, const struct syscall_caller *row,
		    struct buf *out)
{
	(void)buf_puts(out, "    { \"name\": ");
	(void)buf_put_json(out, row->name);
	put(out, "number", row->call & ~SYSCALL_COMPAT_BIT);
	put(out, "calls", row->calls);
	put_times(out, row->ns);
	put(out, "p50_ns", row->p50_ns);
	put(out, "p99_ns", row->p99_ns);
	(void)buf_printf(out, ", \"stopped\": \"%s\"", stack_stop_name(row->stop));
	put_stack(view->profile, row->stack, out);
	(void)buf_puts(out, " }");
}

void syscall_callers_json(const struct syscall_callers_view *view, struct buf *out)
{
	const struct syscall_callers *callers = view->callers;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_putc(out, ']');
	put(out, "duration_ns", view->duration_ns);
	put(out, "calls", callers->calls);
	put(out, "whole_stacks", callers->whole);
	put(out, "lost_calls", view->lost);
	put_times(out, callers->ns);
	(void)buf_puts(out, ",\n  \"callers\": [");
	for (size_t i = 0; i < callers->row.count; i++) {
		(void)buf_puts(out, i ? ",\n" : "\n");
		put_row(view, &callers->row.item[i], out);
	}
	(void)buf_puts(out, " ] }\n");
}
