/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of ELF files: finds the module's file and its debug file. A debug file with the build
 * id can name a module without a file. */
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_image.h"
#include "symbol/kept/kept_names.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

struct elf_symbolizer {
	struct symbolizer base;
	struct elf_image image;
};

/* True if only the path of a file matches, and the recording shows that it is another one or has
 * the names itself. A folder given by the user is trusted. */
static bool is_replaced(const struct module *module, const struct symbol_options *options,
			const struct elf_file *elf)
{
	const struct kept_module *kept = kept_names_find(options->kept, module);
	bool asked = options->symfs && options->symfs[0];

	return kept && !module->build_id.len && !asked && !elf->bundle &&
	       !kept_module_is_file(kept, elf->path);
}

static int open_files(struct elf_image *image, const struct module *module,
		      const struct symbol_options *options, struct err *err)
{
	struct err ignored = { 0 };
	bool doubtful = false;
	int code = module_file_open(module, options->symfs, &image->elf, &doubtful, err);

	if (!code && is_replaced(module, options, image->elf))
		return err_set(err, -ESTALE, "file changed since the recording");
	if (doubtful)
		image->problem = "file may have changed since the recording: inode differs";
	if (!code) {
		if (debug_file_open(image->elf, options->symfs, &image->debug, &ignored) &&
		    (elf_file_section(image->elf, ".debug_info") ||
		     !elf_image_ask_debuginfod(image, &image->elf->build_id, options,
					       &image->debug)))
			image->debug = NULL;
		return 0;
	}
	if (debug_file_open_build_id(&module->build_id, options->symfs, &image->elf, &ignored) &&
	    !elf_image_ask_debuginfod(image, &module->build_id, options, &image->elf))
		return code;
	debug_file_restore_offsets(image->elf);
	image->problem = "file not found: names come from its debug file";
	return 0;
}

static int elf_open(struct symbolizer **ret, const struct module *module,
		    const struct symbol_options *options, struct err *err)
{
	struct elf_symbolizer *self;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_FILE)
		return 0;
	self = mem_zalloc(sizeof(*self));
	self->base.ops = &symbolizer_elf;
	code = open_files(&self->image, module, options, err);
	if (code) {
		elf_image_done(&self->image);
		free(self);
		return code;
	}
	elf_image_load(&self->image, options);
	*ret = &self->base;
	return 0;
}

static bool elf_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	const struct elf_symbolizer *self = (const struct elf_symbolizer *)symbolizer;
	uint64_t vaddr;

	if (!elf_file_vaddr(self->image.elf, offset, &vaddr) ||
	    !elf_image_resolve(&self->image, vaddr, ret))
		return false;
	ret->start -= vaddr - offset;
	ret->end -= vaddr - offset;
	return true;
}

static enum symbol_grain elf_grain(struct symbolizer *symbolizer, uint64_t offset,
				   uint64_t *ret_number)
{
	const struct elf_symbolizer *self = (const struct elf_symbolizer *)symbolizer;
	uint64_t vaddr;

	if (!elf_file_vaddr(self->image.elf, offset, &vaddr))
		return SYMBOL_NONE;
	return elf_image_grain(&self->image, vaddr, ret_number);
}

static void elf_close(struct symbolizer *symbolizer)
{
	struct elf_symbolizer *self = (struct elf_symbolizer *)symbolizer;

	elf_image_done(&self->image);
	free(self);
}

static const char *elf_problem(const struct symbolizer *symbolizer)
{
	return elf_image_problem(&((const struct elf_symbolizer *)symbolizer)->image);
}

const struct symbolizer_ops symbolizer_elf = {
	.name = "elf",
	.open = elf_open,
	.resolve = elf_resolve,
	.grain = elf_grain,
	.close = elf_close,
	.problem = elf_problem,
};
