/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel functions by an uncompressed kernel image: the one given by the user, or a debug file with
 * the recorded kernel's build id. It has what kallsyms lacks: sizes, inlined functions, lines, and
 * names for another machine's kernel. The recorded address of _text gives the image's position. */
#include "symbol/kernel/vmlinux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "symbol/elf/debug_file.h"
#include "symbol/elf/elf_image.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

struct vmlinux_symbolizer {
	struct symbolizer base;
	struct elf_image image;
	uint64_t slide; /* recorded address - address in the image */
};

static int open_file(const struct module *module, const struct symbol_options *options,
		     struct elf_file **ret, struct err *err)
{
	struct err ignored = { 0 };
	int code;

	if (!options->vmlinux_path)
		return debug_file_open_build_id(&module->build_id, options->symfs, ret, &ignored);
	code = elf_file_open(options->vmlinux_path, ret, err);
	if (code)
		return code;
	if (!module->build_id.len || !(*ret)->build_id.len ||
	    build_id_equal(&module->build_id, &(*ret)->build_id))
		return 0;
	elf_file_close(*ret);
	return err_set(err, -ESTALE, "%s: build id differs: not the recorded kernel",
		       options->vmlinux_path);
}

int vmlinux_open_file(const struct module *module, const struct symbol_options *options,
		      struct elf_file **ret, uint64_t *ret_slide, struct err *err)
{
	const struct elf_section *text;
	int code = open_file(module, options, ret, err);

	if (code)
		return code;
	text = elf_file_section(*ret, ".text"); /* _text is where it begins */
	*ret_slide = text && module->text_start ? module->text_start - text->addr : 0;
	return 0;
}

static int vmlinux_open(struct symbolizer **ret, const struct module *module,
			const struct symbol_options *options, struct err *err)
{
	struct vmlinux_symbolizer *self;
	struct elf_file *elf;
	uint64_t slide;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_KERNEL)
		return 0;
	code = vmlinux_open_file(module, options, &elf, &slide, err);
	if (code)
		return options->vmlinux_path ? code : 0; /* without one there is kallsyms */
	self = mem_zalloc(sizeof(*self));
	self->base.ops = &symbolizer_vmlinux;
	self->image.elf = elf;
	self->slide = slide;
	elf_image_load(&self->image, options);
	*ret = &self->base;
	return 0;
}

static bool vmlinux_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	const struct vmlinux_symbolizer *self = (const struct vmlinux_symbolizer *)symbolizer;

	if (!elf_image_resolve(&self->image, offset - self->slide, ret))
		return false;
	ret->start += self->slide;
	ret->end += self->slide;
	return true;
}

static void vmlinux_close(struct symbolizer *symbolizer)
{
	struct vmlinux_symbolizer *self = (struct vmlinux_symbolizer *)symbolizer;

	elf_image_done(&self->image);
	free(self);
}

static const char *vmlinux_problem(const struct symbolizer *symbolizer)
{
	return elf_image_problem(&((const struct vmlinux_symbolizer *)symbolizer)->image);
}

const struct symbolizer_ops symbolizer_vmlinux = {
	.name = "vmlinux",
	.open = vmlinux_open,
	.resolve = vmlinux_resolve,
	.close = vmlinux_close,
	.problem = vmlinux_problem,
};
