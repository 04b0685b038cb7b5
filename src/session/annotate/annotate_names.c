// SPDX-License-Identifier: GPL-2.0-or-later
/* Names by module (see annotate_names.h). */
#include "session/annotate/annotate_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "proc/module.h"
#include "profile/profile.h"
#include "session/annotate/annotate_module.h"
#include "session/capture.h"
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

static void name_frame(struct profile *profile, struct symbolizer *symbolizer, uint32_t number)
{
	struct frame *frame = &profile->frames.item[number];
	const struct symbol_frame *outer;
	struct symbol symbol;

	if (!symbolizer_resolve(symbolizer, frame->offset - frame->caller, &symbol) ||
	    !symbol.count)
		return;
	outer = &symbol.frame[symbol.count - 1];
	if (outer->name)
		frame->function = strtab_puts(profile->strings, outer->name);
	frame->binding = symbol.binding;
	frame->symbol_start = symbol.start;
	frame->symbol_end = symbol.end;
}

/* Frames of one module. */
static void name_module(struct profile *profile, const struct module *module,
			const struct symbol_options *symbol, const struct nameless_frame *frames,
			size_t count)
{
	struct symbolizer *symbolizer = symbolizer_open(module, symbol);
	struct profile_module *named = &profile->modules.item[frames[0].module];

	for (size_t i = 0; i < count; i++)
		name_frame(profile, symbolizer, frames[i].frame);
	if (symbolizer_problem(symbolizer))
		named->problem = strtab_puts(profile->strings, symbolizer_problem(symbolizer));
	symbolizer_close(symbolizer);
}

/* Those that share kallsyms. */
static bool is_kernel(const struct module *module)
{
	return module->kind == MODULE_KERNEL || module->kind == MODULE_KMODULE ||
	       module->kind == MODULE_BPF;
}

void annotate_name_frames(struct profile *profile, const struct capture *capture,
			  const struct symbol_options *symbol, const char *modules)
{
	struct symbol_options options = *symbol, kernel;
	VEC(struct nameless_frame) frames = { 0 };
	struct symbol_shared *shared = symbol_shared_new();

	options.lines = options.inlines = false;
	options.shared = NULL;
	options.modules = capture->modules;
	options.kept = capture->kept;
	kernel = options;
	kernel.shared = shared;
	for (uint32_t i = 0; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.item[i];

		if (!frame->function.v)
			vec_push(&frames,
				 ((struct nameless_frame){ frame->offset, frame->module, i }));
	}
	if (frames.count)
		qsort(frames.item, frames.count, sizeof(*frames.item), compare_frames);
	for (size_t i = 0, end; i < frames.count; i = end) {
		uint32_t number = frames.item[i].module;
		const struct module *module = annotate_find_module(capture, profile, number);

		for (end = i + 1; end < frames.count && frames.item[end].module == number;)
			end++;
		if (module && annotate_is_listed(profile, number, modules))
			name_module(profile, module, is_kernel(module) ? &kernel : &options,
				    &frames.item[i], end - i);
	}
	symbol_shared_free(shared);
	vec_done(&frames);
}
