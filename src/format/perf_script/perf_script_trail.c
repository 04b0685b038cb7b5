/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends of bodies of text (see perf_script_trail.h). A trail's text fills its buffer from the end,
 * so that lines towards the leaf are replaced in front of those that stay. */
#include "format/perf_script/perf_script_trail.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"

#define TRAILS	    128
#define TRAIL_BYTES 8192
#define END_BYTES   48 /* that tell trails apart */

struct script_trail {
	uint64_t key, next_key;	       /* of the text, and of the last other one that came by */
	char *text;		       /* TRAIL_BYTES, once there is any */
	VEC(struct script_mark) lines; /* root first */
};

struct script_trails {
	struct script_trail trail[TRAILS];
};

struct script_trails *script_trails_new(void)
{
	return mem_zalloc(sizeof(struct script_trails));
}

void script_trails_free(struct script_trails *trails)
{
	for (size_t i = 0; i < TRAILS; i++) {
		free(trails->trail[i].text);
		vec_done(&trails->trail[i].lines);
	}
	free(trails);
}

struct script_trail *script_trail_find(struct script_trails *trails, struct slice text)
{
	size_t len = text.len < END_BYTES ? text.len : END_BYTES;
	uint64_t key = hash_bytes(text.s + text.len - len, len);
	struct script_trail *trail = &trails->trail[key % TRAILS];

	if (trail->key == key)
		return trail;
	if (trail->next_key != key) {
		trail->next_key = key;
		return NULL;
	}
	trail->key = key;
	trail->lines.count = 0;
	return trail;
}

static size_t trail_len(const struct script_trail *trail)
{
	return trail->lines.count ? vec_last(&trail->lines)->from_end : 0;
}

/* Bytes compared side by side. */
typedef uint64_t words32 __attribute__((vector_size(32)));

static bool same_32(const char *a, const char *b)
{
	words32 x, y, differ;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	differ = x ^ y;
	return !(differ[0] | differ[1] | differ[2] | differ[3]);
}

/* How many bytes before both ends are the same, at most `most`. */
static size_t common_end(const char *a_end, const char *b_end, size_t most)
{
	size_t same = 0;

	while (most - same >= 32 && same_32(a_end - same - 32, b_end - same - 32))
		same += 32;
	while (same < most && a_end[-(ptrdiff_t)same - 1] == b_end[-(ptrdiff_t)same - 1])
		same++;
	return same;
}

size_t script_trail_shared(const struct script_trail *trail, struct slice text, uint64_t *ret_hash)
{
	const char *end = text.s + text.len;
	size_t most = trail_len(trail), same;

	*ret_hash = 0;
	if (!most)
		return 0;
	same = common_end(end, trail->text + TRAIL_BYTES, most < text.len ? most : text.len);
	for (size_t i = trail->lines.count; i-- > 0;) {
		const struct script_mark *line = &trail->lines.item[i];

		if (line->from_end > same || line->waits ||
		    (line->from_end < text.len && end[-(ptrdiff_t)line->from_end - 1] != '\n'))
			continue;
		*ret_hash = line->hash;
		return line->from_end;
	}
	return 0;
}

void script_trail_keep(struct script_trail *trail, struct slice text, size_t shared,
		       const struct script_mark *mark, size_t count)
{
	while (trail_len(trail) > shared)
		trail->lines.count--;
	while (count-- > 0 && mark[count].from_end <= TRAIL_BYTES)
		vec_push(&trail->lines, mark[count]);
	if (!trail->text)
		trail->text = mem_alloc(TRAIL_BYTES);
	memcpy(trail->text + TRAIL_BYTES - trail_len(trail), text.s + text.len - trail_len(trail),
	       trail_len(trail) - shared);
}
