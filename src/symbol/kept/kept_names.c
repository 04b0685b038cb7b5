/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading kept names (see kept_names.h). They come from a file, which anybody may have written:
 * memory is proportional to its bytes. */
#include "symbol/kept/kept_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "proc/module.h"

#define VERSION 1

struct kept_names {
	struct arena arena;
	const char **string;
	size_t string_count;
	struct kept_module *module;
	size_t module_count;
	VEC(struct symbol_frame) frames;
};

/* Bytes read front to back; past the end there are zeros. */
struct cursor {
	const uint8_t *at, *end;
	bool failed;
};

static uint64_t take(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	cursor->failed = true;
	return 0;
}

static const uint8_t *take_bytes(struct cursor *cursor, uint64_t len)
{
	const uint8_t *bytes = cursor->at;

	if (len > (uint64_t)(cursor->end - cursor->at)) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += len;
	return bytes;
}

/* A number of things that take so many bytes each at least. */
static size_t take_count(struct cursor *cursor, size_t least_bytes)
{
	uint64_t count = take(cursor);

	if (count <= (uint64_t)(cursor->end - cursor->at) / least_bytes)
		return (size_t)count;
	cursor->failed = true;
	return 0;
}

static void take_strings(struct cursor *cursor, struct kept_names *names)
{
	size_t count = take_count(cursor, 1);

	names->string = arena_array(&names->arena, const char *, count + 1);
	names->string[0] = "";
	names->string_count = count + 1;
	for (size_t i = 1; i <= count; i++) {
		uint64_t len = take(cursor);
		const uint8_t *bytes = take_bytes(cursor, len);

		names->string[i] =
			bytes ? arena_strndup(&names->arena, (const char *)bytes, (size_t)len) : "";
	}
}

static const char *take_string(struct cursor *cursor, const struct kept_names *names)
{
	uint64_t number = take(cursor);

	if (number < names->string_count)
		return names->string[number];
	cursor->failed = true;
	return "";
}

static void take_frame(struct cursor *cursor, struct kept_names *names)
{
	const char *name = take_string(cursor, names), *file = take_string(cursor, names);
	uint64_t line = take(cursor);

	vec_push(&names->frames, ((struct symbol_frame){ .name = *name ? name : NULL,
							 .file = *file ? file : NULL,
							 .line = (uint32_t)(line >> 1),
							 .inlined = line & 1 }));
}

static void take_place(struct cursor *cursor, struct kept_names *names, uint64_t before,
		       struct kept_place *ret)
{
	uint64_t len;

	ret->offset = before + take(cursor);
	ret->start = ret->offset - take(cursor);
	len = take(cursor);
	ret->end = len ? ret->start + len : 0;
	ret->binding = (char)take(cursor);
	ret->first = (uint32_t)names->frames.count;
	ret->count = (uint32_t)take_count(cursor, 3);
	if (!ret->count || ret->count > SYMBOL_MAX_FRAMES || ret->offset < before)
		cursor->failed = true;
	for (uint32_t i = 0; i < ret->count && !cursor->failed; i++)
		take_frame(cursor, names);
}

static void take_module(struct cursor *cursor, struct kept_names *names, struct kept_module *ret)
{
	const uint8_t *id;
	uint64_t before = 0;

	ret->names = names;
	ret->kind = (uint32_t)take(cursor);
	ret->path = take_string(cursor, names);
	ret->maj = (uint32_t)take(cursor);
	ret->min = (uint32_t)take(cursor);
	ret->ino = take(cursor);
	ret->build_id.len = (uint8_t)take_count(cursor, 1);
	if (ret->build_id.len > BUILD_ID_MAX) {
		ret->build_id.len = 0;
		cursor->failed = true;
	}
	id = take_bytes(cursor, ret->build_id.len);
	if (id)
		memcpy(ret->build_id.bytes, id, ret->build_id.len);
	ret->file_bytes = take(cursor);
	ret->file_mtime_ns = take(cursor);
	ret->place_count = take_count(cursor, 8);
	ret->place = arena_array(&names->arena, struct kept_place, ret->place_count + 1);
	for (size_t i = 0; i < ret->place_count && !cursor->failed; i++) {
		take_place(cursor, names, before, &ret->place[i]);
		before = ret->place[i].offset;
	}
}

int kept_names_parse(const uint8_t *data, size_t len, struct kept_names **ret, struct err *err)
{
	struct cursor cursor = { data, data + len, false };
	struct kept_names *names;
	size_t count;

	if (!len || *cursor.at++ != VERSION)
		return err_set(err, -ENOTSUP, "kept names: unknown version");
	names = mem_zalloc(sizeof(*names));
	take_strings(&cursor, names);
	count = take_count(&cursor, 9);
	names->module = arena_array(&names->arena, struct kept_module, count + 1);
	names->module_count = count;
	for (size_t i = 0; i < count && !cursor.failed; i++)
		take_module(&cursor, names, &names->module[i]);
	if (cursor.failed) {
		kept_names_free(names);
		return err_set(err, -EBADMSG, "kept names: damaged");
	}
	*ret = names;
	return 0;
}

void kept_names_free(struct kept_names *names)
{
	if (!names)
		return;
	vec_done(&names->frames);
	arena_done(&names->arena);
	free(names);
}

bool kept_is_same(const struct kept_module *kept, const struct module *module)
{
	if (kept->kind != (uint32_t)module->kind)
		return false;
	if (module->kind == MODULE_FILE && (kept->build_id.len || module->build_id.len))
		return build_id_equal(&kept->build_id, &module->build_id);
	return strcmp(kept->path, module->path) == 0 && kept->ino == module->ino &&
	       kept->maj == module->maj && kept->min == module->min;
}

const struct kept_module *kept_names_find(const struct kept_names *names,
					  const struct module *module)
{
	for (size_t i = 0; names && i < names->module_count; i++)
		if (kept_is_same(&names->module[i], module))
			return &names->module[i];
	return NULL;
}

bool kept_module_is_file(const struct kept_module *module, const char *path)
{
	struct stat st;

	return !stat(path, &st) && (uint64_t)st.st_size == module->file_bytes &&
	       (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec ==
		       module->file_mtime_ns;
}

const struct kept_place *kept_module_place(const struct kept_module *module, uint64_t offset)
{
	size_t low = 0, high = module->place_count;
	const struct kept_place *place;

	while (low < high) { /* the last one at or before */
		size_t middle = low + (high - low) / 2;

		if (module->place[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	place = &module->place[low - 1];
	return place->offset == offset || offset < place->end ? place : NULL;
}

void kept_module_symbol(const struct kept_module *module, const struct kept_place *place,
			uint64_t offset, struct symbol *ret)
{
	const struct symbol_frame *frame = module->names->frames.item + place->first;
	bool exact = place->offset == offset;

	ret->start = place->start;
	ret->end = place->end;
	ret->binding = place->binding;
	ret->count = exact ? place->count : 1;
	memcpy(ret->frame, frame + (exact ? 0 : place->count - 1),
	       ret->count * sizeof(*ret->frame));
	if (!exact) { /* of that line nothing is known */
		ret->frame[0].file = NULL;
		ret->frame[0].line = 0;
	}
}
