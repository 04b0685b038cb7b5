// SPDX-License-Identifier: GPL-2.0-or-later
/* Places and source text (see annotate_source.h). */
#include "session/annotate/annotate_source.h"

#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "profile/annotation.h"
#include "session/load/source_files.h"
#include "symbol/code/code_image.h"
#include "symbol/symbolizer.h"

/* Lines kept before the first one with code, to show what it belongs to. */
#define CONTEXT_LINES 5
/* A function has a few hundred lines; what it inlines may be all over a large file. */
#define MAX_LINES    20000
#define MAX_LINE_LEN ((size_t)1000)

static uint32_t find_source(struct annotation *annotation, const char *path, uint32_t line)
{
	struct annotation_source *source = NULL;
	uint32_t i;

	for (i = 0; i < annotation->sources.count; i++)
		if (strcmp(annotation->sources.item[i].path, path) == 0)
			break;
	if (i == annotation->sources.count)
		vec_push(&annotation->sources,
			 ((struct annotation_source){
				 .path = arena_strdup(&annotation->arena, path) }));
	source = &annotation->sources.item[i];
	if (!line)
		return i;
	if (!source->first || line < source->first)
		source->first = line;
	if (line > source->last)
		source->last = line;
	return i;
}

static bool is_same(const struct annotation_frame *a, const struct symbol_frame *b)
{
	if (a->line != b->line || !a->file != !b->file || (a->file && strcmp(a->file, b->file)))
		return false;
	return strcmp(a->function, b->name ? b->name : "") == 0;
}

static bool is_same_place(const struct annotation *annotation, const struct annotation_row *row,
			  const struct symbol *symbol)
{
	if (row->frames != symbol->count)
		return false;
	for (size_t i = 0; i < symbol->count; i++)
		if (!is_same(&annotation->frames.item[row->frame + i], &symbol->frame[i]))
			return false;
	return true;
}

static void add_place(struct annotation *annotation, struct annotation_row *row,
		      const struct symbol *symbol)
{
	row->frame = (uint32_t)annotation->frames.count;
	row->frames = (uint32_t)symbol->count;
	for (size_t i = 0; i < symbol->count; i++) {
		const struct symbol_frame *from = &symbol->frame[i];
		struct annotation_frame frame = { .line = from->line, .source = ANNOTATION_NONE };

		frame.function = arena_strdup(&annotation->arena, from->name ? from->name : "");
		if (from->file) {
			frame.source = find_source(annotation, from->file, from->line);
			frame.file = annotation->sources.item[frame.source].path;
		}
		vec_push(&annotation->frames, frame);
	}
}

void annotate_add_places(struct annotation *annotation, const struct code_image *image,
			 struct symbolizer *lines)
{
	const struct annotation_row *before = NULL;

	for (size_t i = 0; i < annotation->rows.count; i++) {
		struct annotation_row *row = &annotation->rows.item[i];
		struct symbol symbol;
		uint64_t offset;

		if (!code_image_offset(image, row->address, &offset) ||
		    !symbolizer_resolve(lines, offset, &symbol))
			continue;
		if (before && is_same_place(annotation, before, &symbol)) {
			row->frame = before->frame;
			row->frames = before->frames;
		} else {
			add_place(annotation, row, &symbol);
		}
		before = row;
	}
}

/* Copies lines into the arena. Returns false if the file is binary or too short. */
static bool cut_lines(struct annotation *annotation, struct annotation_source *source,
		      const char *text, size_t len)
{
	uint32_t first = source->first > CONTEXT_LINES ? source->first - CONTEXT_LINES : 1;
	uint32_t want = source->last - first + 1, line = 1;
	const char *end = text + len;

	if (memchr(text, '\0', len))
		return false;
	if (want > MAX_LINES)
		want = MAX_LINES;
	source->text = arena_array(&annotation->arena, const char *, want);
	source->text_first = first;
	for (; text < end && source->text_count < want; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t part = (size_t)((stop ? stop : end) - text);

		if (line >= first) {
			size_t kept = part < MAX_LINE_LEN ? part : MAX_LINE_LEN;

			if (kept && text[kept - 1] == '\r')
				kept--;
			source->text[source->text_count++] =
				arena_strndup(&annotation->arena, text, kept);
		}
		text = stop ? stop + 1 : end;
	}
	return source->text_count == want;
}

void annotate_read_sources(struct annotation *annotation, const char *symfs)
{
	for (size_t i = 0; i < annotation->sources.count; i++) {
		struct annotation_source *source = &annotation->sources.item[i];
		struct file_map map;

		if (!source->first)
			continue;
		switch (source_file_open(source->path, symfs, annotation->module, &map)) {
		case SOURCE_FILE_ABSENT:
			source->problem = "not found";
			continue;
		case SOURCE_FILE_NEWER:
			source->problem = "changed after the program was built";
			continue;
		case SOURCE_FILE_TAKEN:
			break;
		}
		if (!cut_lines(annotation, source, (const char *)map.data, map.len)) {
			source->problem = "has not the lines of the debug information";
			source->text_count = 0;
		}
		file_map_close(&map);
	}
}
