// SPDX-License-Identifier: GPL-2.0-or-later
/* Machine code by kind of module (see code_image.h). */
#include "symbol/code/code_image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/sink.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_bundle.h"
#include "proc/module_file.h"
#include "proc/scan.h"
#include "proc/vdso_image.h"
#include "symbol/jit/jitdump.h"
#include "symbol/kernel/kcore.h"
#include "symbol/kernel/kernel_match.h"
#include "symbol/kernel/vmlinux.h"
#include "symbol/shared.h"
#include "symbol/symbolizer.h"

struct code_image {
	struct elf_file *elf; /* NULL: of a jitdump, or of the running kernel */
	bool slides;	      /* offsets are addresses: those of the file and `slide` */
	bool doubtful;
	uint64_t slide;
	struct jitdump dump;
	struct bundled_file jit; /* the jitdump */
	struct file_map map;	 /* of it; data NULL = it came with the recording */
	struct kcore_bytes core; /* of the running kernel; data NULL = none */
	uint64_t core_start;	 /* its address */
	uint16_t core_machine;
};

static int open_vdso(struct code_image *image, const struct module *module, struct err *err)
{
	int code = vdso_image_open(&image->elf, err);

	if (code || !module->build_id.len ||
	    build_id_equal(&module->build_id, &image->elf->build_id))
		return code;
	return err_set(err, -ESTALE, "build id differs: recorded on another kernel");
}

struct loaded {
	struct sink sink;
	const struct module *module;
	bool found;
};

static int find_loaded(struct sink *sink, const struct event *event, struct err *err)
{
	struct loaded *loaded = (struct loaded *)sink;
	const struct module *module = loaded->module;

	(void)err;
	loaded->found |= event->mmap.start == module->map_start &&
			 event->mmap.start + event->mmap.len == module->map_end &&
			 !strcmp(event->mmap.path, module->path);
	return 0;
}

/* A module that was loaded again has other addresses. */
static int check_kmodule(const struct module *module, struct err *err)
{
	const struct scan_options options = { 0 };
	struct loaded loaded = { .sink = { .event = find_loaded }, .module = module };

	if (scan_kernel(&options, &loaded.sink, err))
		return err->code;
	return loaded.found ? 0 : err_set(err, -ESTALE, "it is not loaded where it was");
}

/* The user's options for other files do not apply to the running kernel. */
static int find_slide(const struct module *module, const struct symbol_options *options,
		      uint64_t *ret, struct err *err)
{
	struct symbol_options running = *options;
	const struct kallsyms *kallsyms;
	struct symbol_shared *own = NULL;
	int code;

	running.kallsyms_path = NULL;
	if (!running.shared || options->kallsyms_path)
		running.shared = own = symbol_shared_new();
	code = symbol_shared_kallsyms(running.shared, NULL, &kallsyms, err);
	if (!code)
		code = kernel_match(kallsyms, module, &running, ret, err);
	symbol_shared_free(own);
	return code;
}

/* The code that runs, which the kernel patches as it starts: no file has it. */
static int open_core(struct code_image *image, const struct module *module,
		     const struct symbol_options *options, struct err *err)
{
	if (!options->kcore)
		return err_set(err, -ENOENT, "/proc/kcore is not used here");
	if (find_slide(module, options, &image->slide, err))
		return err->code;
	if (module->kind == MODULE_KMODULE && check_kmodule(module, err))
		return err->code;
	image->slides = true;
	image->core_start = module->map_start - image->slide;
	image->core_machine = kcore_machine(options->kcore);
	return kcore_read(options->kcore, image->core_start, module->map_end - image->slide,
			  &image->core, err);
}

static int open_kernel(struct code_image *image, const struct module *module,
		       const struct symbol_options *options, struct err *err)
{
	const struct elf_section *text;
	struct err why = { 0 };
	const uint8_t *bytes;
	size_t len;

	image->slides = true;
	if (vmlinux_open_file(module, options, &image->elf, &image->slide, err)) {
		if (options->vmlinux_path)
			return err->code;
		if (!open_core(image, module, options, &why))
			return 0;
		(void)err_set(err, -ENOENT, "no file has the kernel's code; %s", why.msg);
		return err_hint(err, "give the recorded kernel's image with --vmlinux FILE, or "
				     "annotate as root on the kernel that was recorded");
	}
	text = elf_file_section(image->elf, ".text");
	if (!text || !elf_section_data(image->elf, text, &bytes, &len))
		return err_set(err, -ENODATA, "%s: a debug file without code", image->elf->path);
	return 0;
}

static bool find_packed(const struct module *module, struct bundled_file *ret)
{
	const struct module_bundle *bundle = module->bundle;
	const struct build_id none = { 0 };
	char name[64];

	(void)snprintf(name, sizeof(name), "tmp/jit-%u.dump", module->pid); /* session/pack.c */
	if (bundle)
		*ret = bundle->find(bundle, &none, name, "");
	return bundle && ret->data;
}

static int parse_jit(struct code_image *image, struct bundled_file file, struct err *err)
{
	image->jit = file;
	return jitdump_parse(file.data, file.len, &image->dump, err);
}

static int open_jit(struct code_image *image, const struct module *module,
		    const struct symbol_options *options, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	struct bundled_file packed;

	if (find_packed(module, &packed))
		return parse_jit(image, packed, err);
	fd = jitdump_open(module, options, err);
	if (fd < 0) {
		(void)err_set(err, -ENOENT, "no jitdump file has this process's code");
		return err_hint(err, "let the runtime write one, such as: node --perf-prof, "
				     "java -agentpath:libperf-jvmti.so, python3 -X perf_jit");
	}
	if (file_map_fd(fd, &image->map, err))
		return err->code;
	return parse_jit(image, (struct bundled_file){ image->map.data, image->map.len }, err);
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

static int open_kmodule(struct code_image *image, const struct module *module,
			const struct symbol_options *options, struct err *err)
{
	struct err why = { 0 };

	if (!open_core(image, module, options, &why))
		return 0;
	(void)err_set(err, -ENOTSUP, "the code of kernel modules is in the kernel alone; %s",
		      why.msg);
	return err_hint(err, "annotate as root while the module is loaded; the file's code: "
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
		return open_kmodule(image, module, options, err);
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
	free(image->core.data);
	free(image);
}

uint16_t code_image_machine(const struct code_image *image)
{
	if (image->core.data)
		return image->core_machine;
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
	if (at >= image->jit.len)
		return false;
	*ret = image->jit.data + at;
	*ret_len = function->end - offset < image->jit.len - at ? function->end - offset
								: image->jit.len - at;
	return true;
}

static bool core_at(const struct code_image *image, uint64_t address, const uint8_t **ret,
		    size_t *ret_len)
{
	uint64_t at = address - image->core_start;

	if (at >= image->core.len)
		return false;
	*ret = image->core.data + at;
	*ret_len = image->core.len - at;
	return true;
}

bool code_image_at(const struct code_image *image, uint64_t offset, const uint8_t **ret,
		   size_t *ret_len)
{
	uint64_t address;

	if (image->core.data)
		return core_at(image, offset - image->slide, ret, ret_len);
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
	if (image->elf && !image->slides)
		return elf_file_data_offset(image->elf, address, ret);
	*ret = address + image->slide;
	return true;
}
