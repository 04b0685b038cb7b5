/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JIT-compiled code by the jitdump file of its process. A runtime maps that file executable once,
 * as a marker for profilers, so the recording names it; else the usual places are tried. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/module.h"
#include "symbol/jit/jitdump.h"
#include "symbol/process_file.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

static const char *const jitdump_file[2] = { "/tmp/jit-", ".dump" };

struct jit_symbolizer {
	struct symbolizer base;
	struct jitdump dump;
	bool lines;
	char problem[80];
};

/* "jit-PID.dump", whatever the PID: inside a container it is another. */
static bool is_marker(const struct module *m)
{
	size_t len = strlen(m->name);

	return m->kind == MODULE_FILE && !strncmp(m->name, "jit-", 4) && len > 5 &&
	       !strcmp(m->name + len - 5, ".dump");
}

static int open_marked(const struct module *module, const struct symbol_options *options,
		       struct err *err)
{
	size_t count = options->modules ? module_table_count(options->modules) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct module *m =
			module_table_get(options->modules, (module_id){ (uint32_t)i });
		int fd;

		if (m->pid != module->pid || !is_marker(m))
			continue;
		fd = process_file_open(m->path, m->pid, options, err);
		if (fd >= 0)
			return fd;
	}
	return -ENOENT;
}

/* The JVMTI agent that comes with perf writes below the home folder. */
static int open_in_home(uint32_t pid, const struct symbol_options *options, struct err *err)
{
	const char *home = getenv("HOME");
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	int fd = -ENOENT;

	if (!home)
		return fd;
	(void)snprintf(pattern, sizeof(pattern), "%s/.debug/jit/*/jit-%u.dump", home, pid);
	if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
		fd = process_file_open(found.gl_pathv[found.gl_pathc - 1], pid, options, err);
	globfree(&found);
	return fd;
}

int jitdump_open(const struct module *module, const struct symbol_options *options, struct err *err)
{
	bool here = !options->symfs || !options->symfs[0];
	int fd = open_marked(module, options, err);

	if (fd < 0)
		fd = process_file_open_numbered(jitdump_file, module->pid, options, err);
	if (fd < 0 && here)
		fd = open_in_home(module->pid, options, err);
	return fd;
}

static void jit_close(struct symbolizer *symbolizer)
{
	struct jit_symbolizer *self = (struct jit_symbolizer *)symbolizer;

	jitdump_done(&self->dump);
	free(self);
}

static int jit_open(struct symbolizer **ret, const struct module *module,
		    const struct symbol_options *options, struct err *err)
{
	struct err ignored = { 0 };
	struct jit_symbolizer *self;
	AUTO_CLOSE int fd = -1;
	struct file_map map;
	int code;

	*ret = NULL;
	if (module->kind != MODULE_JIT)
		return 0;
	fd = jitdump_open(module, options, &ignored);
	if (fd < 0)
		return 0; /* few runtimes write one */
	code = file_map_fd(fd, &map, err);
	if (code)
		return code;
	self = mem_zalloc(sizeof(*self));
	self->base.ops = &symbolizer_jit;
	self->lines = options->lines || options->inlines;
	code = jitdump_parse(map.data, map.len, &self->dump, err);
	file_map_close(&map);
	if (code) {
		jit_close(&self->base);
		return code;
	}
	if (self->dump.malformed)
		(void)snprintf(self->problem, sizeof(self->problem),
			       "%zu invalid records in the jitdump", self->dump.malformed);
	*ret = &self->base;
	return 0;
}

static bool jit_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct jit_symbolizer *self = (struct jit_symbolizer *)symbolizer;
	const struct range *range = range_table_find(&self->dump.ranges, offset);
	const struct jit_function *function;

	if (!range)
		return false;
	function = &self->dump.functions.item[range->tag];
	ret->count = 1;
	ret->frame[0] = (struct symbol_frame){ .name = self->dump.text.data + range->name };
	ret->start = function->start;
	ret->end = function->end;
	ret->binding = 'l';
	if (self->lines)
		ret->frame[0].file = jitdump_line(&self->dump, range, offset, &ret->frame[0].line);
	return true;
}

static enum symbol_grain jit_grain(struct symbolizer *symbolizer, uint64_t offset,
				   uint64_t *ret_number)
{
	struct jit_symbolizer *self = (struct jit_symbolizer *)symbolizer;
	const struct range *range = range_table_find(&self->dump.ranges, offset);

	if (!range)
		return SYMBOL_NONE;
	*ret_number = (uint64_t)(range - self->dump.ranges.item);
	return self->lines ? SYMBOL_ADDRESS : SYMBOL_FUNCTION;
}

static const char *jit_problem(const struct symbolizer *symbolizer)
{
	const struct jit_symbolizer *self = (const struct jit_symbolizer *)symbolizer;

	return self->problem[0] ? self->problem : NULL;
}

const struct symbolizer_ops symbolizer_jit = {
	.name = "jitdump",
	.open = jit_open,
	.resolve = jit_resolve,
	.grain = jit_grain,
	.close = jit_close,
	.problem = jit_problem,
};
