// SPDX-License-Identifier: GPL-2.0-or-later
/* Names by module (see annotate_names.h). */
#include "session/annotate/annotate_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "proc/module.h"
#include "profile/profile.h"
#include "session/annotate/annotate_module.h"
#include "session/capture.h"
#include "symbol/symbol_name.h"
#include "symbol/symbolizer.h"

/* A frame, to be sorted by module and offset. */
struct nameless_frame {
	uint64_t offset;
	uint32_t module, frame;
};

static int compare_frames(const void *a, const void *b)
{
	const struct nameless_frame *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

struct namer {
	struct profile *profile;
	const struct annotate_names_options *options;
	struct symbol_options symbol;
	struct symbol_shared *found;  /* tables of the first module with the function */
	struct symbol_shared *kernel; /* of all kernel code */
	VEC(struct nameless_frame) frames;
};

/* Returns whether it is in the function that is looked for. */
static bool name_frame(struct namer *n, struct symbolizer *symbolizer, uint32_t number)
{
	struct frame *frame = &n->profile->frames.item[number];
	const struct symbol_frame *outer;
	struct symbol symbol;

	if (!symbolizer_resolve(symbolizer, frame->offset - frame->caller, &symbol) ||
	    !symbol.count)
		return false;
	outer = &symbol.frame[symbol.count - 1];
	if (outer->name)
		frame->function = strtab_puts(n->profile->strings, outer->name);
	frame->binding = symbol.binding;
	frame->symbol_start = symbol.start;
	frame->symbol_end = symbol.end;
	return n->options->function && outer->name &&
	       symbol_name_is_clone(outer->name, n->options->function);
}

/* The frames of one module, from `frame` on; the tables are read into `shared`. */
static bool name_module(struct namer *n, const struct module *module,
			const struct nameless_frame *frame, struct symbol_shared *shared)
{
	struct profile_module *named = &n->profile->modules.item[frame->module];
	const struct nameless_frame *end = n->frames.item + n->frames.count;
	struct symbolizer *symbolizer;
	bool found = false;

	n->symbol.shared = shared;
	symbolizer = symbolizer_open(module, &n->symbol);
	for (uint32_t number = frame->module; frame < end && frame->module == number; frame++)
		found |= name_frame(n, symbolizer, frame->frame);
	if (symbolizer_problem(symbolizer))
		named->problem = strtab_puts(n->profile->strings, symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
	return found;
}

static bool is_kernel(const struct module *module)
{
	return module->kind == MODULE_KERNEL || module->kind == MODULE_KMODULE ||
	       module->kind == MODULE_BPF;
}

/* Those of the kernel, which share kallsyms, or all others. */
static void name_modules(struct namer *n, bool kernel)
{
	for (size_t i = 0; i < n->frames.count; i++) {
		const struct nameless_frame *frame = &n->frames.item[i];
		struct symbol_shared *shared = n->kernel;
		const struct module *module;
		bool found;

		if (i && frame[-1].module == frame->module)
			continue;
		module = annotate_find_module(n->options->capture, n->profile, frame->module);
		if (!module || is_kernel(module) != kernel ||
		    !annotate_is_listed(n->profile, frame->module, n->options->modules))
			continue;
		if (!kernel)
			shared = symbol_shared_new();
		found = name_module(n, module, frame, shared);
		if (found && !n->found && !kernel)
			n->found = shared;
		else if (!kernel)
			symbol_shared_free(shared);
	}
}

static void collect_frames(struct namer *n)
{
	for (uint32_t i = 0; i < n->profile->frames.count; i++) {
		const struct frame *frame = &n->profile->frames.item[i];

		if (!frame->function.v)
			vec_push(&n->frames,
				 ((struct nameless_frame){ frame->offset, frame->module, i }));
	}
	if (n->frames.count)
		qsort(n->frames.item, n->frames.count, sizeof(*n->frames.item), compare_frames);
}

struct symbol_shared *annotate_name_frames(struct profile *profile,
					   const struct annotate_names_options *options)
{
	struct namer n = { .profile = profile, .options = options, .symbol = *options->symbol };

	n.symbol.lines = n.symbol.inlines = false;
	n.symbol.modules = options->capture->modules;
	n.symbol.kept = options->capture->kept;
	collect_frames(&n);
	name_modules(&n, false);
	if (!n.found) {
		n.kernel = symbol_shared_new();
		name_modules(&n, true);
		symbol_shared_free(n.kernel);
	}
	vec_done(&n.frames);
	return n.found;
}
