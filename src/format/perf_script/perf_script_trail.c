/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends of bodies of text (see perf_script_trail.h). A trail's text fills its buffer from the end,
 * so that lines towards the leaf are replaced in front of those that stay. */
#include "format/perf_script/perf_script_trail.h"

#include <stdbool.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

#define TRAILS	    128
#define TRAIL_BYTES 8192
#define END_BYTES   48 /* that tell trails apart */

struct trail_line {
	size_t from_end; /* of its first byte, to the end of the text */
	struct script_mark mark;
};

struct script_trail {
	char *text;		      /* TRAIL_BYTES, once there is any */
	VEC(struct trail_line) lines; /* root first */
	bool full;		      /* a line towards the leaf had no room */
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

	return &trails->trail[hash_bytes(text.s + text.len - len, len) % TRAILS];
}

static size_t trail_len(const struct script_trail *trail)
{
	return trail->lines.count ? vec_last(&trail->lines)->from_end : 0;
}

/* How many bytes before both ends are the same, at most `most`. */
static size_t common_end(const char *a_end, const char *b_end, size_t most)
{
	size_t same = 0;

	while (most - same >= 16 && memcmp(a_end - same - 16, b_end - same - 16, 16) == 0)
		same += 16;
	while (same < most && a_end[-(ptrdiff_t)same - 1] == b_end[-(ptrdiff_t)same - 1])
		same++;
	return same;
}

size_t script_trail_shared(const struct script_trail *trail, struct slice text,
			   struct script_mark *ret)
{
	const char *end = text.s + text.len;
	size_t most = trail_len(trail), same;

	*ret = (struct script_mark){ .stack = STACK_EMPTY };
	if (!most)
		return 0;
	same = common_end(end, trail->text + TRAIL_BYTES, most < text.len ? most : text.len);
	for (size_t i = trail->lines.count; i-- > 0;) {
		const struct trail_line *line = &trail->lines.item[i];

		if (line->from_end > same || line->mark.stack.v == SCRIPT_NO_STACK.v ||
		    (line->from_end < text.len && end[-(ptrdiff_t)line->from_end - 1] != '\n'))
			continue;
		*ret = line->mark;
		return line->from_end;
	}
	return 0;
}

void script_trail_cut(struct script_trail *trail, size_t shared)
{
	while (trail_len(trail) > shared)
		trail->lines.count--;
	trail->full = false;
}

void script_trail_add(struct script_trail *trail, struct slice line, struct script_mark mark)
{
	size_t before = trail_len(trail), from_end = before + line.len + (before > 0);

	trail->full |= from_end > TRAIL_BYTES;
	if (trail->full)
		return;
	if (!trail->text)
		trail->text = mem_alloc(TRAIL_BYTES);
	if (before)
		trail->text[TRAIL_BYTES - before - 1] = '\n';
	memcpy(trail->text + TRAIL_BYTES - from_end, line.s, line.len);
	vec_push(&trail->lines, ((struct trail_line){ from_end, mark }));
}
