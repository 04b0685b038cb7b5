/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing kept names (see kept_names.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "proc/module.h"
#include "symbol/kept/kept_names.h"

#define VERSION 1

struct kept_frame {
	string_id name, file;
	uint64_t line; /* * 2 + inlined */
};

struct written_module {
	struct kept_module identity;
	VEC(struct kept_place) places;
};

struct kept_names_writer {
	struct arena arena;
	struct strtab *strings;
	VEC(struct written_module) modules;
	VEC(struct kept_frame) frames;
	size_t last; /* module that was added to last */
};

struct kept_names_writer *kept_names_writer_new(void)
{
	struct kept_names_writer *writer = mem_zalloc(sizeof(*writer));

	writer->strings = strtab_new();
	return writer;
}

void kept_names_writer_free(struct kept_names_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < writer->modules.count; i++)
		vec_done(&writer->modules.item[i].places);
	vec_done(&writer->modules);
	vec_done(&writer->frames);
	strtab_free(writer->strings);
	arena_done(&writer->arena);
	free(writer);
}

static struct written_module *get_module(struct kept_names_writer *writer,
					 const struct module *module)
{
	struct written_module new = { .identity = { .kind = (uint32_t)module->kind,
						    .maj = module->maj,
						    .min = module->min,
						    .ino = module->ino,
						    .build_id = module->build_id } };
	size_t count = writer->modules.count;
	struct stat st;

	for (size_t i = 0; i < count; i++) {
		size_t at = (writer->last + i) % count;

		if (kept_is_same(&writer->modules.item[at].identity, module)) {
			writer->last = at;
			return &writer->modules.item[at];
		}
	}
	new.identity.path = arena_strdup(&writer->arena, module->path);
	if (module->kind == MODULE_FILE && !stat(module->path, &st) &&
	    (!module->ino || st.st_ino == module->ino)) { /* not another one, that is there now */
		new.identity.file_bytes = (uint64_t)st.st_size;
		new.identity.file_mtime_ns =
			(uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	}
	writer->last = count;
	vec_push(&writer->modules, new);
	return vec_last(&writer->modules);
}

static string_id intern(struct kept_names_writer *writer, const char *s)
{
	return s ? strtab_puts(writer->strings, s) : STRING_EMPTY;
}

void kept_names_add(struct kept_names_writer *writer, const struct module *module, uint64_t offset,
		    const struct symbol *symbol)
{
	struct kept_place place = { .offset = offset,
				    .start = symbol->start,
				    .end = symbol->end,
				    .first = (uint32_t)writer->frames.count,
				    .count = (uint32_t)symbol->count,
				    .binding = symbol->binding };

	/* these are named by the recording itself, or by nothing */
	if (module->kind == MODULE_PYTHON || module->kind == MODULE_UNKNOWN || !symbol->count)
		return;
	if (place.start > offset || place.end <= offset)
		place.start = offset, place.end = 0;
	else if (symbol->count == 1 && !symbol->frame[0].file)
		place.offset = place.start; /* it is the same in all of the function */
	for (size_t i = 0; i < symbol->count; i++) {
		const struct symbol_frame *frame = &symbol->frame[i];

		vec_push(&writer->frames,
			 ((struct kept_frame){ intern(writer, frame->name),
					       intern(writer, frame->file),
					       (uint64_t)frame->line << 1 | frame->inlined }));
	}
	vec_push(&get_module(writer, module)->places, place);
}

static int by_offset(const void *a, const void *b)
{
	const struct kept_place *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void put(struct buf *out, uint64_t value)
{
	(void)buf_put_varint(out, value); /* far below the limit of a buf */
}

static void put_place(const struct kept_names_writer *writer, const struct kept_place *place,
		      uint64_t before, struct buf *out)
{
	put(out, place->offset - before);
	put(out, place->offset - place->start);
	put(out, place->end ? place->end - place->start : 0);
	put(out, (unsigned char)place->binding);
	put(out, place->count);
	for (uint32_t i = 0; i < place->count; i++) {
		const struct kept_frame *frame = &writer->frames.item[place->first + i];

		put(out, frame->name.v);
		put(out, frame->file.v);
		put(out, frame->line);
	}
}

static void put_module(struct kept_names_writer *writer, struct written_module *module,
		       struct buf *out)
{
	const struct kept_module *identity = &module->identity;
	struct kept_place *place = module->places.item;
	size_t count = 0;

	qsort(place, module->places.count, sizeof(*place), by_offset);
	for (size_t i = 0; i < module->places.count; i++)
		if (!count || place[count - 1].offset != place[i].offset)
			place[count++] = place[i];
	module->places.count = count;
	put(out, identity->kind);
	put(out, intern(writer, identity->path).v);
	put(out, identity->maj);
	put(out, identity->min);
	put(out, identity->ino);
	put(out, identity->build_id.len);
	(void)buf_append(out, identity->build_id.bytes, identity->build_id.len);
	put(out, identity->file_bytes);
	put(out, identity->file_mtime_ns);
	put(out, count);
	for (size_t i = 0; i < count; i++)
		put_place(writer, &place[i], i ? place[i - 1].offset : 0, out);
}

void kept_names_write(struct kept_names_writer *writer, struct buf *ret)
{
	struct buf modules = { 0 };

	if (!writer->modules.count)
		return;
	put(&modules, writer->modules.count);
	for (size_t i = 0; i < writer->modules.count; i++)
		put_module(writer, &writer->modules.item[i], &modules);
	(void)buf_putc(ret, VERSION);
	put(ret, strtab_count(writer->strings) - 1);
	for (uint32_t i = 1; i < strtab_count(writer->strings); i++) {
		size_t len = strtab_len(writer->strings, (string_id){ i });

		put(ret, len);
		(void)buf_append(ret, strtab_get(writer->strings, (string_id){ i }), len);
	}
	(void)buf_append(ret, modules.data, modules.len);
	buf_done(&modules);
}
