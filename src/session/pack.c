/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packing (see pack.h). Binaries are laid out as in perf's cache of them, ~/.debug: PATH/ID/elf and
 * PATH/ID/debug, with a link .build-id/xx/yyyy to the folder; those without a build id under their
 * own path. */
#include "session/pack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "format/archive/archive.h"
#include "format/archive/archive_write.h"
#include "format/archive/tar.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/module_file.h"
#include "session/inject/inject.h"
#include "session/keep_names.h"
#include "session/recording.h"
#include "symbol/elf/debug_file.h"
#include "symbol/jit/jitdump.h"
#include "symbol/jit/perfmap.h"
#include "symbol/symbolizer.h"

#define KALLSYMS_BYTES ((size_t)256 << 20)

struct packer {
	const struct pack_options *options;
	struct archive_writer *writer;
	struct pack_tally *tally;
	struct map packed; /* hash of a name → 1 */
	uint64_t now_s;
};

static int put(struct packer *packer, const char *name, const void *data, size_t len,
	       struct err *err)
{
	const struct tar_member member = { .name = name,
					   .type = TAR_FILE,
					   .modified_s = packer->now_s,
					   .data = data,
					   .len = len };
	bool added;

	*map_add(&packer->packed, hash_bytes(name, strlen(name)), &added) = 1;
	return added ? archive_writer_add(packer->writer, &member, err) : 0;
}

/* What cannot be mapped is left out: names are in the archive anyway. */
static int put_descriptor(struct packer *packer, const char *name, int fd, struct err *err)
{
	struct err ignored = { 0 };
	struct file_map map;
	int code;

	if (file_map_fd(fd, &map, &ignored))
		return 0;
	code = put(packer, name, map.data, map.len, err);
	packer->tally->jit_files += !code;
	file_map_close(&map);
	return code;
}

/* What a runtime wrote about the code that it generated. */
static int put_jit_files(struct packer *packer, const struct module *module,
			 const struct module_table *all, struct err *err)
{
	const struct symbol_options options = { .symfs = "", .modules = all };
	struct err ignored = { 0 };
	AUTO_CLOSE int map = perfmap_open_file(module->pid, NULL, &ignored);
	AUTO_CLOSE int dump = jitdump_open(module, &options, &ignored);
	char name[64];

	(void)snprintf(name, sizeof(name), "tmp/perf-%u.map", module->pid);
	if (map >= 0 && put_descriptor(packer, name, map, err))
		return err->code;
	(void)snprintf(name, sizeof(name), "tmp/jit-%u.dump", module->pid);
	return dump >= 0 ? put_descriptor(packer, name, dump, err) : 0;
}

/* The link from a build id to the folder of its files. */
static int put_link(struct packer *packer, const char *hex, const char *folder, struct err *err)
{
	struct buf name = { 0 }, link = { 0 };
	struct tar_member member = { .type = TAR_SYMLINK, .modified_s = packer->now_s };
	bool added;
	int code = 0;

	(void)buf_printf(&name, ".build-id/%.2s/%s", hex, hex + 2);
	(void)buf_printf(&link, "../../%s", folder);
	member.name = name.data;
	member.link = link.data;
	*map_add(&packer->packed, hash_bytes(name.data, name.len), &added) = 1;
	if (added)
		code = archive_writer_add(packer->writer, &member, err);
	buf_done(&name);
	buf_done(&link);
	return code;
}

static int put_elf(struct packer *packer, const struct elf_file *elf, const char *folder,
		   const char *file, struct err *err)
{
	struct buf name = { 0 };
	int code;

	(void)buf_printf(&name, "%s%s%s", folder, file[0] ? "/" : "", file);
	code = put(packer, name.data, elf->data, elf->len, err);
	packer->tally->binary_bytes += elf->len;
	buf_done(&name);
	return code;
}

static int put_binary(struct packer *packer, const struct module *module,
		      const struct elf_file *elf, struct err *err)
{
	const char *path = module->path + strspn(module->path, "/");
	struct err ignored = { 0 };
	struct elf_file *debug = NULL;
	struct buf folder = { 0 };
	char hex[2 * BUILD_ID_MAX + 1];
	int code;

	if (!tar_name_is_safe(path)) {
		packer->tally->missing++;
		return 0;
	}
	packer->tally->binaries++;
	if (elf->build_id.len < 2)
		return put_elf(packer, elf, path, "", err);
	build_id_hex(&elf->build_id, hex);
	(void)buf_printf(&folder, "%s/%s", path, hex);
	code = put_link(packer, hex, folder.data, err);
	if (!code)
		code = put_elf(packer, elf, folder.data, "elf", err);
	if (!code && !debug_file_open(elf, "", &debug, &ignored))
		code = put_elf(packer, debug, folder.data, "debug", err);
	elf_file_close(debug);
	buf_done(&folder);
	return code;
}

/* The symbols of the running kernel, if that is the recorded one and shows its addresses. */
static int put_kallsyms(struct packer *packer, const struct module *module, struct err *err)
{
	struct buf text = { .limit = KALLSYMS_BYTES }, name = { 0 };
	struct err ignored = { 0 };
	struct build_id running;
	char hex[2 * BUILD_ID_MAX + 1], folder[sizeof(hex) + 32];
	int code = 0;

	if (!build_id_read_kernel("", NULL, &running) ||
	    !build_id_equal(&running, &module->build_id) ||
	    fd_read_file("/proc/kallsyms", &text, &ignored) || !text.data ||
	    strspn(text.data, "0") >= 16) {
		packer->tally->missing++;
	} else {
		build_id_hex(&running, hex);
		(void)snprintf(folder, sizeof(folder), "[kernel.kallsyms]/%s", hex);
		(void)buf_printf(&name, "%s/kallsyms", folder);
		code = put_link(packer, hex, folder, err);
		if (!code)
			code = put(packer, name.data, text.data, text.len, err);
		packer->tally->binaries++;
		packer->tally->binary_bytes += text.len;
	}
	buf_done(&text);
	buf_done(&name);
	return code;
}

static int put_module(void *context, const struct module *module, const struct module_table *all,
		      bool stacks, struct err *err)
{
	struct packer *packer = context;
	struct err ignored = { 0 };
	struct elf_file *elf;
	bool doubtful;
	int code;

	packer->tally->modules += module->kind != MODULE_UNKNOWN;
	packer->tally->stacks = stacks;
	if (module->kind == MODULE_JIT)
		return put_jit_files(packer, module, all, err);
	if (module->kind == MODULE_KERNEL && packer->options->binaries)
		return put_kallsyms(packer, module, err);
	if ((module->kind != MODULE_FILE && module->kind != MODULE_KMODULE) ||
	    !(packer->options->binaries || stacks))
		return 0;
	if (module_file_open(module, "", &elf, &doubtful, &ignored)) {
		packer->tally->missing++;
		return 0;
	}
	code = put_binary(packer, module, elf, err);
	elf_file_close(elf);
	return code;
}

/* Of a folder with a file for each recording thread, one file is made. */
static int put_folder(struct packer *packer, struct recording *recording, struct err *err)
{
	const struct inject_options options = { 0 };
	AUTO_CLOSE int fd = fd_temporary("recording", err);
	struct tar_member member = { .name = ARCHIVE_RECORDING, .type = TAR_FILE };
	struct inject_tally tally;
	struct file_map map;
	int code;

	if (fd < 0)
		return fd;
	code = inject_recording(recording_name(recording), &options, fd, &tally, err);
	buf_done(&tally.notes);
	if (code || file_map_fd(fd, &map, err))
		return err->code;
	member.data = map.data;
	member.len = map.len;
	member.modified_s = input_modified_s(recording_input(recording));
	packer->tally->recording_bytes = map.len;
	code = archive_writer_add(packer->writer, &member, err);
	file_map_close(&map);
	return code;
}

/* Before anything is read, so that a pipe's bytes are kept. */
static int put_recording(struct packer *packer, struct recording *recording, struct err *err)
{
	struct input *input = recording_input(recording);
	struct tar_member member = { .name = ARCHIVE_RECORDING, .type = TAR_FILE };
	struct perf_data *data;

	if (input_map(input, &member.data, &member.len, err) ||
	    recording_data(recording, &data, err))
		return err->code;
	if (perf_data_header(data)->features[0] >> PERF_FEATURE_DIR_FORMAT & 1)
		return put_folder(packer, recording, err);
	member.modified_s = input_modified_s(input) ? input_modified_s(input) : packer->now_s;
	packer->tally->recording_bytes = member.len;
	return archive_writer_add(packer->writer, &member, err);
}

int pack_recording(struct recording *recording, const struct pack_options *options,
		   struct archive_writer *writer, struct pack_tally *ret, struct err *err)
{
	struct packer packer = {
		.options = options, .writer = writer, .tally = ret, .now_s = (uint64_t)time(NULL)
	};
	const struct keep_names_visit visit = { .module = put_module, .context = &packer };
	struct buf names = { 0 };
	int code;

	*ret = (struct pack_tally){ 0 };
	code = put_recording(&packer, recording, err);
	if (!code)
		code = keep_names_visit(recording, &visit, &names, err);
	if (!code)
		code = put(&packer, ARCHIVE_NAMES, names.data, names.len, err);
	ret->name_bytes = names.len;
	if (!code)
		code = archive_writer_finish(writer, err);
	buf_done(&names);
	map_done(&packer.packed);
	return code;
}
