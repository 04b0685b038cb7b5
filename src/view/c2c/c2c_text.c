/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report: counts of all accesses, of those to shared lines, and the two tables (see
 * c2c_view.h).
 */
#include <inttypes.h>

#include "base/buf.h"
#include "profile/profile.h"
#include "view/c2c/c2c_line.h"

struct figure {
	const char *name;
	uint64_t value;
};

static void put_title(const char *title, struct buf *out)
{
	static const char rule[] = "=================================================\n";

	(void)buf_printf(out, "%s%-49s\n%s", rule, title, rule);
}

static void put_figures(const struct figure *figures, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		(void)buf_printf(out, "  %-34s: %10" PRIu64 "\n", figures[i].name,
				 figures[i].value);
}

#define PUT(figures, out) put_figures(figures, sizeof(figures) / sizeof((figures)[0]), out)

static void put_share(const char *name, uint64_t part, uint64_t whole, struct buf *out)
{
	(void)buf_printf(out, "  %-34s: ", name);
	if (whole)
		(void)buf_printf(out, "%10.1f%%\n", 100 * (double)part / (double)whole);
	else
		(void)buf_printf(out, "%11s\n", "-");
}

static void put_loads(const struct c2c_counts *c, struct buf *out)
{
	const struct figure figures[] = {
		{ "Total records", c->entries },
		{ "Locked Load/Store Operations", c->locks },
		{ "Load Operations", c->load },
		{ "Loads - uncacheable", c->load_uncached },
		{ "Loads - IO", c->load_io },
		{ "Loads - Miss", c->load_miss },
		{ "Loads - no mapping", c->load_no_address },
		{ "Load Fill Buffer Hit", c->load_buffer },
		{ "Load L1D hit", c->load_l1 },
		{ "Load L2D hit", c->load_l2 },
		{ "Load LLC hit", c->load_llc + c->local_hitm },
		{ "Load Local HITM", c->local_hitm },
		{ "Load Remote HITM", c->remote_hitm },
		{ "Load Remote HIT", c->remote_hit },
		{ "Load Local DRAM", c->local_dram },
		{ "Load Remote DRAM", c->remote_dram },
		{ "Load MESI State Exclusive", c->load_exclusive },
		{ "Load MESI State Shared", c->load_shared },
		{ "Load LLC Misses", c2c_llc_misses(c) },
		{ "Load access blocked by data", c->blocked_data },
		{ "Load access blocked by address", c->blocked_address },
		{ "Load HIT Local Peer", c->local_peer },
		{ "Load HIT Remote Peer", c->remote_peer },
	};

	PUT(figures, out);
	put_share("LLC Misses to Local DRAM", c->local_dram, c2c_llc_misses(c), out);
	put_share("LLC Misses to Remote DRAM", c->remote_dram, c2c_llc_misses(c), out);
	put_share("LLC Misses to Remote cache (HIT)", c->remote_hit, c2c_llc_misses(c), out);
	put_share("LLC Misses to Remote cache (HITM)", c->remote_hitm, c2c_llc_misses(c), out);
}

static void put_stores(const struct c2c_counts *c, struct buf *out)
{
	const struct figure figures[] = {
		{ "Store Operations", c->store },
		{ "Store - uncacheable", c->store_uncached },
		{ "Store - no mapping", c->store_no_address },
		{ "Store L1D Hit", c->store_l1_hit },
		{ "Store L1D Miss", c->store_l1_miss },
		{ "Store No available memory level", c->store_unknown },
		{ "No Page Map Rejects", c->no_mapping },
		{ "Unable to parse data source", c->unparsed },
	};

	PUT(figures, out);
}

static void put_shared(const struct c2c_view *view, struct buf *out)
{
	const struct c2c_counts *c = &view->c2c->shared;
	const struct figure figures[] = {
		{ "Total Shared Cache Lines", view->c2c->shared_lines },
		{ "Load HITs on shared lines", c->load },
		{ "Fill Buffer Hits on shared lines", c->load_buffer },
		{ "L1D hits on shared lines", c->load_l1 },
		{ "L2D hits on shared lines", c->load_l2 },
		{ "LLC hits on shared lines", c->load_llc + c->local_hitm },
		{ "Load hits on peer cache or nodes", c2c_peer(c) },
		{ "Locked Access on shared lines", c->locks },
		{ "Blocked Access on shared lines", c->blocked_data + c->blocked_address },
		{ "Store HITs on shared lines", c->store },
		{ "Store L1D hits on shared lines", c->store_l1_hit },
		{ "Store No available memory level", c->store_unknown },
		{ "Total Merged records", c2c_hitm(c) + c->store },
	};

	put_title("    Global Shared Cache Line Event Information", out);
	PUT(figures, out);
	(void)buf_putc(out, '\n');
}

static void put_details(const struct c2c_view *view, struct buf *out)
{
	static const char *const sorts[] = { "Total HITMs", "Local HITMs", "Remote HITMs",
					     "Peer Snoop" };
	const struct c2c_options *options = &view->c2c->options;
	const struct profile *p = view->profile;

	put_title("                 c2c details", out);
	(void)buf_printf(out, "  %-34s: ", "Events");
	for (size_t i = 0; i < p->events.count; i++)
		(void)buf_printf(out, "%s%s", i ? "\n                                    : " : "",
				 profile_string(p, p->events.item[i].name));
	(void)buf_printf(out, "\n  %-34s: %s\n  %-34s: offset", "Cachelines sort on",
			 sorts[options->display], "Cacheline data grouping");
	(void)buf_printf(out, "%s%s%s%s\n", options->coalesce & C2C_BY_PID ? ",pid" : "",
			 options->coalesce & C2C_BY_TID ? ",tid" : "",
			 options->coalesce & C2C_BY_ADDRESS ? ",iaddr" : "",
			 options->coalesce & C2C_BY_MODULE ? ",dso" : "");
	if (view->lost)
		(void)buf_printf(out, "  %-34s: %10" PRIu64 "\n", "Lost samples", view->lost);
}

void c2c_text(const struct c2c_view *view, struct buf *out)
{
	put_title("            Trace Event Information", out);
	put_loads(&view->c2c->all, out);
	put_stores(&view->c2c->all, out);
	(void)buf_putc(out, '\n');
	put_shared(view, out);
	put_details(view, out);
	if (view->stats_only)
		return;
	(void)buf_putc(out, '\n');
	put_title("           Shared Data Cache Line Table", out);
	c2c_put_lines(view, out);
	put_title("      Shared Cache Line Distribution Pareto", out);
	c2c_put_entries(view, out);
}
