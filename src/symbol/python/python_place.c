/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of Python functions (see python_place.h), and the symbolizer that reads them again. */
#include "symbol/python/python_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "proc/module.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

static const char between[] = " (";

/* Control characters would do harm, and " (" is where the file begins. */
static void put_clean(struct buf *ret, const char *s, bool is_name)
{
	for (; *s; s++) {
		bool bad = (unsigned char)*s < ' ' || *s == 0x7f || (is_name && *s == '(');

		(void)buf_putc(ret, bad ? '?' : *s);
	}
}

void python_place_put(const char *name, const char *file, struct buf *ret)
{
	(void)buf_puts(ret, PYTHON_PLACE_PREFIX);
	put_clean(ret, name, true);
	(void)buf_puts(ret, between);
	put_clean(ret, file, false);
	(void)buf_putc(ret, ')');
}

bool python_place_is(const char *path)
{
	return strncmp(path, PYTHON_PLACE_PREFIX, strlen(PYTHON_PLACE_PREFIX)) == 0;
}

bool python_place_parse(const char *path, struct python_place_name *ret)
{
	size_t len = strlen(path);
	const char *gap;

	if (!python_place_is(path) || len > 8192 || path[len - 1] != ')')
		return false;
	path += strlen(PYTHON_PLACE_PREFIX);
	len -= strlen(PYTHON_PLACE_PREFIX);
	gap = strstr(path, between);
	if (!gap)
		return false;
	*ret = (struct python_place_name){
		.name = path,
		.name_len = (int)(gap - path),
		.file = gap + strlen(between),
		.file_len = (int)(len - 1 - (size_t)(gap - path) - strlen(between)),
	};
	return true;
}

struct python_symbolizer {
	struct symbolizer base;
	char *name, *file;
};

static void python_close(struct symbolizer *symbolizer)
{
	struct python_symbolizer *self = (struct python_symbolizer *)symbolizer;

	free(self->name);
	free(self->file);
	free(self);
}

/* The name to show: all modules' own code is called "<module>"; only the file distinguishes it. */
static char *shown_name(const struct python_place_name *place)
{
	const char *file = place->file, *slash;
	struct buf name = { 0 };

	(void)buf_append(&name, place->name, (size_t)place->name_len);
	if (place->file_len) {
		slash = memrchr(file, '/', (size_t)place->file_len);
		if (slash)
			file = slash + 1;
		(void)buf_putc(&name, '@');
		(void)buf_append(&name, file, (size_t)(place->file + place->file_len - file));
	}
	(void)buf_putc(&name, '\0');
	return (char *)name.data;
}

static int python_open(struct symbolizer **ret, const struct module *module,
		       const struct symbol_options *options, struct err *err)
{
	struct python_symbolizer *self;
	struct python_place_name place;

	(void)options;
	(void)err;
	*ret = NULL;
	if (module->kind != MODULE_PYTHON || !python_place_parse(module->path, &place))
		return 0;
	self = mem_zalloc(sizeof(*self));
	self->base.ops = &symbolizer_python;
	self->name = shown_name(&place);
	self->file = mem_zalloc((size_t)place.file_len + 1);
	memcpy(self->file, place.file, (size_t)place.file_len);
	*ret = &self->base;
	return 0;
}

static bool python_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	struct python_symbolizer *self = (struct python_symbolizer *)symbolizer;

	ret->count = 1;
	ret->frame[0] = (struct symbol_frame){
		.name = self->name,
		.file = self->file[0] ? self->file : NULL,
		.line = python_place_line(offset),
	};
	ret->start = 0;
	ret->end = 1ull << PYTHON_PLACE_BITS;
	ret->binding = 'g';
	return true;
}

static enum symbol_grain python_grain(struct symbolizer *symbolizer, uint64_t offset,
				      uint64_t *ret_number)
{
	(void)symbolizer;
	(void)offset;
	*ret_number = 0;
	return SYMBOL_FUNCTION;
}

const struct symbolizer_ops symbolizer_python = {
	.name = "python",
	.open = python_open,
	.resolve = python_resolve,
	.grain = python_grain,
	.close = python_close,
};
