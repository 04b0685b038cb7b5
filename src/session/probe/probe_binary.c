/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and opens binaries to probe (see probe_binary.h). */
#include "session/probe/probe_binary.h"

#include <elf.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "proc/elf_file.h"
#include "proc/library_cache.h"
#include "proc/maps_line.h"
#include "source/probe/probe_placement.h"
#include "symbol/elf/debug_file.h"
#include "unwind/table.h"

#define MAX_MAPS (64u << 20)
#define MAX_CODE (1u << 20)  /* of one function */
#define MAX_TEXT (64u << 20) /* that is searched for jumps */

static bool is_native(const char *path)
{
	struct elf_file *elf, *self;
	struct err ignored = { 0 };
	bool native = false;

	if (elf_file_open(path, &elf, &ignored))
		return false;
	if (!elf_file_open("/proc/self/exe", &self, &ignored)) {
		native = elf->machine == self->machine && elf->is_64 == self->is_64;
		elf_file_close(self);
	}
	elf_file_close(elf);
	return native;
}

/* The personalities of C++ and Rust, and what throws. Static programs in C contain the unwinder's
 * function, too, but do not import it. */
static bool throws(const struct elf_functions *functions)
{
	static const char *const names[] = { "__gxx_personality_v0", "rust_eh_personality",
					     "__cxa_throw", "_Unwind_RaiseException" };

	for (size_t i = 0; i < functions->item.count; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (strcmp(functions->item.item[i].name, names[k]) == 0 &&
			    (k < 3 || functions->item.item[i].imported))
				return true;
	return false;
}

/* Position-independent programs are shared objects, too, but are marked. */
static bool is_program(const struct elf_file *elf)
{
	const struct elf_section *dynamic = elf_file_section(elf, ".dynamic");
	size_t word = elf->is_64 ? 8 : 4, len;
	const uint8_t *data;

	if (elf->type == ET_EXEC)
		return true;
	if (!dynamic || !elf_section_data(elf, dynamic, &data, &len))
		return false;
	for (size_t at = 0; at + 2 * word <= len; at += 2 * word)
		if (elf_word(elf, data + at) == DT_FLAGS_1)
			return elf_word(elf, data + at + word) & DF_1_PIE;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *join(const char *before, const char *path)
{
	char joined[PATH_MAX];

	return snprintf(joined, sizeof(joined), "%s%s", before, path) < (int)sizeof(joined)
		       ? mem_strdup(joined)
		       : NULL;
}

/* What the process has mapped by that name. */
static char *find_mapped(const char *name, int pid)
{
	struct buf text = { .limit = MAX_MAPS };
	char path[64], *found = NULL, *line, *next;
	struct err ignored = { 0 };

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (fd_read_file(path, &text, &ignored)) {
		buf_done(&text);
		return NULL;
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/root", pid);
	for (line = text.data; line && *line && !found; line = next) {
		struct event_mmap map;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!maps_line_executable(line) || !maps_line_parse(line, &map))
			continue;
		if (map.path[0] == '/' && (library_is_named(base_name(map.path), name) ||
					   strcmp(base_name(map.path), name) == 0))
			found = join(path, map.path);
	}
	buf_done(&text);
	return found;
}

bool probe_binary_replaced(const struct probe_binary *binary, int pid, uint64_t ret_mapping[2])
{
	struct buf text = { .limit = MAX_MAPS };
	char path[64], *line, *next;
	struct err ignored = { 0 };
	const char *name = binary->path;
	bool replaced = false, same = false;
	size_t len;

	(void)snprintf(path, sizeof(path), "/proc/%d/root/", pid);
	if (strncmp(name, path, strlen(path)) == 0)
		name += strlen(path) - 1; /* as the process names it */
	len = strlen(name);
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	(void)fd_read_file(path, &text, &ignored); /* the process may have ended */
	for (line = text.data; line && *line && !same; line = next) {
		struct event_mmap map;

		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (!maps_line_executable(line) || !maps_line_parse(line, &map) ||
		    strncmp(map.path, name, len) != 0)
			continue;
		same = !map.path[len];
		if (same || strcmp(map.path + len, " (deleted)") != 0)
			continue;
		replaced = true;
		ret_mapping[0] = map.start;
		ret_mapping[1] = map.start + map.len;
	}
	buf_done(&text);
	return replaced && !same;
}

static char *find_library(const char *name)
{
	struct library_cache cache;
	struct err ignored = { 0 };
	struct file_map map;
	char *found = NULL;
	uint32_t at = 0;
	const char *path;

	if (file_map_open(LIBRARY_CACHE, &map, &ignored))
		return NULL;
	if (library_cache_parse(map.data, map.len, &cache))
		while (!found && (path = library_cache_next(&cache, name, &at)))
			if (is_native(path))
				found = mem_strdup(path);
	file_map_close(&map);
	return found;
}

/* Where linkers without a list look. */
static char *find_in_folders(const char *name)
{
	static const char *const folders[] = { "/lib64",	"/usr/lib64",
					       "/lib",		"/lib/*-linux-gnu",
					       "/usr/lib",	"/usr/lib/*-linux-gnu",
					       "/usr/local/lib" };
	char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(folders) / sizeof(*folders); i++) {
		char pattern[PATH_MAX];
		glob_t paths;

		(void)snprintf(pattern, sizeof(pattern), "%s/*%s*", folders[i], name);
		if (glob(pattern, 0, NULL, &paths))
			continue;
		for (size_t k = 0; !found && k < paths.gl_pathc; k++)
			if (library_is_named(base_name(paths.gl_pathv[k]), name) &&
			    is_native(paths.gl_pathv[k]))
				found = mem_strdup(paths.gl_pathv[k]);
		globfree(&paths);
	}
	return found;
}

static char *find_program(const char *name)
{
	const char *folder = getenv("PATH"), *end;

	for (; folder && *folder; folder = *end ? end + 1 : end) {
		char path[PATH_MAX];

		end = strchrnul(folder, ':');
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)(end - folder), folder, name) <
			    (int)sizeof(path) &&
		    access(path, X_OK) == 0)
			return mem_strdup(path);
	}
	return NULL;
}

static char *find_path(const char *name, int pid)
{
	char root[64], *inside;

	if (pid && name[0] == '/') {
		(void)snprintf(root, sizeof(root), "/proc/%d/root", pid);
		inside = join(root, name);
		if (inside && access(inside, F_OK) == 0)
			return inside;
		free(inside);
	}
	if (access(name, F_OK))
		return NULL;
	inside = realpath(name, NULL);
	/* a link to a file that was removed, as /proc/PID/exe, can be opened all the same */
	return inside || name[0] != '/' ? inside : strdup(name);
}

int probe_binary_find(const char *name, int pid, char **ret_path, struct err *err)
{
	char *path = NULL;

	if (strchr(name, '/')) {
		path = find_path(name, pid);
		if (!path)
			return err_set(err, -ENOENT, "%s: no such file", name);
	}
	if (!path && pid)
		path = find_mapped(name, pid);
	if (!path)
		path = find_library(name);
	if (!path)
		path = find_in_folders(name);
	if (!path)
		path = find_program(name);
	if (!path) {
		(void)err_set(err, -ENOENT, "%s: no such library or program", name);
		(void)err_hint(err, "give its path, as in: ./%s", name);
		return err->code;
	}
	*ret_path = path;
	return 0;
}

int probe_binary_open(const char *name, int pid, struct probe_binary **ret, struct err *err)
{
	struct probe_binary *binary = mem_zalloc(sizeof(*binary));
	struct err ignored = { 0 };
	int code = probe_binary_find(name, pid, &binary->path, err);

	if (!code)
		code = elf_file_open(binary->path, &binary->elf, err);
	if (code) {
		probe_binary_close(binary);
		return code;
	}
	(void)debug_file_open(binary->elf, NULL, &binary->debug, &ignored); /* there may be none */
	elf_functions_read(binary->elf, binary->debug, &binary->functions);
	binary->is_go = elf_file_section(binary->elf, ".gopclntab") ||
			elf_file_section(binary->elf, ".note.go.buildid");
	binary->may_throw = !is_program(binary->elf) || throws(&binary->functions);
	*ret = binary;
	return 0;
}

void probe_binary_code(const struct probe_binary *binary, const struct elf_function *function,
		       struct probe_code *ret)
{
	const struct elf_function *all = binary->functions.item.item;
	size_t at = (size_t)(function - all), count = binary->functions.item.count;
	uint64_t size = function->size;

	*ret = (struct probe_code){ .address = function->address };
	if (!elf_file_at(binary->elf, function->address, &ret->code, &ret->len))
		return;
	while (!size && ++at < count)
		size = all[at].address - function->address;
	if (size && ret->len > size)
		ret->len = size;
	if (ret->len > MAX_CODE)
		ret->len = MAX_CODE;
}

const struct unwind_table *probe_binary_unwind(struct probe_binary *binary)
{
	if (!binary->table)
		binary->table = unwind_table_of_elf(binary->elf);
	return binary->table;
}

/* The last one that begins there or before. */
static const struct elf_function *function_before(const struct probe_binary *binary,
						  uint64_t address)
{
	const struct elf_function *all = binary->functions.item.item;
	size_t low = 0, high = binary->functions.item.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (all[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &all[low - 1] : NULL;
}

bool probe_binary_code_at(struct probe_binary *binary, uint64_t address, struct probe_code *ret)
{
	const struct elf_function *function = function_before(binary, address);
	struct unwind_place place = { 0 };
	struct cfi_fde fde;
	struct cfi_vm vm;
	uint64_t vaddr;

	if (function && !function->imported && address - function->address < function->size) {
		probe_binary_code(binary, function, ret);
		return address - ret->address < ret->len;
	}
	if (!elf_file_offset(binary->elf, address, &place.offset) ||
	    !unwind_table_row(probe_binary_unwind(binary), place, &fde, &vm, &vaddr))
		return false;
	*ret = (struct probe_code){ .address = address };
	if (!elf_file_at(binary->elf, address, &ret->code, &ret->len))
		return false;
	if (ret->len > fde.end - address)
		ret->len = (size_t)(fde.end - address);
	return ret->len != 0;
}

static const struct elf_section *section_at(const struct elf_file *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->section[i];

		if (section->type == SHT_PROGBITS && section->flags & SHF_EXECINSTR &&
		    address >= section->addr && address - section->addr < section->size)
			return section;
	}
	return NULL;
}

static bool read_jumps(struct probe_binary *binary, const struct elf_section *section)
{
	const size_t count = binary->functions.item.count;
	AUTO_FREE uint64_t *start = mem_zalloc((count + 1) * sizeof(*start));
	struct probe_code code = { .address = section->addr };
	size_t starts = 0;

	if (!elf_section_data(binary->elf, section, &code.code, &code.len) || code.len > MAX_TEXT)
		return false;
	for (size_t i = 0; i < count; i++)
		if (binary->functions.item.item[i].address >= section->addr)
			start[starts++] = binary->functions.item.item[i].address;
	probe_jumps_done(&binary->jumps);
	probe_jumps_read(&code, start, starts, &binary->jumps);
	return true;
}

bool probe_binary_jumps_between(struct probe_binary *binary, uint64_t after, uint64_t last)
{
	const struct elf_section *section;

	if (after - binary->jumps.address >= binary->jumps.len) {
		section = section_at(binary->elf, after);
		if (!section || !read_jumps(binary, section))
			return true;
	}
	return probe_jumps_between(&binary->jumps, after, last);
}

static bool is_executable(const struct elf_file *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segment[i];

		if (segment->type == PT_LOAD && segment->flags & PF_X &&
		    address >= segment->vaddr && address - segment->vaddr < segment->file_bytes)
			return true;
	}
	return false;
}

const struct elf_function *probe_binary_function_at(const struct probe_binary *binary,
						    uint64_t address, struct err *err)
{
	struct probe_code code;

	for (size_t i = binary->functions.item.count; i-- > 0;) {
		const struct elf_function *function = &binary->functions.item.item[i];

		if (function->imported || function->address > address ||
		    (function->size && address - function->address >= function->size))
			continue;
		probe_binary_code(binary, function, &code);
		if (address - function->address < code.len && is_executable(binary->elf, address))
			return function;
	}
	(void)err_set(err, -ENOENT, "%s: 0x%" PRIx64 " is in no function", binary->path, address);
	if (!binary->functions.complete)
		(void)err_hint(err, "the file has no symbol table, only the names that it exports: "
				    "install its debug symbols");
	return NULL;
}

void probe_binary_close(struct probe_binary *binary)
{
	if (!binary)
		return;
	probe_jumps_done(&binary->jumps);
	unwind_table_close(binary->table);
	elf_functions_done(&binary->functions);
	elf_file_close(binary->debug);
	elf_file_close(binary->elf);
	free(binary->path);
	free(binary);
}
