/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work of the kernel as text and JSON (see kwork_view.h). */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "profile/kwork.h"
#include "profile/profile.h"
#include "view/kwork_view.h"

#define NAME_WIDTH 30
#define RULE_WIDTH 128
#define BAR_WIDTH  30

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* perf cuts microseconds off. */
static double seconds(uint64_t ns)
{
	return (double)(ns / 1000) / 1e6;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *name_of(const struct kwork_view *view, const struct kwork_row *row)
{
	return profile_string(view->profile, row->name);
}

static void put_rule(struct buf *out)
{
	(void)buf_putc(out, ' ');
	(void)buf_pad(out, '-', RULE_WIDTH);
	(void)buf_putc(out, '\n');
}

static void put_name(const struct kwork_view *view, const struct kwork_row *row, struct buf *out)
{
	struct buf name = { 0 };

	(void)buf_put_tidy(&name, name_of(view, row));
	(void)buf_printf(out, "%-*.*s", NAME_WIDTH, NAME_WIDTH, name.data ? name.data : "");
	buf_done(&name);
}

static void put_table(const struct kwork_view *view, bool delays, struct buf *out)
{
	(void)buf_printf(
		out, "\n  %-*s | Cpu  | %-13s | Count     | Max %-9s | Max %-15s | Max %-15s |\n",
		NAME_WIDTH, "Kwork Name", delays ? "Avg delay" : "Total Runtime",
		delays ? "delay" : "runtime", delays ? "delay start" : "runtime start",
		delays ? "delay end" : "runtime end");
	put_rule(out);
	for (size_t i = 0; i < view->kwork->row.count; i++) {
		const struct kwork_row *row = &view->kwork->row.item[i];
		const struct kwork_sum *sum = delays ? &row->delay : &row->run;

		if (!sum->count)
			continue;
		(void)buf_puts(out, "  ");
		put_name(view, row, out);
		(void)buf_printf(out,
				 " | %04" PRIu32 " | %10.3f ms | %9" PRIu64
				 " | %10.3f ms | %17.6f s | %17.6f s |\n",
				 row->cpu, ms(delays ? sum->ns / sum->count : sum->ns), sum->count,
				 ms(sum->max_ns), seconds(sum->max_start_ns),
				 seconds(sum->max_end_ns));
	}
	put_rule(out);
}

void kwork_report_text(const struct kwork_view *view, struct buf *out)
{
	const struct kwork *kwork = view->kwork;
	uint64_t count = 0, ns = 0, span_ns = kwork->last_ns - kwork->first_ns;

	put_table(view, false, out);
	if (view->summary) {
		for (size_t i = 0; i < kwork->row.count; i++) {
			count += kwork->row.item[i].run.count;
			ns += kwork->row.item[i].run.ns;
		}
		(void)buf_printf(out, "  Total count            : %9" PRIu64 "\n", count);
		(void)buf_printf(out, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n",
				 ms(ns), percent(ns, span_ns));
		(void)buf_printf(out, "  Total time span (msec) : %9.3f\n", ms(span_ns));
		put_rule(out);
	}
	(void)buf_putc(out, '\n');
}

void kwork_latency_text(const struct kwork_view *view, struct buf *out)
{
	put_table(view, true, out);
	(void)buf_putc(out, '\n');
}

void kwork_timehist_text(const struct kwork_view *view, struct buf *out)
{
	const struct kwork *kwork = view->kwork;

	(void)buf_printf(out, " %-17s  %-17s  %-6s  %-*s  %-10s  %-10s\n", "Runtime start",
			 "Runtime end", "Cpu", NAME_WIDTH, "Kwork name", "Runtime", "Delaytime");
	(void)buf_printf(out, " %-17s  %-17s  %-6s  %-*s  %-10s  %-10s\n", "", "", "", NAME_WIDTH,
			 "(TYPE)NAME:NUM", "(msec)", "(msec)");
	(void)buf_puts(out, " -----------------  -----------------  ------  "
			    "------------------------------  ----------  ----------\n");
	for (size_t i = 0; i < kwork->run.count; i++) {
		const struct kwork_run *run = &kwork->run.item[i];
		const struct kwork_row *row = &kwork->row.item[run->row];

		(void)buf_printf(out, " %17.6f  %17.6f  [%04" PRIu32 "]  ", seconds(run->start_ns),
				 seconds(run->end_ns), row->cpu);
		put_name(view, row, out);
		(void)buf_printf(out, "  %10.3f  ", ms(run->end_ns - run->start_ns));
		if (run->delay_ns == UINT64_MAX)
			(void)buf_printf(out, "%10s \n", "");
		else
			(void)buf_printf(out, "%10.3f \n", ms(run->delay_ns));
	}
}

static void put_bar(struct buf *out, double share)
{
	size_t filled = (size_t)(share / 100 * BAR_WIDTH + 0.5);

	filled = filled < BAR_WIDTH ? filled : BAR_WIDTH;
	(void)buf_pad(out, '|', filled);
	(void)buf_pad(out, ' ', BAR_WIDTH - filled);
}

void kwork_top_text(const struct kwork_view *view, struct buf *out)
{
	const struct kwork *kwork = view->kwork;
	uint64_t span_ns = kwork->last_ns - kwork->first_ns, all_ns, idle_ns = 0, irq_ns = 0,
		 soft_ns = 0, cpus = 0;

	for (size_t i = 0; i < kwork->cpu.count; i++) {
		const struct kwork_cpu *cpu = &kwork->cpu.item[i];

		cpus += cpu->used;
		idle_ns += cpu->idle_ns;
		irq_ns += cpu->irq_ns;
		soft_ns += cpu->softirq_ns;
	}
	all_ns = span_ns * cpus;
	(void)buf_printf(out, "\nTotal  : %11.2f ms, %" PRIu64 " cpus\n", ms(all_ns), cpus);
	if (kwork->task.count)
		(void)buf_printf(out, "%%Cpu(s): %6.2f%% id", percent(idle_ns, all_ns));
	else
		(void)buf_printf(out, "%%Cpu(s): %7s id", "-"); /* no switches: not known */
	(void)buf_printf(out, ", %6.2f%% hi, %6.2f%% si\n", percent(irq_ns, all_ns),
			 percent(soft_ns, all_ns));
	for (size_t i = 0; kwork->task.count && i < kwork->cpu.count; i++) {
		const struct kwork_cpu *cpu = &kwork->cpu.item[i];
		double load = 100 - percent(cpu->idle_ns, span_ns);

		if (!cpu->used)
			continue;
		(void)buf_printf(out, "%%Cpu%-4zu [", i);
		put_bar(out, load);
		(void)buf_printf(out, " %6.2f%%]\n", load);
	}
	(void)buf_puts(out, "\n      PID    %CPU           RUNTIME  COMMAND\n"
			    "  ----------------------------------------------------\n");
	for (size_t i = 0; i < kwork->task.count; i++) {
		const struct kwork_task *task = &kwork->task.item[i];

		if (!task->ns)
			continue;
		(void)buf_printf(out, "%9" PRIu32 "  %6.2f  %13.3f ms  ", task->tid,
				 percent(task->ns, span_ns), ms(task->ns));
		(void)buf_put_tidy(out, profile_string(view->profile, task->comm));
		(void)buf_putc(out, '\n');
	}
}

static void put_sum(const char *key, const struct kwork_sum *sum, struct buf *out)
{
	(void)buf_printf(out,
			 ", \"%s\": { \"ns\": %" PRIu64 ", \"count\": %" PRIu64
			 ", \"max_ns\": %" PRIu64 ", \"max_start_ns\": %" PRIu64 " }",
			 key, sum->ns, sum->count, sum->max_ns, sum->max_start_ns);
}

static void put_cpus_and_tasks(const struct kwork_view *view, struct buf *out)
{
	const struct kwork *kwork = view->kwork;
	const char *before = "";

	(void)buf_puts(out, " ],\n  \"cpus\": [");
	for (size_t i = 0; i < kwork->cpu.count; i++) {
		const struct kwork_cpu *cpu = &kwork->cpu.item[i];

		if (!cpu->used)
			continue;
		(void)buf_printf(out, "%s\n    { \"cpu\": %zu, \"idle_ns\": ", before, i);
		if (kwork->task.count)
			(void)buf_put_u64(out, cpu->idle_ns);
		else
			(void)buf_puts(out, "null");
		(void)buf_printf(out, ", \"irq_ns\": %" PRIu64 ", \"softirq_ns\": %" PRIu64 " }",
				 cpu->irq_ns, cpu->softirq_ns);
		before = ",";
	}
	(void)buf_puts(out, " ],\n  \"tasks\": [");
	for (size_t i = 0; i < kwork->task.count; i++) {
		const struct kwork_task *task = &kwork->task.item[i];

		(void)buf_printf(out, "%s\n    { \"tid\": %" PRIu32 ", \"comm\": ", i ? "," : "",
				 task->tid);
		(void)buf_put_json(out, profile_string(view->profile, task->comm));
		(void)buf_printf(out, ", \"ns\": %" PRIu64 " }", task->ns);
	}
	(void)buf_puts(out, " ] }\n");
}

void kwork_json(const struct kwork_view *view, struct buf *out)
{
	const struct kwork *kwork = view->kwork;

	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_printf(out,
			 "], \"first_ns\": %" PRIu64 ", \"last_ns\": %" PRIu64
			 ", \"unpaired\": %" PRIu64 ",\n  \"rows\": [",
			 kwork->first_ns, kwork->last_ns, kwork->unpaired);
	for (size_t i = 0; i < kwork->row.count; i++) {
		const struct kwork_row *row = &kwork->row.item[i];

		(void)buf_printf(out, "%s\n    { \"class\": \"%s\", \"name\": ", i ? "," : "",
				 kwork_class_name(row->class));
		(void)buf_put_json(out, name_of(view, row));
		(void)buf_printf(out, ", \"cpu\": %" PRIu32, row->cpu);
		put_sum("run", &row->run, out);
		put_sum("delay", &row->delay, out);
		(void)buf_puts(out, " }");
	}
	put_cpus_and_tasks(view, out);
}
