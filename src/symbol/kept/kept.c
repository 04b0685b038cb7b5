/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the recording itself keeps. Asked last: what the machine still has says more, and a
 * file that is no longer the recorded one is refused by the symbolizers before. */
#include <stdlib.h>

#include "base/arena.h"
#include "symbol/kept/kept_names.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

struct kept_symbolizer {
	struct symbolizer base;
	const struct kept_module *module;
	bool inlines;
};

static int kept_open(struct symbolizer **ret, const struct module *module,
		     const struct symbol_options *options, struct err *err)
{
	const struct kept_module *kept = kept_names_find(options->kept, module);
	struct kept_symbolizer *self;

	(void)err;
	*ret = NULL;
	if (!kept)
		return 0;
	self = mem_zalloc(sizeof(*self));
	*self = (struct kept_symbolizer){ .base = { &symbolizer_kept },
					  .module = kept,
					  .inlines = options->inlines };
	*ret = &self->base;
	return 0;
}

static bool kept_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	const struct kept_symbolizer *self = (const struct kept_symbolizer *)symbolizer;
	const struct kept_place *place = kept_module_place(self->module, offset);

	if (!place)
		return false;
	kept_module_symbol(self->module, place, offset, ret);
	if (!self->inlines) {
		ret->frame[0] = ret->frame[ret->count - 1];
		ret->count = 1;
	}
	return true;
}

static enum symbol_grain kept_grain(struct symbolizer *symbolizer, uint64_t offset,
				    uint64_t *ret_number)
{
	const struct kept_symbolizer *self = (const struct kept_symbolizer *)symbolizer;
	const struct kept_place *place = kept_module_place(self->module, offset);

	if (!place)
		return SYMBOL_NONE;
	if (place->offset != place->start || place->count > 1)
		return SYMBOL_ADDRESS;
	*ret_number = (uint64_t)(place - self->module->place);
	return SYMBOL_FUNCTION;
}

static void kept_close(struct symbolizer *symbolizer)
{
	free(symbolizer);
}

const struct symbolizer_ops symbolizer_kept = {
	.name = "kept",
	.open = kept_open,
	.resolve = kept_resolve,
	.grain = kept_grain,
	.close = kept_close,
};
