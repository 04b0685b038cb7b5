// SPDX-License-Identifier: GPL-2.0-or-later
/* Machine code by kind of module (see code_image.h). */
#include "symbol/code/code_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "proc/vdso_image.h"
#include "symbol/jit/jitdump.h"
#include "symbol/kernel/vmlinux.h"
#include "symbol/symbolizer.h"

struct code_image {
	struct elf_file *elf; /* NULL: of a jitdump */
	bool slides;	      /* offsets are addresses: those of the file and `slide` */
	bool doubtful;
	uint64_t slide;
	struct jitdump dump;
	struct file_map map; /* of the jitdump */
};

static int open_vdso(struct code_image *image, const struct module *module, struct err *err)
{
	int code = vdso_image_open(&image->elf, err);

	if (code || !module->build_id.len ||
	    build_id_equal(&module->build_id, &image->elf->build_id))
		return code;
	return err_set(err, -ESTALE, "build id differs: recorded on another kernel");
}

static int open_kernel(struct code_image *image, const struct module *module,
		       const struct symbol_options *options, struct err *err)
{
	const struct elf_section *text;
	const uint8_t *bytes;
	size_t len;

	image->slides = true;
	if (vmlinux_open_file(module, options, &image->elf, &image->slide, err)) {
		if (options->vmlinux_path)
			return err->code;
		(void)err_set(err, -ENOENT, "no file has the kernel's code");
		return err_hint(err, "give the recorded kernel's image with --vmlinux FILE");
	}
	text = elf_file_section(image->elf, ".text");
	if (!text || !elf_section_data(image->elf, text, &bytes, &len))
		return err_set(err, -ENODATA, "%s: a debug file without code", image->elf->path);
	return 0;
}

static int open_jit(struct code_image *image, const struct module *module,
		    const struct symbol_options *options, struct err *err)
{
	AUTO_CLOSE int fd = jitdump_open(module, options, err);

	if (fd < 0) {
		(void)err_set(err, -ENOENT, "no jitdump file has this process's code");
		return err_hint(err, "let the runtime write one, such as: node --perf-prof, "
				     "java -agentpath:libperf-jvmti.so, python3 -X perf_jit");
	}
	if (file_map_fd(fd, &image->map, err))
		return err->code;
	return jitdump_parse(image->map.data, image->map.len, &image->dump, err);
}

/* Code that only the running kernel has. */
static int explain_bpf(const struct module *module, struct err *err)
{
	static const char prefix[] = "bpf_prog_"; /* a tag of 16 digits follows, and the name */
	const char *name = module->name ? module->name : "";
	bool tagged = strncmp(name, prefix, sizeof(prefix) - 1) == 0;

	(void)err_set(err, -ENOTSUP, "only the kernel has the code of a BPF program");
	return tagged ? err_hint(err, "while it is loaded: bpftool prog dump jited tag %.16s",
				 name + sizeof(prefix) - 1)
		      : err_hint(err, "programs that are loaded: bpftool prog");
}

static int explain_kmodule(struct err *err)
{
	(void)err_set(err, -ENOTSUP, "code of kernel modules cannot be shown");
	return err_hint(err, "samples by function need no code: cupel report; the file's code: "
			     "objdump -d of what modinfo -n prints");
}

static int open_kind(struct code_image *image, const struct module *module,
		     const struct symbol_options *options, struct err *err)
{
	switch (module->kind) {
	case MODULE_FILE:
		return module_file_open(module, options->symfs, &image->elf, &image->doubtful, err);
	case MODULE_VDSO:
		return open_vdso(image, module, err);
	case MODULE_KERNEL:
		return open_kernel(image, module, options, err);
	case MODULE_JIT:
		return open_jit(image, module, options, err);
	case MODULE_BPF:
		return explain_bpf(module, err);
	case MODULE_KMODULE:
		return explain_kmodule(err);
	case MODULE_VSYSCALL:
	case MODULE_PYTHON:
	case MODULE_UNKNOWN:
		break;
	}
	return err_set(err, -ENOTSUP, "no file has this code");
}

int code_image_open(const struct module *module, const struct symbol_options *options,
		    struct code_image **ret, struct err *err)
{
	struct code_image *image = mem_zalloc(sizeof(*image));

	if (open_kind(image, module, options, err)) {
		code_image_close(image);
		return err->code;
	}
	*ret = image;
	return 0;
}

void code_image_close(struct code_image *image)
{
	if (!image)
		return;
	elf_file_close(image->elf);
	jitdump_done(&image->dump);
	file_map_close(&image->map);
	free(image);
}

uint16_t code_image_machine(const struct code_image *image)
{
	return image->elf ? image->elf->machine : image->dump.machine;
}

const char *code_image_doubt(const struct code_image *image)
{
	return image->doubtful ? "the file may have changed since the recording: its inode differs"
			       : NULL;
}

static bool jit_at(const struct code_image *image, uint64_t offset, const uint8_t **ret,
		   size_t *ret_len)
{
	const struct range *range = range_table_find(&image->dump.ranges, offset);
	const struct jit_function *function = range ? &image->dump.functions.item[range->tag]
						    : NULL;
	uint64_t at;

	if (!range || !function->code)
		return false;
	at = function->code + (offset - function->start);
	if (at >= image->map.len)
		return false;
	*ret = image->map.data + at;
	*ret_len = function->end - offset < image->map.len - at ? function->end - offset
								: image->map.len - at;
	return true;
}

bool code_image_at(const struct code_image *image, uint64_t offset, const uint8_t **ret,
		   size_t *ret_len)
{
	uint64_t address;

	if (!image->elf)
		return jit_at(image, offset, ret, ret_len);
	return code_image_address(image, offset, &address) &&
	       elf_file_at(image->elf, address, ret, ret_len);
}

bool code_image_address(const struct code_image *image, uint64_t offset, uint64_t *ret)
{
	if (image->elf && !image->slides)
		return elf_file_vaddr(image->elf, offset, ret);
	*ret = offset - image->slide;
	return true;
}

bool code_image_offset(const struct code_image *image, uint64_t address, uint64_t *ret)
{
	uint64_t back;

	if (image->elf && !image->slides)
		return elf_file_offset(image->elf, address, ret) &&
		       elf_file_vaddr(image->elf, *ret, &back) && back == address;
	*ret = address + image->slide;
	return true;
}
