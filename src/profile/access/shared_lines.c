/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See shared_lines.h. */
#include "profile/access/shared_lines.h"

#include <stdlib.h>

#include "base/map.h"
#include "profile/profile.h"

/* Samples of a line by a thread. */
struct share {
	size_t line;
	uint64_t samples;
};

struct finder {
	struct shared_lines *lines;
	struct map by_line, by_share;
	VEC(struct share) share;
};

static struct shared_line *line_of(struct finder *f, const struct profile_access *access,
				   size_t *index)
{
	uint64_t address = access->addr & ~(uint64_t)(ACCESS_LINE - 1);
	bool added;
	uint64_t *place = map_add(&f->by_line, address, &added);

	if (added) {
		*place = f->lines->line.count;
		vec_push(&f->lines->line,
			 ((struct shared_line){ .address = address,
						.offset = access->offset - access->addr + address,
						.object = access->object,
						.module = access->module }));
	}
	*index = *place;
	return &f->lines->line.item[*place];
}

static void add(struct finder *f, const struct profile *profile,
		const struct profile_sample *sample)
{
	const struct profile_access *access = &profile->accesses.item[sample->addr];
	uint32_t tid = profile->threads.item[sample->thread.v].tid;
	struct shared_line *line;
	uint64_t *place;
	bool added;
	size_t index;

	if (!access->addr || access->guessed || access->kind == ACCESS_KERNEL ||
	    access->kind == ACCESS_BLOCK)
		return;
	line = line_of(f, access, &index);
	line->samples += sample->count;
	place = map_add(&f->by_share, hash_u64((uint64_t)index << 32 | tid), &added);
	if (added) {
		*place = f->share.count;
		line->threads++;
		vec_push(&f->share, ((struct share){ .line = index }));
	}
	f->share.item[*place].samples += sample->count;
}

static int more(const void *a, const void *b)
{
	const struct shared_line *x = a, *y = b;

	if (x->others != y->others)
		return x->others > y->others ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

void shared_lines_find(const struct profile *profile, struct shared_lines *ret)
{
	struct finder f = { .lines = ret };
	size_t kept = 0;

	*ret = (struct shared_lines){ 0 };
	for (size_t i = 0; i < profile->samples.count; i++)
		if (profile->samples.item[i].addr < profile->accesses.count)
			add(&f, profile, &profile->samples.item[i]);
	for (size_t i = 0; i < f.share.count; i++) {
		struct shared_line *line = &ret->line.item[f.share.item[i].line];

		if (f.share.item[i].samples > line->others)
			line->others = f.share.item[i].samples; /* the most of a thread, for now */
	}
	for (size_t i = 0; i < ret->line.count; i++) {
		struct shared_line line = ret->line.item[i];

		line.others = line.samples - line.others;
		if (line.threads > 1)
			ret->line.item[kept++] = line;
	}
	ret->line.count = kept;
	if (kept)
		qsort(ret->line.item, kept, sizeof(*ret->line.item), more);
	map_done(&f.by_line);
	map_done(&f.by_share);
	vec_done(&f.share);
}

void shared_lines_done(struct shared_lines *lines)
{
	vec_done(&lines->line);
}
