/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of source lines (see source_text.h). */
#include "profile/source_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/profile.h"

#define SPOTS_MAX 4000
#define WIDTH_MAX 160 /* columns of a line; the rest is cut off */
#define TAB_WIDTH 4

static int compare_places(const void *pa, const void *pb)
{
	const struct source_spot *a = pa, *b = pb;

	if (a->file.v != b->file.v)
		return a->file.v < b->file.v ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int compare_samples(const void *pa, const void *pb)
{
	const struct source_spot *a = pa, *b = pb;

	return a->samples != b->samples ? (a->samples < b->samples) - (a->samples > b->samples)
					: compare_places(pa, pb);
}

/* By frame; a function that calls itself counts more than once, which is good enough for an order.
 * Nodes come after their parents. */
static uint64_t *count_frames(const struct profile *p)
{
	uint64_t *of_node = mem_zalloc((p->nodes.count + 1) * sizeof(*of_node));
	uint64_t *of_frame = mem_zalloc((p->frames.count + 1) * sizeof(*of_frame));

	for (size_t i = 0; i < p->samples.count; i++)
		of_node[p->samples.item[i].stack.v] += p->samples.item[i].count;
	for (size_t i = p->nodes.count; i-- > 1;) {
		of_node[p->nodes.item[i].parent.v] += of_node[i];
		of_frame[p->nodes.item[i].frame.v] += of_node[i];
	}
	free(of_node);
	return of_frame;
}

void source_spots_find(const struct profile *profile, struct source_spots *ret)
{
	uint64_t *samples = count_frames(profile);
	struct map places = { 0 };

	*ret = (struct source_spots){ 0 };
	for (size_t i = 0; i < profile->frames.count; i++) {
		const struct frame *f = &profile->frames.item[i];
		uint64_t *at;
		bool added;

		if (!f->line || !f->file.v || !samples[i])
			continue;
		at = map_add(&places, (uint64_t)f->file.v << 32 | f->line, &added);
		if (added) {
			*at = ret->list.count;
			vec_push(&ret->list,
				 ((struct source_spot){ f->file, f->line, f->module, 0 }));
		}
		ret->list.item[*at].samples += samples[i];
	}
	map_done(&places);
	free(samples);
	if (!ret->list.count)
		return;
	qsort(ret->list.item, ret->list.count, sizeof(*ret->list.item), compare_samples);
	if (ret->list.count > SPOTS_MAX)
		ret->list.count = SPOTS_MAX;
	qsort(ret->list.item, ret->list.count, sizeof(*ret->list.item), compare_places);
}

void source_spots_done(struct source_spots *spots)
{
	vec_done(&spots->list);
}

/* Fit for one line of a screen; not cut inside a letter. */
static string_id tidy_line(struct profile *profile, const char *s, size_t len)
{
	struct buf line = { 0 };
	size_t columns = 0;
	string_id id;

	while (len && (s[len - 1] == '\r' || s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	for (size_t i = 0; i < len; i++) {
		bool inside = ((unsigned char)s[i] & 0xc0) == 0x80;
		size_t width = s[i] == '\t' ? TAB_WIDTH - columns % TAB_WIDTH : !inside;

		if (columns + width > WIDTH_MAX || line.len > 4 * WIDTH_MAX)
			break;
		columns += width;
		if (s[i] == '\t')
			(void)buf_pad(&line, ' ', width);
		else
			(void)buf_putc(&line, s[i]);
	}
	id = strtab_intern(profile->strings, line.len ? line.data : "", line.len);
	buf_done(&line);
	return id;
}

static uint32_t count_lines(const char *text, size_t len)
{
	uint32_t lines = 0;

	for (const char *at = text, *end = text + len; at < end; lines++) {
		const char *past = memchr(at, '\n', (size_t)(end - at));

		at = past ? past + 1 : end;
	}
	return lines;
}

static bool is_close(const struct source_spot *spot, uint32_t line)
{
	return line + SOURCE_AROUND >= spot->line && line <= spot->line + SOURCE_AROUND;
}

bool source_text_add(struct profile *profile, const struct source_spot *spots, size_t count,
		     const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	size_t spot = 0;

	if (memchr(text, '\0', len) || count_lines(text, len) < spots[count - 1].line)
		return false;
	for (uint32_t line = 1; at < end && spot < count; line++) {
		const char *past = memchr(at, '\n', (size_t)(end - at));

		while (spot < count && line > spots[spot].line + SOURCE_AROUND)
			spot++;
		past = past ? past : end;
		if (spot < count && is_close(&spots[spot], line))
			vec_push(&profile->source,
				 ((struct profile_source_line){
					 .file = spots[0].file,
					 .line = line,
					 .text = tidy_line(profile, at, (size_t)(past - at)) }));
		at = past + 1;
	}
	return true;
}
