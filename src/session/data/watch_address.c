/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses to be watched (see watch_address.h). */
#include "session/data/watch_address.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/confined.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/sink.h"
#include "proc/elf_file.h"
#include "proc/module.h"
#include "proc/proc.h"
#include "proc/scan.h"
#include "session/data/data_module.h"
#include "source/arch.h"

#define MAPS_MAX ((size_t)64 << 20)

struct wanted {
	char name[128]; /* "" = a number */
	uint64_t offset;
};

static int parse(const char *text, struct wanted *ret, struct err *err)
{
	const char *plus = strrchr(text, '+');
	size_t len = plus ? (size_t)(plus - text) : strlen(text);
	char *end;

	*ret = (struct wanted){ 0 };
	if (isdigit((unsigned char)text[0])) {
		errno = 0;
		ret->offset = strtoull(text, &end, 0);
		if (*end == '+' && isdigit((unsigned char)end[1]))
			ret->offset += strtoull(end + 1, &end, 0);
		if (*end || errno || !ret->offset)
			return err_usage(err, "'%s': expected an address, as in 0x7f0012345678",
					 text);
		return 0;
	}
	if (!len || len >= sizeof(ret->name))
		return err_usage(err, "'%s': expected an address or a variable", text);
	memcpy(ret->name, text, len);
	if (plus) {
		ret->offset = strtoull(plus + 1, &end, 0);
		if (*end || !isdigit((unsigned char)plus[1]))
			return err_usage(err, "'%s': expected VARIABLE+OFFSET", text);
	}
	return 0;
}

static void fill(const char *text, const struct wanted *wanted, const struct elf_object *object,
		 uint64_t bias, struct watch_address *ret)
{
	*ret = (struct watch_address){ .address = wanted->offset };
	(void)snprintf(ret->name, sizeof(ret->name), "%s", text);
	if (!object)
		return;
	ret->address += object->address + bias;
	ret->size = wanted->offset < object->size ? object->size - wanted->offset : 0;
}

struct search {
	struct sink sink;
	struct module_table *modules;
	struct proc_table *procs;
};

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	proc_table_apply(((struct search *)sink)->procs, event);
	return 0;
}

static bool find_in(struct data_modules *files, const struct address_space *space, const char *text,
		    const struct wanted *wanted, struct watch_address *ret)
{
	for (size_t i = 0; i < space->count; i++) {
		const struct mapping *mapping = &space->item[i];
		struct data_module *module = data_module_of(files, mapping->module);
		const struct elf_object *object = elf_objects_named(&module->objects, wanted->name);
		uint64_t bias;

		if (object && data_module_bias(module, mapping, &bias)) {
			fill(text, wanted, object, bias, ret);
			return true;
		}
	}
	return false;
}

static int find_in_process(const char *text, const struct wanted *wanted, pid_t pid,
			   struct watch_address *ret, struct err *err)
{
	struct search search = { .sink = { .event = take } };
	const struct scan_options scan = { 0 };
	struct data_modules *files;
	int code;

	search.modules = module_table_new();
	search.procs = proc_table_new(search.modules);
	files = data_modules_new("");
	code = scan_process(pid, &scan, &search.sink, err);
	if (!code &&
	    !find_in(files,
		     proc_table_thread(search.procs, (uint32_t)pid, (uint32_t)pid)->process->space,
		     text, wanted, ret))
		code = err_set(err, -ENOENT, "%s: no variable of this name in process %d",
			       wanted->name, (int)pid);
	data_modules_free(files);
	proc_table_free(search.procs);
	module_table_free(search.modules);
	return code;
}

/* As exec finds it. */
static bool find_file(const char *program, char *ret, size_t size)
{
	const char *path = getenv("PATH"), *end;

	if (strchr(program, '/')) {
		(void)snprintf(ret, size, "%s", program);
		return true;
	}
	for (path = path ? path : "/usr/local/bin:/usr/bin:/bin"; *path;
	     path = end + (*end == ':')) {
		end = strchrnul(path, ':');
		(void)snprintf(ret, size, "%.*s/%s", (int)(end - path), path, program);
		if (!access(ret, X_OK))
			return true;
	}
	return false;
}

static int find_in_program(const char *text, const struct wanted *wanted, const char *program,
			   struct watch_address *ret, struct err *err)
{
	const struct elf_object *object;
	struct elf_objects objects;
	struct elf_file *elf;
	char path[PATH_MAX];
	int code;

	if (!find_file(program, path, sizeof(path)))
		return err_set(err, -ENOENT, "%s: %s", program, strerror(ENOENT));
	code = elf_file_open(path, &elf, err);
	if (code)
		return code;
	elf_objects_read(elf, NULL, &objects);
	object = elf_objects_named(&objects, wanted->name);
	if (object) {
		fill(text, wanted, object, elf->type == ET_DYN ? fixed_program_start : 0, ret);
		ret->fixed = elf->type == ET_DYN;
	} else {
		code = err_set(err, -ENOENT, "%s: no variable of this name in %s", wanted->name,
			       program);
		(void)err_hint(err, "one of a library is there once the program runs: use -p PID");
	}
	elf_objects_done(&objects);
	elf_file_close(elf);
	return code;
}

/* Where binaries are read. */
struct request {
	const char *text, *program; /* program NULL = of the process */
	const struct wanted *wanted;
	pid_t pid;
};

static int find(void *context, struct buf *bytes, struct err *err)
{
	const struct request *request = context;
	struct watch_address found = { 0 };
	int code = request->program ? find_in_program(request->text, request->wanted,
						      request->program, &found, err)
				    : find_in_process(request->text, request->wanted, request->pid,
						      &found, err);

	return code ? code : buf_append(bytes, &found, sizeof(found));
}

static int find_apart(struct request *request, struct watch_address *ret, struct err *err)
{
	struct buf bytes = { .limit = sizeof(*ret) };
	struct watch_address found;
	int code = confined_call("cupel-reader", find, request, &bytes, err);

	if (!code && bytes.len != sizeof(found))
		code = err_set(err, -EINVAL, "the process that reads binaries sent no address");
	if (!code) {
		memcpy(&found, bytes.data, sizeof(found));
		fill(request->text, &(struct wanted){ .offset = found.address }, NULL, 0, ret);
		ret->size = found.size;
		ret->fixed = *(const uint8_t *)&found.fixed & 1;
	}
	buf_done(&bytes);
	return code;
}

/* Of the process; true if that cannot be found out, and for the kernel's half. */
static bool is_mapped(pid_t pid, uint64_t address)
{
	struct buf text = { .limit = MAPS_MAX };
	struct err ignored = { 0 };
	bool ret = false;
	char path[64];

	if (address >> 63)
		return true;
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (fd_read_file(path, &text, &ignored) || !text.data) {
		buf_done(&text);
		return true;
	}
	for (const char *line = text.data; line && *line && !ret;) {
		char *end;
		uint64_t first = strtoull(line, &end, 16);

		ret = *end == '-' && address >= first && address < strtoull(end + 1, NULL, 16);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	buf_done(&text);
	return ret;
}

int watch_address_of_process(const char *text, pid_t pid, struct watch_address *ret,
			     struct err *err)
{
	struct wanted wanted;
	int code = parse(text, &wanted, err);

	if (code)
		return code;
	if (wanted.name[0])
		return find_apart(&(struct request){ .text = text, .wanted = &wanted, .pid = pid },
				  ret, err);
	fill(text, &wanted, NULL, 0, ret);
	if (!is_mapped(pid, ret->address))
		return err_set(err, -EFAULT, "%s: process %d has nothing mapped there", text, pid);
	return 0;
}

int watch_address_of_program(const char *text, const char *program, struct watch_address *ret,
			     struct err *err)
{
	struct wanted wanted;
	int code = parse(text, &wanted, err);

	if (code)
		return code;
	if (wanted.name[0])
		return find_apart(
			&(struct request){ .text = text, .program = program, .wanted = &wanted },
			ret, err);
	fill(text, &wanted, NULL, 0, ret);
	ret->fixed = true; /* it was read off such a run */
	return 0;
}

int watch_address_fix(bool on, int before)
{
	int now = personality(0xffffffff);

	if (now == -1)
		return -1;
	return personality(on ? (unsigned long)now | ADDR_NO_RANDOMIZE : (unsigned long)before) < 0
		       ? -1
		       : now;
}
