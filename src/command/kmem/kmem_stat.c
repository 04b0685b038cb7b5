/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel kmem stat: the kernel's allocations by place or stack, and what was not freed. */
#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/output.h"
#include "profile/profile.h"
#include "profile/slab.h"
#include "session/load/load.h"
#include "session/recording.h"
#include "view/slab/slab_view.h"

struct kmem_stat {
	const char *input, *time;
	unsigned sort; /* enum slab_order + 1; 0 = by what the table shows */
	uint64_t lines;
	bool slab, page, caller, alloc, stacks, live, raw_ip;
	struct symbol_options symbol;
	struct output_options output;
};

static const struct option_def kmem_stat_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT(kmem_stat, input), "recording to read, - = stdin" },
	{ "slab", 0, OPT_FLAG, NULL, OPT(kmem_stat, slab),
	  "small objects of the kernel (the default)" },
	{ "page", 0, OPT_FLAG, NULL, OPT(kmem_stat, page),
	  "pages of the kernel, by whole stack, order, migrate type and GFP flags, of recordings "
	  "with --page -g" },
	{ "caller", 0, OPT_FLAG, NULL, OPT(kmem_stat, caller),
	  "by the place that allocates (the default)" },
	{ "alloc", 0, OPT_FLAG, NULL, OPT(kmem_stat, alloc),
	  "by object: its address, or with --page the number of the first page" },
	{ "stacks", 0, OPT_FLAG, NULL, OPT(kmem_stat, stacks),
	  "by whole stack, of recordings with -g" },
	{ "live", 0, OPT_FLAG, NULL, OPT(kmem_stat, live),
	  "only what was not freed; the most first" },
	{ "sort", 's', OPT_CHOICE, "KEY", OPT(kmem_stat, sort), "order of the rows",
	  .choices = "default bytes req hit live frag pingpong" },
	{ "line", 'l', OPT_UINT, "N", OPT(kmem_stat, lines), "rows of the table, 0 = all" },
	{ "raw-ip", 0, OPT_FLAG, NULL, OPT(kmem_stat, raw_ip), "addresses instead of names" },
	{ "time", 0, OPT_STR, "FROM,TO", OPT(kmem_stat, time), "only this part of the recording" },
	{ "kallsyms", 0, OPT_STR, "FILE", OPT(kmem_stat, symbol.kallsyms_path),
	  "symbols of the kernel" },
	{ .type = OPT_INCLUDE, .include = output_option_rows, .offset = OPT(kmem_stat, output) },
	{ 0 },
};

static void kmem_stat_defaults(void *options)
{
	struct kmem_stat *o = options;

	o->symbol = (struct symbol_options){ .demangle = true, .symfs = "" };
}

/* In the order of enum slab_value. Fields that a free does not have are 0. */
static const struct load_values values[] = {
	{ "kmem:mm_page_alloc", { "call_site", "pfn", "order", "migratetype", "$%gfp_flags" } },
	{ "kmem:mm_page_free", { "call_site", "pfn", "order" } },
	{ NULL, { "call_site", "ptr", "bytes_req", "bytes_alloc" } },
};

static enum slab_order order_of(const struct kmem_stat *o)
{
	if (o->sort)
		return (enum slab_order)(o->sort - 1);
	return o->live ? SLAB_BY_LIVE : SLAB_BY_ALLOCATED;
}

static int show(const struct kmem_stat *o, const struct profile *profile, struct slab *slab,
		struct err *err)
{
	const struct option_words *words = command_words();
	const struct slab_view view = { .profile = profile,
					.slab = slab,
					.lines = o->lines,
					.stacks = o->stacks || o->page,
					.pages = o->page,
					.objects = o->alloc,
					.live = o->live,
					.raw_ip = o->raw_ip,
					.words = (const char *const *)words->argv,
					.word_count = (size_t)words->argc };
	struct buf out = { 0 };

	slab_sort(slab, order_of(o));
	if (o->output.json)
		slab_json(&view, &out);
	else
		slab_text(&view, &out);
	return command_end_output(0, o->output.path, &out, err);
}

static int kmem_stat_run(void *options, int argc, char **argv, struct err *err)
{
	struct kmem_stat *o = options;
	const bool stacks = o->stacks || o->page || o->alloc;
	const struct slab_choice choice = {
		.page_bytes = o->page ? (uint64_t)sysconf(_SC_PAGESIZE) : 0,
		.by_object = o->alloc,
	};
	const struct option_words words = { .argc = argc, .argv = argv };
	const struct load_options load = {
		.symbol = o->symbol,
		.keep = PROFILE_KEEP_TIME | PROFILE_KEEP_CPU | PROFILE_KEEP_ADDR |
			PROFILE_ADDR_IS_VALUES,
		.detail = stacks ? RESOLVE_NAMES : RESOLVE_ADDRESSES,
		.values = values,
		.value_is_stack = !stacks,
		.value_is_place = true,
		.time = o->time,
	};
	struct profile *profile = NULL;
	struct slab slab = { 0 };
	int code = command_take_input(&words, o->input, &o->input, err);

	if (code)
		return code;
	if (o->page && (o->slab || o->caller))
		return command_usage(err, "--page has rows by whole stack, and excludes --slab and "
					  "--caller");
	if (o->alloc && o->caller)
		return command_usage(err, "--alloc has rows by object, and excludes --caller");
	code = session_load(o->input, &load, &profile, err);
	if (!code) {
		slab_sum_up(profile, &choice, &slab);
		if (slab.total.hits || slab.unknown_frees) {
			code = show(o, profile, &slab, err);
		} else {
			code = err_set(err, -ENODATA, "%s: no allocations of %s",
				       o->input ? o->input : "perf.data",
				       o->page ? "pages" : "the kernel");
			(void)err_hint(err, "record them with: cupel kmem record %s-- PROGRAM",
				       o->page ? "--page -g " : "");
		}
	}
	slab_done(&slab);
	profile_free(profile);
	return code ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_kmem_stat = {
	.name = "kmem stat",
	.args = "[options] [FILE]",
	.summary = "show allocations of the kernel by place, or what was not freed",
	.options = kmem_stat_rows,
	.options_size = sizeof(struct kmem_stat),
	.defaults = kmem_stat_defaults,
	.run = kmem_stat_run,
	.reads = true,
};
