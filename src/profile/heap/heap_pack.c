/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers, the processes, the lives (see heap_pack.h). */
#include "profile/heap/heap_pack.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/heap/heap.h"

int heap_pack(const struct heap_summary *summary, struct buf *ret)
{
	const struct heap_lives *lives = &summary->lives;
	struct heap_summary plain = *summary;
	int code;

	plain.lives.life.item = NULL;
	plain.lives.process.item = NULL;
	plain.grown.row.item = NULL;
	code = buf_append(ret, &plain, sizeof(plain));
	if (!code && lives->process.count)
		code = buf_append(ret, lives->process.item,
				  lives->process.count * sizeof(*lives->process.item));
	if (!code && lives->life.count)
		code = buf_append(ret, lives->life.item,
				  lives->life.count * sizeof(*lives->life.item));
	if (!code && summary->grown.row.count)
		code = buf_append(ret, summary->grown.row.item,
				  summary->grown.row.count * sizeof(*summary->grown.row.item));
	return code;
}

/* Moves *data behind the items; false when there are not so many. */
static bool take_items(const uint8_t **data, size_t *len, size_t count, size_t bytes, void **ret)
{
	if (count > *len / bytes)
		return false;
	*ret = count ? mem_alloc(count * bytes) : NULL;
	if (count)
		memcpy(*ret, *data, count * bytes);
	*data += count * bytes;
	*len -= count * bytes;
	return true;
}

static bool life_fits(const struct heap_lives *lives, const struct heap_life *life,
		      const struct profile *profile)
{
	const struct heap_process *process;

	if (life->stack.v >= profile->nodes.count || (unsigned)life->stop >= STACK_STOP_COUNT ||
	    life->process >= lives->process.count)
		return false;
	process = &lives->process.item[life->process];
	return life->begin_ns >= process->first_ns && life->begin_ns <= process->last_ns &&
	       (!life->end_ns ||
		(life->end_ns >= process->first_ns && life->end_ns <= process->last_ns));
}

static bool fits(const struct heap_summary *summary, const struct profile *profile)
{
	const struct heap_lives *lives = &summary->lives;

	for (size_t i = 0; i < summary->grown.row.count; i++)
		if (summary->grown.row.item[i].stack.v >= profile->nodes.count ||
		    (unsigned)summary->grown.row.item[i].stop >= STACK_STOP_COUNT)
			return false;
	for (size_t i = 0; i < lives->life.count; i++)
		if (!life_fits(lives, &lives->life.item[i], profile))
			return false;
	return true;
}

int heap_unpack(const void *data, size_t len, const struct profile *profile,
		struct heap_summary *ret, struct err *err)
{
	struct heap_summary summary;
	struct heap_lives *lives = &summary.lives;
	const uint8_t *at = data;
	size_t life, process, grown;

	if (len < sizeof(summary))
		return err_set(err, -EINVAL, "no sums of the heap");
	memcpy(&summary, at, sizeof(summary));
	at += sizeof(summary);
	len -= sizeof(summary);
	life = lives->life.count;
	process = lives->process.count;
	grown = summary.grown.row.count;
	memset(lives, 0, sizeof(*lives));
	memset(&summary.grown, 0, sizeof(summary.grown));
	if (take_items(&at, &len, process, sizeof(*lives->process.item),
		       (void **)&lives->process.item) &&
	    take_items(&at, &len, life, sizeof(*lives->life.item), (void **)&lives->life.item) &&
	    take_items(&at, &len, grown, sizeof(*summary.grown.row.item),
		       (void **)&summary.grown.row.item) &&
	    !len) {
		lives->process.count = lives->process.capacity = process;
		lives->life.count = lives->life.capacity = life;
		summary.grown.row.count = summary.grown.row.capacity = grown;
		if (fits(&summary, profile)) {
			*ret = summary;
			return 0;
		}
	}
	heap_summary_done(&summary);
	return err_set(err, -EINVAL, "the sums of the heap do not fit the profile");
}
