/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that did not load the library. */
#ifndef SOURCE_HEAP_HEAP_MISSED_H
#define SOURCE_HEAP_HEAP_MISSED_H

#include <stdint.h>

struct buf;

/* Says how many there are and why, with names: nothing if there are none. map_fd: of struct
 * heap_program_name by number; unlisted: programs that are not in it. */
void heap_missed_text(int map_fd, uint64_t unlisted, struct buf *out);

/* The parts. reasons: HEAP_TARGETS counts. */
struct heap_missed {
	uint64_t count;
	char names[64]; /* of the first ones */
};
void heap_missed_add(struct heap_missed *reasons, const char *path);
void heap_missed_put(const struct heap_missed *reasons, uint64_t unlisted, struct buf *out);

#endif
