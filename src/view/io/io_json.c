/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests for I/O as JSON (see io_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/io_table.h"
#include "profile/profile.h"
#include "view/io/io_view.h"
#include "view/stack_line.h"

static void put_number(const char *key, uint64_t value, struct buf *out)
{
	(void)buf_printf(out, "\"%s\": %" PRIu64 ", ", key, value);
}

static void put_string(const char *key, const char *text, struct buf *out)
{
	(void)buf_printf(out, "\"%s\": ", key);
	(void)buf_put_json(out, text);
	(void)buf_puts(out, ", ");
}

static void put_sum(const struct io_sum *s, struct buf *out)
{
	put_number("time_ns", s->ns, out);
	put_number("requests", s->count, out);
	put_number("bytes", s->bytes, out);
	put_number("errors", s->errors, out);
	put_number("max_ns", s->max_ns, out);
	put_number("p50_ns", io_percentile(s, 0.5), out);
	put_number("p90_ns", io_percentile(s, 0.9), out);
	put_number("p99_ns", io_percentile(s, 0.99), out);
	put_number("sequential", s->sequential, out);
	put_number("cache_hits", s->hits, out);
	put_number("read_pages", s->read_pages, out);
	put_number("disk_requests", s->requests, out);
	put_number("disk_read_bytes", s->disk_read, out);
	put_number("disk_written_bytes", s->disk_written, out);
	put_number("punted", s->punted, out);
	(void)buf_puts(out, "\"layers_ns\": {");
	for (unsigned i = 0; i < IO_LAYER_COUNT; i++)
		(void)buf_printf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", io_layer_name(i),
				 s->layer_ns[i]);
	(void)buf_puts(out, "}");
}

static void put_row(const struct io_view *view, enum io_by by, const struct io_row *row,
		    struct buf *out)
{
	(void)buf_putc(out, '{');
	if (by == IO_BY_FILE)
		put_string("file", profile_string(view->profile, row->name), out);
	if (by == IO_BY_PROCESS) {
		put_number("pid", row->pid, out);
		put_string("comm", profile_string(view->profile, row->name), out);
	}
	if (by == IO_BY_DISK)
		put_string("disk", profile_string(view->profile, row->name), out);
	if (by == IO_BY_OPERATION || by == IO_BY_STACK)
		put_string("operation", io_operation_name(row->operation), out);
	if (by == IO_BY_STACK) {
		(void)buf_puts(out, "\"stack\": ");
		stack_line_put_json(view->profile, row->stack, out);
		(void)buf_puts(out, ", ");
	}
	put_sum(&row->sum, out);
	(void)buf_putc(out, '}');
}

static void put_slow(const struct io_view *view, const struct io_one *one, struct buf *out)
{
	const struct profile_thread *thread = &view->profile->threads.item[one->thread.v];

	(void)buf_putc(out, '{');
	put_number("end_ns", one->end_ns, out);
	put_number("pid", thread->pid, out);
	put_number("tid", thread->tid, out);
	put_string("comm", profile_string(view->profile, thread->comm), out);
	put_string("operation", io_operation_name(one->operation), out);
	put_string("file", profile_string(view->profile, one->file), out);
	(void)buf_puts(out, "\"stack\": ");
	stack_line_put_json(view->profile, one->stack, out);
	(void)buf_puts(out, ", ");
	put_sum(&one->sum, out);
	(void)buf_putc(out, '}');
}

void io_json(const struct io_view *view, struct buf *out)
{
	static const char *const names[] = { "files", "processes", "disks", "operations",
					     "stacks" };

	(void)buf_puts(out, "{\"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_puts(out, "], ");
	put_number("duration_ns", view->duration_ns, out);
	put_number("lost", view->lost, out);
	(void)buf_puts(out, "\"total\": {");
	put_sum(&view->table->total, out);
	(void)buf_putc(out, '}');
	for (unsigned by = 0; by < IO_BY_COUNT; by++) {
		(void)buf_printf(out, ",\n\"%s\": [", names[by]);
		for (size_t i = 0; i < view->table->row[by].count; i++) {
			(void)buf_puts(out, i ? ",\n" : "\n");
			put_row(view, by, &view->table->row[by].item[i], out);
		}
		(void)buf_putc(out, ']');
	}
	(void)buf_puts(out, ",\n\"slow\": [");
	for (size_t i = 0; i < view->table->slow.count; i++) {
		(void)buf_puts(out, i ? ",\n" : "\n");
		put_slow(view, &view->table->slow.item[i], out);
	}
	(void)buf_puts(out, "]}\n");
}
