/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF programs: each is one function, named by the recording's KSYMBOL record, which remains valid
 * after the program is gone and its address is reused. */
#include <stdlib.h>

#include "base/arena.h"
#include "proc/module.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

struct bpf_symbolizer {
	struct symbolizer base;
	const struct module *module;
};

static int bpf_open(struct symbolizer **ret, const struct module *module,
		    const struct symbol_options *options, struct err *err)
{
	struct bpf_symbolizer *bpf;

	(void)options;
	(void)err;
	*ret = NULL;
	if (module->kind != MODULE_BPF || !module->name[0])
		return 0;
	bpf = mem_zalloc(sizeof(*bpf));
	bpf->base.ops = &symbolizer_bpf;
	bpf->module = module;
	*ret = &bpf->base;
	return 0;
}

static bool bpf_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	const struct module *module = ((struct bpf_symbolizer *)symbolizer)->module;

	(void)offset; /* a module that is one function */
	ret->count = 1;
	ret->frame[0] = (struct symbol_frame){ .name = module->name };
	ret->start = module->map_start;
	ret->end = module->map_end;
	ret->binding = 'l';
	return true;
}

static void bpf_close(struct symbolizer *symbolizer)
{
	free(symbolizer);
}

const struct symbolizer_ops symbolizer_bpf = {
	.name = "bpf",
	.open = bpf_open,
	.resolve = bpf_resolve,
	.close = bpf_close,
};
