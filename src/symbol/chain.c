/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All symbolizers of one module behind the interface of one. They are asked in order, and the
 * first result wins. Opening always succeeds; a failure to open becomes the module's problem. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/module.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

static const struct symbolizer_ops *const registry[] = {
#define SYMBOLIZER(name) &symbolizer_##name,
#include "symbol/symbolizers.def"
#undef SYMBOLIZER
};

#define REGISTRY_COUNT (sizeof(registry) / sizeof(registry[0]))

struct chain {
	struct symbolizer base;
	size_t count;
	struct symbolizer *item[REGISTRY_COUNT];
	char *problem; /* of the first that failed to open */
};

static const struct symbolizer_ops symbolizer_chain;

/* Opens the symbolizers of names kept in the recording, or all others. */
static void add_items(struct chain *chain, bool kept, const struct module *module,
		      const struct symbol_options *options)
{
	for (size_t i = 0; i < REGISTRY_COUNT; i++) {
		struct err why = { 0 };
		struct symbolizer *item = NULL;

		if ((registry[i] == &symbolizer_kept) != kept)
			continue;
		if (registry[i]->open(&item, module, options, &why) && !chain->problem)
			chain->problem = mem_strdup(why.msg);
		else if (item)
			chain->item[chain->count++] = item;
	}
}

/* Whether a file of this machine can be the recorded module if the recording is from another
 * machine. */
static bool may_be_here(const struct module *module, const struct symbol_options *options)
{
	bool asked = (options->symfs && options->symfs[0]) || options->kallsyms_path ||
		     options->vmlinux_path;

	return !options->archived || asked || module->build_id.len || module->kind == MODULE_PYTHON;
}

static int chain_open(struct symbolizer **ret, const struct module *module,
		      const struct symbol_options *options, struct err *err)
{
	struct chain *chain = mem_zalloc(sizeof(*chain));

	(void)err; /* a module without names is not an error */
	chain->base.ops = &symbolizer_chain;
	add_items(chain, options->archived, module, options);
	if (may_be_here(module, options))
		add_items(chain, !options->archived, module, options);
	*ret = &chain->base;
	return 0;
}

static bool chain_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct chain *chain = (struct chain *)symbolizer;

	for (size_t i = 0; i < chain->count; i++)
		if (chain->item[i]->ops->resolve(chain->item[i], offset, ret))
			return true;
	return false;
}

static enum symbol_grain chain_grain(struct symbolizer *symbolizer, uint64_t offset,
				     uint64_t *ret_number)
{
	struct chain *chain = (struct chain *)symbolizer;

	for (size_t i = 0; i < chain->count; i++) {
		enum symbol_grain grain = symbolizer_grain(chain->item[i], offset, ret_number);

		if (grain == SYMBOL_FUNCTION) /* each has its own numbers */
			*ret_number = *ret_number * REGISTRY_COUNT + i;
		if (grain != SYMBOL_NONE)
			return grain;
	}
	return SYMBOL_NONE;
}

static void chain_close(struct symbolizer *symbolizer)
{
	struct chain *chain = (struct chain *)symbolizer;

	for (size_t i = 0; i < chain->count; i++)
		chain->item[i]->ops->close(chain->item[i]);
	free(chain->problem);
	free(chain);
}

/* A symbolizer that opened has a better reason for missing names than one that did
 * not. */
static const char *chain_problem(const struct symbolizer *symbolizer)
{
	const struct chain *chain = (const struct chain *)symbolizer;

	for (size_t i = 0; i < chain->count; i++) {
		const struct symbolizer *item = chain->item[i];
		const char *problem = item->ops->problem ? item->ops->problem(item) : NULL;

		if (problem)
			return problem;
	}
	return chain->count ? NULL : chain->problem;
}

static const struct symbolizer_ops symbolizer_chain = {
	.name = "chain",
	.open = chain_open,
	.resolve = chain_resolve,
	.grain = chain_grain,
	.close = chain_close,
	.problem = chain_problem,
};

struct symbolizer *symbolizer_open(const struct module *module,
				   const struct symbol_options *options)
{
	struct symbolizer *ret;
	struct err never = { 0 };

	(void)chain_open(&ret, module, options, &never); /* always succeeds */
	return ret;
}

bool symbolizer_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	return symbolizer->ops->resolve(symbolizer, offset, ret);
}

enum symbol_grain symbolizer_grain(struct symbolizer *symbolizer, uint64_t offset,
				   uint64_t *ret_number)
{
	return symbolizer->ops->grain ? symbolizer->ops->grain(symbolizer, offset, ret_number)
				      : SYMBOL_ADDRESS;
}

void symbolizer_close(struct symbolizer *symbolizer)
{
	if (symbolizer)
		symbolizer->ops->close(symbolizer);
}

const char *symbolizer_problem(const struct symbolizer *symbolizer)
{
	return symbolizer->ops->problem ? symbolizer->ops->problem(symbolizer) : NULL;
}
