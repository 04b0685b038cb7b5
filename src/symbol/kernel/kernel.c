/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel and kernel module functions by kallsyms of the running kernel, only if it is the recorded
 * one (kernel_match.h). */
#include "symbol/kernel/kernel_match.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/registry.h"
#include "symbol/shared.h"
#include "symbol/symbolizer.h"

struct kernel_symbolizer {
	struct symbolizer base;
	const struct kallsyms *kallsyms;
	uint64_t slide; /* recorded address - address in kallsyms */
	struct symbol_shared *own_shared;
};

/* The kernel of the recording, which kernel modules belong to; NULL = not known. */
static const struct module *recorded_kernel(const struct module *module,
					    const struct symbol_options *options)
{
	if (module->kind == MODULE_KERNEL)
		return module;
	if (options->kernel || !options->modules)
		return options->kernel;
	return module_table_kernel(options->modules);
}

int kernel_match(const struct kallsyms *kallsyms, const struct module *module,
		 const struct symbol_options *options, uint64_t *ret_slide, struct err *err)
{
	const struct module *recorded = recorded_kernel(module, options);
	struct build_id running;
	bool proven = options->kallsyms_path != NULL; /* the user's word */

	*ret_slide = 0;
	if (!recorded)
		return 0;
	if (!proven && recorded->build_id.len) {
		symbol_running_kernel(&running);
		if (running.len && !build_id_equal(&running, &recorded->build_id))
			return err_set(err, -ESTALE,
				       "build id differs: recorded on another kernel");
		proven = running.len != 0;
	}
	if (!recorded->text_start || !kallsyms->text_start ||
	    recorded->text_start == kallsyms->text_start)
		return 0;
	if (!proven)
		return err_set(err, -ESTALE,
			       "recorded on another boot or kernel, without a build id");
	/* Modules are loaded anew in another order; only the kernel moves as a whole. */
	if (module->kind != MODULE_KERNEL)
		return err_set(err, -ESTALE, "recorded before the last boot: the module has moved");
	*ret_slide = recorded->text_start - kallsyms->text_start;
	return 0;
}

static void kernel_close(struct symbolizer *symbolizer)
{
	struct kernel_symbolizer *kernel = (struct kernel_symbolizer *)symbolizer;

	symbol_shared_free(kernel->own_shared);
	free(kernel);
}

static int kernel_open(struct symbolizer **ret, const struct module *module,
		       const struct symbol_options *options, struct err *err)
{
	struct kernel_symbolizer *kernel;
	struct symbol_shared *shared = options->shared;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_KERNEL && module->kind != MODULE_KMODULE)
		return 0;
	kernel = mem_zalloc(sizeof(*kernel));
	kernel->base.ops = &symbolizer_kernel;
	if (!shared)
		shared = kernel->own_shared = symbol_shared_new();
	code = symbol_shared_kallsyms(shared, options->kallsyms_path, &kernel->kallsyms, err);
	if (!code)
		code = kernel_match(kernel->kallsyms, module, options, &kernel->slide, err);
	if (code) {
		kernel_close(&kernel->base);
		return code;
	}
	*ret = &kernel->base;
	return 0;
}

static bool kernel_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct kernel_symbolizer *kernel = (struct kernel_symbolizer *)symbolizer;
	const struct range *range = kallsyms_find(kernel->kallsyms, offset - kernel->slide);

	if (!range)
		return false;
	ret->count = 1;
	ret->frame[0] = (struct symbol_frame){ .name = kernel->kallsyms->text + range->name };
	ret->start = range->start + kernel->slide;
	ret->end = range->end + kernel->slide;
	ret->binding = (char)(range->tag & 0xff);
	return true;
}

static enum symbol_grain kernel_grain(struct symbolizer *symbolizer, uint64_t offset,
				      uint64_t *ret_number)
{
	struct kernel_symbolizer *self = (struct kernel_symbolizer *)symbolizer;
	const struct range *range = kallsyms_find(self->kallsyms, offset - self->slide);

	if (!range)
		return SYMBOL_NONE;
	*ret_number = (uint64_t)(range - self->kallsyms->ranges.item);
	return SYMBOL_FUNCTION;
}

const struct symbolizer_ops symbolizer_kernel = {
	.name = "kallsyms",
	.open = kernel_open,
	.resolve = kernel_resolve,
	.grain = kernel_grain,
	.close = kernel_close,
};
