/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for I/O as text (see io_view.h): layers first, then what held it up, then tables. */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/io_table.h"
#include "profile/profile.h"
#include "view/io/io_view.h"
#include "view/stack_line.h"

static void put_ns(struct buf *out, uint64_t ns)
{
	double us = (double)ns / 1e3;

	if (us >= 1e6)
		(void)buf_printf(out, " %8.2f s ", us / 1e6);
	else if (us >= 1e3)
		(void)buf_printf(out, " %8.2f ms", us / 1e3);
	else
		(void)buf_printf(out, " %8.2f us", us);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* The longest layer that is shorter than the last one shown. */
static unsigned next_layer(const struct io_sum *sum, uint32_t shown)
{
	unsigned next = IO_LAYER_COUNT;

	for (unsigned i = 0; i < IO_LAYER_COUNT; i++)
		if (!(shown >> i & 1) && sum->layer_ns[i] &&
		    (next == IO_LAYER_COUNT || sum->layer_ns[i] > sum->layer_ns[next]))
			next = i;
	return next;
}

void io_put_layers(const char *what, const struct io_sum *sum, struct buf *out)
{
	const char *before = " = ";
	uint32_t shown = 0;

	(void)buf_printf(out, "%s %.3f ms", what, (double)sum->ns / 1e6);
	for (unsigned i = next_layer(sum, shown); i < IO_LAYER_COUNT; i = next_layer(sum, shown)) {
		shown |= 1u << i;
		(void)buf_printf(out, "%s%s %.3f", before, io_layer_name(i),
				 (double)sum->layer_ns[i] / 1e6);
		before = " + ";
	}
}

static const struct io_row *most_of(const struct io_table *table, enum io_by by,
				    enum io_layer layer)
{
	const struct io_row *most = NULL;

	for (size_t i = 0; i < table->row[by].count; i++) {
		const struct io_row *row = &table->row[by].item[i];

		if (!most || row->sum.layer_ns[layer] > most->sum.layer_ns[layer])
			most = row;
	}
	return most;
}

void io_put_bottleneck(const struct io_view *view, struct buf *out)
{
	const struct io_table *table = view->table;
	enum io_layer layer = io_longest_wait(&table->total);
	uint64_t ns = table->total.layer_ns[layer];
	const struct io_row *file = most_of(table, IO_BY_FILE, layer);
	const struct io_row *process = most_of(table, IO_BY_PROCESS, layer);
	const struct io_row *disk = most_of(table, IO_BY_DISK, layer);
	const struct io_row *operation = most_of(table, IO_BY_OPERATION, layer);

	if (layer == IO_LAYER_RUNNING || !ns || !file || !process || !operation)
		return;
	(void)buf_printf(out, "\nBottleneck: %.0f %% of the time in I/O is %s",
			 percent(ns, table->total.ns), io_layer_name(layer));
	if (disk && disk->sum.layer_ns[layer] &&
	    (layer == IO_LAYER_QUEUE || layer == IO_LAYER_DEVICE))
		(void)buf_printf(out, " %s", profile_string(view->profile, disk->name));
	(void)buf_printf(out, ", %.0f %% of it in %s, %.0f %% of ",
			 percent(operation->sum.layer_ns[layer], ns),
			 io_operation_name(operation->operation),
			 percent(file->sum.layer_ns[layer], ns));
	(void)buf_put_tidy(out, profile_string(view->profile, file->name));
	(void)buf_printf(out, ", %.0f %% by ", percent(process->sum.layer_ns[layer], ns));
	(void)buf_put_tidy(out, profile_string(view->profile, process->name));
	(void)buf_printf(out, "(%" PRIu32 ")\n", process->pid);
}

static void put_layer_table(const struct io_sum *total, struct buf *out)
{
	uint32_t shown = 0;

	(void)buf_puts(out, "\nWhere the time went\n        time  share  layer\n");
	for (unsigned i = next_layer(total, shown); i < IO_LAYER_COUNT;
	     i = next_layer(total, shown)) {
		shown |= 1u << i;
		put_ns(out, total->layer_ns[i]);
		(void)buf_printf(out, "  %3.0f %%  %s\n", percent(total->layer_ns[i], total->ns),
				 io_layer_name(i));
	}
}

static void put_name(const struct io_view *view, enum io_by by, const struct io_row *row,
		     struct buf *out)
{
	if (by == IO_BY_OPERATION || by == IO_BY_STACK)
		(void)buf_puts(out, io_operation_name(row->operation));
	else
		(void)buf_put_tidy(out, profile_string(view->profile, row->name));
	if (by == IO_BY_PROCESS)
		(void)buf_printf(out, "(%" PRIu32 ")", row->pid);
}

/* Those that calls moved; of a disk what its requests moved, which may be none of a stacked one. */
static void put_bytes(enum io_by by, const struct io_sum *s, struct buf *out)
{
	if (by != IO_BY_DISK)
		bytes_put((double)s->bytes, 8, out);
	else if (s->requests)
		bytes_put((double)(s->disk_read + s->disk_written), 8, out);
	else
		(void)buf_printf(out, "%12s", "-");
}

static void put_row(const struct io_view *view, enum io_by by, const struct io_row *row,
		    struct buf *out)
{
	const struct io_sum *s = &row->sum;

	put_ns(out, s->ns);
	(void)buf_printf(out, " %9" PRIu64 " ", s->count);
	put_bytes(by, s, out);
	put_ns(out, io_percentile(s, 0.5));
	put_ns(out, io_percentile(s, 0.99));
	put_ns(out, s->max_ns);
	(void)buf_printf(out, " %4.0f %% %-14s ", percent(s->sequential, s->count),
			 io_layer_name(io_longest_wait(s)));
	put_name(view, by, row, out);
	(void)buf_putc(out, '\n');
	if (by != IO_BY_STACK)
		return;
	(void)buf_puts(out, "        ");
	if (row->stack.v)
		stack_line_put(view->profile, row->stack, STACK_STOP_NONE, out);
	else
		(void)buf_puts(out, "[no stack]\n");
}

static void put_table(const struct io_view *view, enum io_by by, const char *title, struct buf *out)
{
	uint64_t most = by == IO_BY_STACK ? view->stacks : view->rows, left = 0;

	if (!view->table->row[by].count)
		return;
	(void)buf_printf(out,
			 "\n%s\n        time  requests       bytes         p50         p99"
			 "         max    seq longest wait\n",
			 title);
	for (size_t i = 0; i < view->table->row[by].count; i++) {
		if (most && i >= most)
			left++;
		else
			put_row(view, by, &view->table->row[by].item[i], out);
	}
	if (left)
		(void)buf_printf(out, "  (%" PRIu64 " more)\n", left);
}

static void put_slow(const struct io_view *view, struct buf *out)
{
	if (!view->slower_ns)
		return;
	(void)buf_printf(out, "\nRequests of %g ms or more: %zu\n", (double)view->slower_ns / 1e6,
			 view->table->slow.count);
	for (size_t i = 0; i < view->table->slow.count; i++) {
		const struct io_one *one = &view->table->slow.item[i];
		const struct profile_thread *thread = &view->profile->threads.item[one->thread.v];

		(void)buf_printf(out, "  %.6f ", (double)one->end_ns / 1e9);
		io_put_layers(io_operation_name(one->operation), &one->sum, out);
		(void)buf_puts(out, "  ");
		(void)buf_put_tidy(out, profile_string(view->profile, one->file));
		(void)buf_puts(out, "  ");
		(void)buf_put_tidy(out, profile_string(view->profile, thread->comm));
		(void)buf_printf(out, "(%" PRIu32 ")\n", thread->tid);
		if (one->stack.v) {
			(void)buf_puts(out, "        ");
			stack_line_put(view->profile, one->stack, STACK_STOP_NONE, out);
		}
	}
}

void io_text(const struct io_view *view, struct buf *out)
{
	const struct io_sum *total = &view->table->total;

	(void)buf_printf(out, "%" PRIu64 " requests for I/O in %.3f s: ", total->count,
			 (double)view->duration_ns / 1e9);
	bytes_put((double)total->bytes, 0, out);
	(void)buf_printf(out, ", %.3f s in them, %" PRIu64 " errors\n", (double)total->ns / 1e9,
			 total->errors);
	(void)buf_printf(out, "disks: %" PRIu64 " requests, ", total->requests);
	bytes_put((double)total->disk_read, 0, out);
	(void)buf_puts(out, " read, ");
	bytes_put((double)total->disk_written, 0, out);
	(void)buf_printf(out, " written; %" PRIu64 " reads of files needed none\n", total->hits);
	if (total->punted)
		(void)buf_printf(out, "%" PRIu64 " requests of io_uring went to worker threads\n",
				 total->punted);
	if (view->lost)
		(void)buf_printf(out, "%" PRIu64 " requests were lost\n", view->lost);
	put_layer_table(total, out);
	io_put_bottleneck(view, out);
	put_table(view, IO_BY_FILE, "By file", out);
	put_table(view, IO_BY_PROCESS, "By process", out);
	put_table(view, IO_BY_DISK, "By disk", out);
	put_table(view, IO_BY_OPERATION, "By operation", out);
	put_table(view, IO_BY_STACK, "By stack", out);
	put_slow(view, out);
}
