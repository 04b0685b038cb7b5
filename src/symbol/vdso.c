/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO has no file; the image mapped into this very process is the running kernel's, good when
 * the recording is from this kernel (same build id, or none recorded). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/vdso_image.h"
#include "symbol/elf/elf_image.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

struct vdso_symbolizer {
	struct symbolizer base;
	struct elf_image image;
};

static void vdso_close(struct symbolizer *symbolizer)
{
	struct vdso_symbolizer *vdso = (struct vdso_symbolizer *)symbolizer;

	elf_image_done(&vdso->image);
	free(vdso);
}

static int vdso_open(struct symbolizer **ret, const struct module *module,
		     const struct symbol_options *options, struct err *err)
{
	struct vdso_symbolizer *vdso;
	struct elf_file *elf;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_VDSO || strcmp(module->path, "[vdso]"))
		return 0;
	code = vdso_image_open(&elf, err);
	if (code)
		return code;
	if (module->build_id.len && !build_id_equal(&module->build_id, &elf->build_id)) {
		elf_file_close(elf);
		return err_set(err, -ESTALE, "build id differs: recorded on another kernel");
	}
	vdso = mem_zalloc(sizeof(*vdso));
	vdso->base.ops = &symbolizer_vdso;
	vdso->image.elf = elf;
	elf_image_load(&vdso->image, options);
	*ret = &vdso->base;
	return 0;
}

static bool vdso_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct vdso_symbolizer *vdso = (struct vdso_symbolizer *)symbolizer;
	uint64_t vaddr;

	if (!elf_file_vaddr(vdso->image.elf, offset, &vaddr) ||
	    !elf_image_resolve(&vdso->image, vaddr, ret))
		return false;
	ret->end -= vaddr - offset;
	ret->start -= vaddr - offset;
	return true;
}

const struct symbolizer_ops symbolizer_vdso = {
	.name = "vdso",
	.open = vdso_open,
	.resolve = vdso_resolve,
	.close = vdso_close,
};
