/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of lines and of their entries (see c2c_line.h). Widths and headings are perf's. */
#include "view/c2c/c2c_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "profile/profile.h"

#define SYMBOL_WIDTH 30 /* without --full-symbols */

static bool is_peer(const struct c2c_view *view)
{
	return view->c2c->options.display == C2C_PEER;
}

static void put_address(uint64_t address, struct buf *out)
{
	char text[20];

	(void)snprintf(text, sizeof(text), "0x%" PRIx64, address);
	(void)buf_printf(out, "  %18s", text);
}

static void put_line_heading(const struct c2c_view *view, struct buf *out)
{
	static const char *const ranks[] = { "    Tot", "    Lcl", "    Rmt", "   Peer" };

	(void)buf_printf(out,
			 "#\n#        ----------- Cacheline ----------  %s  ------- Load %s -------"
			 "    Total    Total    Total  --------- Stores --------  "
			 "----- Core Load Hit -----  - LLC Load Hit --  - RMT Load Hit --  "
			 "--- Load Dram ----\n",
			 ranks[view->c2c->options.display], is_peer(view) ? "Peer" : "Hitm");
	(void)buf_printf(out,
			 "# Index             Address  Node  PA cnt  %s  records    Loads   Stores"
			 "    L1Hit   L1Miss      N/A       FB       L1       L2    LclHit  LclHitm"
			 "    RmtHit  RmtHitm       Lcl       Rmt\n",
			 is_peer(view) ? "  Snoop    Total    Local   Remote"
				       : "   Hitm    Total  LclHitm  RmtHitm");
	(void)buf_puts(out, "# .....  ..................  ....  ......  .......  .......  .......  "
			    ".......  .......  .......  .......  .......  .......  .......  "
			    ".......  .......  .......  ........  .......  ........  .......  "
			    "........  ........\n#\n");
}

static void put_numbers(const uint64_t *value, const int *width, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		(void)buf_printf(out, "  %*" PRIu64, width[i], value[i]);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void put_line(const struct c2c_view *view, size_t index, struct buf *out)
{
	static const int width[] = { 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 7, 8, 8 };
	const struct c2c_line *line = &view->c2c->line.item[index];
	const struct c2c_counts *c = &line->counts;
	const enum c2c_display display = view->c2c->options.display;
	const uint64_t value[] = {
		is_peer(view) ? c2c_peer(c) : c2c_hitm(c),
		is_peer(view) ? c->local_peer : c->local_hitm,
		is_peer(view) ? c->remote_peer : c->remote_hitm,
		c2c_records(c),
		c2c_loads(c),
		c->store,
		c->store_l1_hit,
		c->store_l1_miss,
		c->store_unknown,
		c->load_buffer,
		c->load_l1,
		c->load_l2,
		c->load_llc,
		c->local_hitm,
		c->remote_hit,
		c->remote_hitm,
		c->local_dram,
		c->remote_dram,
	};

	(void)buf_printf(out, "%7zu", index);
	put_address(line->address, out);
	(void)buf_printf(out, "  %4s  %6" PRIu64 "  %6.2f%%", "N/A", line->phys_changes,
			 share(c2c_displayed(c, display), c2c_displayed(&view->c2c->all, display)));
	put_numbers(value, width, sizeof(value) / sizeof(value[0]), out);
	(void)buf_putc(out, '\n');
}

void c2c_put_lines(const struct c2c_view *view, struct buf *out)
{
	put_line_heading(view, out);
	for (size_t i = 0; i < view->c2c->line.count; i++)
		put_line(view, i, out);
	(void)buf_putc(out, '\n');
}

const struct frame *c2c_entry_frame(const struct profile *p, const struct c2c_entry *entry)
{
	stack_id leaf = p->samples.item[entry->sample].stack;

	while (leaf.v != STACK_EMPTY.v && p->frames.item[p->nodes.item[leaf.v].frame.v].inlined)
		leaf = p->nodes.item[leaf.v].parent;
	return leaf.v == STACK_EMPTY.v ? NULL : &p->frames.item[p->nodes.item[leaf.v].frame.v];
}

/* Texts of an entry. A column is as wide as its widest text. */
enum text_column { SYMBOL, OBJECT, SOURCE, TEXT_COLUMNS };

static void put_text(const struct c2c_view *view, const struct c2c_entry *entry,
		     enum text_column column, struct buf *out)
{
	const struct profile *p = view->profile;
	const struct frame *frame = c2c_entry_frame(p, entry);
	const char *file = frame ? profile_string(p, frame->file) : "";
	const char *slash = strrchr(file, '/');
	size_t start = out->len;

	if (column == SOURCE && file[0]) {
		(void)buf_printf(out, "%s:%u", slash ? slash + 1 : file, frame->line);
	} else if (column == SOURCE) {
		(void)buf_puts(out, "??:0");
	} else if (column == OBJECT) {
		(void)buf_puts(out, frame ? profile_string(p, p->modules.item[frame->module].name)
					  : "[unknown]");
	} else {
		(void)buf_puts(out, frame && frame->kind == FRAME_KERNEL ? "[k] " : "[.] ");
		if (frame && frame->function.v)
			(void)buf_put_tidy(out, profile_string(p, frame->function));
		else
			(void)buf_printf(out, "0x%016" PRIx64, frame ? frame->pc : 0);
		if (!view->full_symbols && out->len - start > SYMBOL_WIDTH)
			out->len = start + SYMBOL_WIDTH;
	}
}

static bool is_there(const struct c2c_view *view, enum text_column column)
{
	unsigned by = view->c2c->options.coalesce;

	if (column == OBJECT)
		return by & (C2C_BY_ADDRESS | C2C_BY_MODULE);
	return by & C2C_BY_ADDRESS && (column != SOURCE || !view->no_source);
}

static void find_widths(const struct c2c_view *view, int width[TEXT_COLUMNS])
{
	static const char *const headings[TEXT_COLUMNS] = { "Symbol", "Object", "Source:Line" };
	struct buf text = { 0 };

	for (unsigned c = 0; c < TEXT_COLUMNS; c++) {
		width[c] = (int)strlen(headings[c]);
		for (size_t i = 0; i < view->c2c->entry.count; i++) {
			buf_clear(&text);
			put_text(view, &view->c2c->entry.item[i], (enum text_column)c, &text);
			if ((int)text.len > width[c])
				width[c] = (int)text.len;
		}
	}
	buf_done(&text);
}

static void put_entry_heading(const struct c2c_view *view, const int width[TEXT_COLUMNS],
			      struct buf *out)
{
	static const char *const nodes[] = { "Node", "Node{cpus %hitms %stores}",
					     "Node{cpu list}" };
	unsigned by = view->c2c->options.coalesce;
	const char *what = is_peer(view) ? "peer" : "hitm";

	(void)buf_printf(out,
			 "#\n#        %s  ------- Store Refs ------  "
			 "--------- Data address ---------%s%s%s  "
			 "---------- cycles ----------    Total       cpu\n",
			 is_peer(view) ? "-- Peer Snoop --" : "----- HITM -----",
			 by & C2C_BY_PID ? "         " : "",
			 by & C2C_BY_TID ? "              " : "",
			 by & C2C_BY_ADDRESS ? "                    " : "");
	(void)buf_printf(out,
			 "#   Num  %s   L1 Hit  L1 Miss      N/A              Offset  Node  PA cnt",
			 is_peer(view) ? "    Rmt      Lcl" : "RmtHitm  LclHitm");
	(void)buf_printf(out, "%s%s%s  rmt %s  lcl %s      load  records       cnt",
			 by & C2C_BY_PID ? "      Pid" : "",
			 by & C2C_BY_TID ? "           Tid" : "",
			 by & C2C_BY_ADDRESS ? "        Code address" : "", what, what);
	if (is_there(view, SYMBOL))
		(void)buf_printf(out, "  %-*s", width[SYMBOL], "Symbol");
	if (is_there(view, OBJECT))
		(void)buf_printf(out, "  %-*s", width[OBJECT], "Object");
	if (is_there(view, SOURCE))
		(void)buf_printf(out, "  %-*s", width[SOURCE], "Source:Line");
	(void)buf_printf(out, "  %s\n#\n", nodes[view->node_detail]);
}

static uint32_t node_of(const struct c2c_view *view, uint32_t cpu)
{
	return cpu < view->cpu_count ? view->node_of[cpu] : C2C_NO_NODE;
}

/* "0-1,3" of the node's CPUs. */
static void put_cpus(const struct c2c_view *view, const struct c2c_entry *entry, uint32_t node,
		     struct buf *out)
{
	const struct c2c_cpu *cpu = &view->c2c->cpu.item[entry->cpu];
	const char *before = "";

	for (size_t i = 0; i < entry->cpu_count; i++) {
		size_t last = i;

		if (node_of(view, cpu[i].cpu) != node)
			continue;
		while (last + 1 < entry->cpu_count && cpu[last + 1].cpu == cpu[last].cpu + 1 &&
		       node_of(view, cpu[last + 1].cpu) == node)
			last++;
		(void)buf_printf(out, last > i ? "%s%u-%u" : "%s%u", before, cpu[i].cpu,
				 cpu[last].cpu);
		before = ",";
		i = last;
	}
}

static void put_part(uint64_t part, uint64_t whole, const char *end, struct buf *out)
{
	if (whole)
		(void)buf_printf(out, "%5.1f%%%s", share(part, whole), end);
	else
		(void)buf_printf(out, "%6s%s", "n/a", end);
}

static void put_shares(const struct c2c_view *view, const struct c2c_entry *entry, uint32_t node,
		       struct buf *out)
{
	const struct c2c_cpu *cpu = &view->c2c->cpu.item[entry->cpu];
	uint64_t displayed = 0, stores = 0, count = 0;

	for (size_t i = 0; i < entry->cpu_count; i++) {
		if (node_of(view, cpu[i].cpu) != node)
			continue;
		displayed += cpu[i].displayed;
		stores += cpu[i].stores;
		count++;
	}
	(void)buf_printf(out, "%2" PRIu64 " ", count);
	put_part(displayed, c2c_displayed(&entry->counts, view->c2c->options.display), " ", out);
	put_part(stores, entry->counts.store, "", out);
}

static void put_node(const struct c2c_view *view, const struct c2c_entry *entry, uint32_t node,
		     struct buf *out)
{
	if (node == C2C_NO_NODE)
		(void)buf_puts(out, "N/A");
	else
		(void)buf_printf(out, view->node_detail ? "%2u" : "%u", node);
	if (!view->node_detail)
		return;
	(void)buf_putc(out, '{');
	if (view->node_detail == 1)
		put_shares(view, entry, node, out);
	else
		put_cpus(view, entry, node, out);
	(void)buf_putc(out, '}');
}

/* In order of their first CPUs. */
static void put_nodes(const struct c2c_view *view, const struct c2c_entry *entry, struct buf *out)
{
	const struct c2c_cpu *cpu = &view->c2c->cpu.item[entry->cpu];
	const char *before = "  ";

	for (size_t i = 0; i < entry->cpu_count; i++) {
		uint32_t node = node_of(view, cpu[i].cpu);
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = node_of(view, cpu[k].cpu) == node;
		if (seen)
			continue;
		(void)buf_puts(out, before);
		put_node(view, entry, node, out);
		before = view->node_detail ? " " : ",";
	}
}

static void put_mean(const struct c2c_cost *cost, struct buf *out)
{
	(void)buf_printf(out, "  %8.0f", cost->count ? (double)cost->sum / (double)cost->count : 0);
}

static void put_code(const struct c2c_view *view, const struct c2c_entry *entry, struct buf *out)
{
	const struct profile *p = view->profile;
	const struct profile_thread *thread =
		&p->threads.item[p->samples.item[entry->sample].thread.v];
	const struct frame *frame = c2c_entry_frame(p, entry);
	unsigned by = view->c2c->options.coalesce;

	if (by & C2C_BY_PID)
		(void)buf_printf(out, "  %7d", (int)thread->pid);
	if (by & C2C_BY_TID)
		(void)buf_printf(out, "  %7d:%-4.4s", (int)thread->tid,
				 profile_string(p, thread->comm));
	if (by & C2C_BY_ADDRESS)
		put_address(frame ? frame->pc : 0, out);
}

static void put_costs(const struct c2c_view *view, const struct c2c_entry *entry, struct buf *out)
{
	bool peer = is_peer(view);

	put_mean(peer ? &entry->remote_peer : &entry->remote_hitm, out);
	put_mean(peer ? &entry->local_peer : &entry->local_hitm, out);
	put_mean(&entry->load, out);
	(void)buf_printf(out, "  %7" PRIu64 "  %8zu", c2c_records(&entry->counts),
			 entry->cpu_count);
}

static void put_entry(const struct c2c_view *view, const struct c2c_entry *entry,
		      const int width[TEXT_COLUMNS], struct buf *out)
{
	const struct c2c_counts *of = &view->c2c->line.item[entry->line].counts;
	const struct c2c_counts *c = &entry->counts;
	bool peer = is_peer(view);
	char offset[20];

	(void)buf_printf(out, "         %6.2f%%  %6.2f%%  %6.2f%%  %6.2f%%  %6.2f%%",
			 peer ? share(c->remote_peer, of->remote_peer)
			      : share(c->remote_hitm, of->remote_hitm),
			 peer ? share(c->local_peer, of->local_peer)
			      : share(c->local_hitm, of->local_hitm),
			 share(c->store_l1_hit, of->store_l1_hit),
			 share(c->store_l1_miss, of->store_l1_miss),
			 share(c->store_unknown, of->store_unknown));
	(void)snprintf(offset, sizeof(offset), "0x%x", entry->offset);
	(void)buf_printf(out, "  %18s  %4s  %6" PRIu64, offset, "N/A", entry->phys_changes);
	put_code(view, entry, out);
	put_costs(view, entry, out);
	for (unsigned i = 0; i < TEXT_COLUMNS; i++) {
		size_t start;

		if (!is_there(view, (enum text_column)i))
			continue;
		(void)buf_puts(out, "  ");
		start = out->len;
		put_text(view, entry, (enum text_column)i, out);
		if (out->len - start < (size_t)width[i])
			(void)buf_pad(out, ' ', (size_t)width[i] - (out->len - start));
	}
	put_nodes(view, entry, out);
	(void)buf_putc(out, '\n');
}

/* The object that the line is in, which perf does not say. */
static void put_object(const struct c2c_view *view, const struct c2c_line *line, struct buf *out)
{
	const struct profile *p = view->profile;
	const struct profile_access *access = &p->accesses.item[line->access];
	uint64_t before = access->addr - line->address;

	if (access->kind != ACCESS_GLOBAL)
		return;
	(void)buf_puts(out, "  ");
	(void)buf_put_tidy(out, profile_string(p, access->object));
	if (access->offset > before)
		(void)buf_printf(out, "+0x%" PRIx64, access->offset - before);
}

static void put_line_of_entries(const struct c2c_view *view, size_t index, struct buf *out)
{
	static const char rule[] =
		"  ----------------------------------------------------------------------\n";
	static const int width[] = { 7, 7, 7, 7, 7 };
	const struct c2c_line *line = &view->c2c->line.item[index];
	const struct c2c_counts *c = &line->counts;
	const uint64_t value[] = { is_peer(view) ? c->remote_peer : c->remote_hitm,
				   is_peer(view) ? c->local_peer : c->local_hitm, c->store_l1_hit,
				   c->store_l1_miss, c->store_unknown };

	(void)buf_printf(out, "%s%7zu", rule, index);
	put_numbers(value, width, sizeof(value) / sizeof(value[0]), out);
	put_address(line->address, out);
	put_object(view, line, out);
	(void)buf_printf(out, "\n%s", rule);
}

void c2c_put_entries(const struct c2c_view *view, struct buf *out)
{
	int width[TEXT_COLUMNS];

	find_widths(view, width);
	put_entry_heading(view, width, out);
	for (size_t i = 0; i < view->c2c->line.count; i++) {
		const struct c2c_line *line = &view->c2c->line.item[i];

		(void)buf_puts(out, i ? "\n" : "");
		put_line_of_entries(view, i, out);
		for (size_t k = 0; k < line->entry_count; k++)
			put_entry(view, &view->c2c->entry.item[line->entry + k], width, out);
	}
}
