/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller as text (see syscall_callers_view.h): a line of numbers for each call and
 * stack, the stack below it with the innermost function first. */
#include <inttypes.h>

#include "base/buf.h"
#include "view/syscall/syscall_callers_view.h"

static void put_ms(struct buf *out, uint64_t ns)
{
	(void)buf_printf(out, " %10.3f", (double)ns / 1e6);
}

/* Percentiles have two digits: they are known to a step of the histogram. */
static void put_about(struct buf *out, uint64_t ns)
{
	uint64_t unit = 1;

	while (ns / unit >= 100)
		unit *= 10;
	(void)buf_printf(out, " %10.2f", (double)((ns + unit / 2) / unit * unit) / 1e3);
}

/* "disk 1.204, pipe 0.020": what it waited for, by the ledger's names. */
static void put_reasons(struct buf *out, const uint64_t ns[LEDGER_ACCOUNTS])
{
	const char *before = "  ";

	for (int i = LEDGER_LOCK; i < LEDGER_ACCOUNTS; i++)
		if (ns[i]) {
			(void)buf_printf(out, "%s%s %.3f", before,
					 ledger_reason_name((enum ledger_account)i),
					 (double)ns[i] / 1e6);
			before = ", ";
		}
}

static void put_times(struct buf *out, const uint64_t ns[LEDGER_ACCOUNTS])
{
	put_ms(out, syscall_state_ns(ns, LEDGER_STATE_RUNNING_KERNEL));
	put_ms(out, syscall_state_ns(ns, LEDGER_STATE_RUNNABLE));
	put_ms(out, syscall_state_ns(ns, LEDGER_STATE_BLOCKED));
	put_ms(out, syscall_state_ns(ns, LEDGER_STATE_IDLE));
}

static void put_stack(const struct profile *profile, const struct syscall_caller *row,
		      struct buf *out)
{
	for (stack_id at = row->stack; at.v; at = profile->nodes.item[at.v].parent) {
		const struct frame *frame =
			&profile->frames.item[profile->nodes.item[at.v].frame.v];
		const char *name = profile_string(profile, frame->function);
		const struct profile_module *module = &profile->modules.item[frame->module];

		(void)buf_puts(out, "       ");
		(void)buf_put_tidy(out, name[0] ? name : "[unknown]");
		(void)buf_puts(out, " (");
		(void)buf_put_tidy(out, profile_string(profile, module->name));
		(void)buf_puts(out, frame->inlined ? ", inlined)\n" : ")\n");
	}
	if (row->stop != STACK_STOP_ROOT)
		(void)buf_printf(out, "       [%s]\n", stack_stop_text(row->stop));
}

static void put_row(const struct syscall_callers_view *view, const struct syscall_caller *row,
		    struct buf *out)
{
	(void)buf_printf(out, "   %-18s %9" PRIu64, row->name, row->calls);
	put_times(out, row->ns);
	put_about(out, row->p50_ns);
	put_about(out, row->p99_ns);
	put_reasons(out, row->ns);
	(void)buf_putc(out, '\n');
	put_stack(view->profile, row, out);
	(void)buf_putc(out, '\n');
}

static void put_heading(struct buf *out)
{
	(void)buf_puts(out, "\n System calls by caller:\n\n"
			    "   syscall                calls        cpu   runnable    blocked"
			    "       idle        p50        p99  waits for\n"
			    "                                    (msec)     (msec)     (msec)"
			    "     (msec)     (usec)     (usec)  (msec)\n"
			    "   ------------------ --------- ---------- ---------- ----------"
			    " ---------- ---------- ----------  ---------\n");
}

void syscall_callers_text(const struct syscall_callers_view *view, struct buf *out)
{
	const struct syscall_callers *callers = view->callers;
	size_t rows = view->rows && view->rows < callers->row.count ? view->rows
								    : callers->row.count;

	put_heading(out);
	for (size_t i = 0; i < rows; i++)
		put_row(view, &callers->row.item[i], out);
	if (rows < callers->row.count)
		(void)buf_printf(out, "   %zu more callers are in the sum below\n\n",
				 callers->row.count - rows);
	(void)buf_printf(out, "   %-18s %9" PRIu64, "sum", callers->calls);
	put_times(out, callers->ns);
	(void)buf_pad(out, ' ', 22);
	put_reasons(out, callers->ns);
	(void)buf_puts(out, "\n\n");
	if (callers->whole < callers->calls)
		(void)buf_printf(out, " %" PRIu64 " calls have a stack that is not whole\n",
				 callers->calls - callers->whole);
	if (view->lost)
		(void)buf_printf(out, " %" PRIu64 " calls found no room and are missing above\n",
				 view->lost);
}
