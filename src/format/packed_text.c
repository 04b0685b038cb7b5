/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See packed_text.h. */
#include "format/packed_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "format/gunzip.h"
#include "format/input.h"

/* Each place takes 45 KB; with too many of them every second one goes. */
#define PLACES_MOST  64
#define APART_LEAST  ((uint64_t)1 << 20)
#define SKIP_BYTES   ((size_t)16 << 10)
#define IDLE_READERS 4

struct packed_reader {
	struct packed_text *text;
	struct gunzip gunzip;
	uint64_t at, packed_at; /* of the next byte; of the next packed one to fetch */
};

struct packed_text {
	const struct input *input;
	VEC(struct packed_reader *) places; /* in the order of the text; never read from */
	uint64_t apart;
	struct packed_reader *idle[IDLE_READERS]; /* closed; may be NULL */
};

static ssize_t fetch(void *context, void *data, size_t len)
{
	struct packed_reader *reader = context;
	ssize_t n = input_read_packed(reader->text->input, reader->packed_at, data, len);

	if (n > 0)
		reader->packed_at += (uint64_t)n;
	return n;
}

static void reader_free(struct packed_reader *reader)
{
	if (!reader)
		return;
	gunzip_close(&reader->gunzip);
	free(reader);
}

/* From the beginning, or from where another one is; NULL when memory is short. */
static struct packed_reader *reader_new(struct packed_text *text, const struct packed_reader *from)
{
	struct packed_reader *reader = mem_zalloc(sizeof(*reader));
	bool ok;

	reader->text = text;
	if (from) {
		reader->at = from->at;
		reader->packed_at = from->packed_at - from->gunzip.z.avail_in;
		ok = gunzip_copy(&reader->gunzip, &from->gunzip);
	} else {
		ok = gunzip_open(&reader->gunzip, fetch, reader);
	}
	reader->gunzip.context = reader;
	if (ok)
		return reader;
	free(reader);
	return NULL;
}

static void thin_out(struct packed_text *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->places.count; i++) {
		if (i % 2)
			text->places.item[kept++] = text->places.item[i];
		else
			reader_free(text->places.item[i]);
	}
	text->places.count = kept;
	text->apart *= 2;
}

static void remember_place(struct packed_text *text, const struct packed_reader *reader)
{
	uint64_t last = text->places.count ? (*vec_last(&text->places))->at : 0;
	struct packed_reader *place;

	if (reader->at < last + text->apart)
		return;
	place = reader_new(text, reader);
	if (!place)
		return;
	free(place->gunzip.packed); /* it reads nothing */
	place->gunzip.packed = NULL;
	vec_push(&text->places, place);
	if (text->places.count == PLACES_MOST)
		thin_out(text);
}

static size_t read_on(void *context, void *data, size_t len)
{
	struct packed_reader *reader = context;
	ssize_t n = gunzip_read(&reader->gunzip, data, len);

	if (n <= 0)
		return 0;
	reader->at += (uint64_t)n;
	remember_place(reader->text, reader);
	return (size_t)n;
}

/* The nearest one that need not go back. */
static struct packed_reader *take_idle(struct packed_text *text, uint64_t offset, uint64_t least)
{
	struct packed_reader **best = NULL, *ret;

	for (size_t i = 0; i < IDLE_READERS; i++) {
		struct packed_reader **idle = &text->idle[i];

		if (*idle && (*idle)->at <= offset && (*idle)->at >= least &&
		    (!best || (*idle)->at > (*best)->at))
			best = idle;
	}
	if (!best)
		return NULL;
	ret = *best;
	*best = NULL;
	return ret;
}

static void *open_at(void *context, uint64_t offset)
{
	struct packed_text *text = context;
	const struct packed_reader *place = NULL;
	struct packed_reader *reader;
	char skipped[SKIP_BYTES];

	for (size_t i = 0; i < text->places.count && text->places.item[i]->at <= offset; i++)
		place = text->places.item[i];
	reader = take_idle(text, offset, place ? place->at : 0);
	if (!reader)
		reader = reader_new(text, place);
	while (reader && reader->at < offset) {
		uint64_t left = offset - reader->at;

		if (!read_on(reader, skipped, left < SKIP_BYTES ? (size_t)left : SKIP_BYTES))
			break;
	}
	return reader;
}

/* The one that is farthest back makes room. */
static void close_reader(void *context)
{
	struct packed_reader *reader = context;
	struct packed_reader **room = &reader->text->idle[0];

	for (size_t i = 0; i < IDLE_READERS && *room; i++)
		if (!reader->text->idle[i] || reader->text->idle[i]->at < (*room)->at)
			room = &reader->text->idle[i];
	reader_free(*room);
	*room = reader;
}

struct packed_text *packed_text_new(const struct input *input)
{
	struct packed_text *text = mem_zalloc(sizeof(*text));

	text->input = input;
	text->apart = APART_LEAST;
	return text;
}

void packed_text_free(struct packed_text *text)
{
	if (!text)
		return;
	for (size_t i = 0; i < text->places.count; i++)
		reader_free(text->places.item[i]);
	for (size_t i = 0; i < IDLE_READERS; i++)
		reader_free(text->idle[i]);
	vec_done(&text->places);
	free(text);
}

struct json_text packed_text_json(struct packed_text *text, size_t most_bytes)
{
	return (struct json_text){ .open = open_at,
				   .read = read_on,
				   .close = close_reader,
				   .context = text,
				   .most_bytes = most_bytes };
}
