/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared cache lines as JSON (see c2c_view.h). */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "view/c2c/c2c_line.h"

static void put_counts(const char *name, const struct c2c_counts *counts, struct buf *out)
{
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {
#define X(field, name) { name, counts->field },
		C2C_COUNTS(X)
#undef X
	};
	const char *before = "";

	(void)buf_printf(out, "\"%s\": {", name);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i].value)
			continue;
		(void)buf_printf(out, "%s \"%s\": %" PRIu64, before, all[i].name, all[i].value);
		before = ",";
	}
	(void)buf_puts(out, " }");
}

static void put_word(const char *name, const char *value, struct buf *out)
{
	(void)buf_printf(out, ", \"%s\": ", name);
	(void)buf_put_json(out, value);
}

static void put_cost(const char *before, const char *name, const struct c2c_cost *cost,
		     struct buf *out)
{
	(void)buf_printf(out, "%s\"%s\": ", before, name);
	if (cost->count)
		(void)buf_printf(out, "%.1f", (double)cost->sum / (double)cost->count);
	else
		(void)buf_puts(out, "null");
}

static void put_cycles(const struct c2c_entry *entry, struct buf *out)
{
	put_cost(", \"cycles\": { ", "remote_hitm", &entry->remote_hitm, out);
	put_cost(", ", "local_hitm", &entry->local_hitm, out);
	put_cost(", ", "remote_peer", &entry->remote_peer, out);
	put_cost(", ", "local_peer", &entry->local_peer, out);
	put_cost(", ", "load", &entry->load, out);
	(void)buf_puts(out, " }");
}

static void put_entry(const struct c2c_view *view, const struct c2c_entry *entry, struct buf *out)
{
	const struct profile *p = view->profile;
	const struct profile_thread *thread =
		&p->threads.item[p->samples.item[entry->sample].thread.v];
	const struct frame *frame = c2c_entry_frame(p, entry);

	(void)buf_printf(out, "{ \"offset\": %u, \"pid\": %d, \"tid\": %d", entry->offset,
			 (int)thread->pid, (int)thread->tid);
	put_word("command", profile_string(p, thread->comm), out);
	(void)buf_printf(out, ", \"address\": %" PRIu64, frame ? frame->pc : 0);
	put_word("function", frame ? profile_string(p, frame->function) : "", out);
	put_word("module", frame ? profile_string(p, p->modules.item[frame->module].path) : "",
		 out);
	put_word("file", frame ? profile_string(p, frame->file) : "", out);
	(void)buf_printf(out, ", \"line\": %u, ", frame ? frame->line : 0);
	put_counts("counts", &entry->counts, out);
	put_cycles(entry, out);
	(void)buf_puts(out, ", \"cpus\": [");
	for (size_t i = 0; i < entry->cpu_count; i++)
		(void)buf_printf(out, "%s%d", i ? ", " : "",
				 (int)view->c2c->cpu.item[entry->cpu + i].cpu);
	(void)buf_puts(out, "] }");
}

static void put_line(const struct c2c_view *view, const struct c2c_line *line, struct buf *out)
{
	const struct profile *p = view->profile;
	const struct profile_access *access = &p->accesses.item[line->access];

	(void)buf_printf(out, "{ \"address\": %" PRIu64, line->address);
	put_word("object", profile_string(p, access->object), out);
	(void)buf_printf(out, ", \"offset\": %" PRId64,
			 (int64_t)(access->offset - (access->addr - line->address)));
	put_word("module", profile_string(p, access->module), out);
	(void)buf_puts(out, ", ");
	put_counts("counts", &line->counts, out);
	(void)buf_puts(out, ",\n      \"entries\": [");
	for (size_t i = 0; i < line->entry_count; i++) {
		(void)buf_puts(out, i ? ",\n        " : "\n        ");
		put_entry(view, &view->c2c->entry.item[line->entry + i], out);
	}
	(void)buf_puts(out, " ] }");
}

void c2c_json(const struct c2c_view *view, struct buf *out)
{
	(void)buf_puts(out, "{ \"cupel\": 1, \"command\": [");
	for (size_t i = 0; i < view->word_count; i++) {
		(void)buf_puts(out, i ? ", " : "");
		(void)buf_put_json(out, view->words[i]);
	}
	(void)buf_printf(out, "], \"lost\": %" PRIu64 ",\n  ", view->lost);
	put_counts("all", &view->c2c->all, out);
	(void)buf_puts(out, ",\n  ");
	put_counts("shared", &view->c2c->shared, out);
	(void)buf_puts(out, ",\n  \"lines\": [");
	for (size_t i = 0; i < view->c2c->line.count; i++) {
		(void)buf_puts(out, i ? ",\n    " : "\n    ");
		put_line(view, &view->c2c->line.item[i], out);
	}
	(void)buf_puts(out, " ] }\n");
}
