/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognises headers of samples by earlier ones, without parsing them: the text before the time,
 * "comm pid/tid [cpu]", and the event after the period repeat. */
#ifndef FORMAT_PERF_SCRIPT_PERF_SCRIPT_HEAD_H
#define FORMAT_PERF_SCRIPT_PERF_SCRIPT_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/perf_script/perf_script_line.h"
#include "profile/profile.h"

#define SCRIPT_FRONTS  1024 /* threads, each on several CPUs */
#define SCRIPT_EVENTS  4
#define SCRIPT_PORTION 56 /* bytes of a header that are compared; longer ones are not kept */

struct script_portion {
	uint8_t len; /* 0 = free */
	char text[SCRIPT_PORTION];
};

/* Zero-initialise. */
struct script_heads {
	struct script_front {
		struct script_portion key; /* up to the time */
		thread_id thread;
		uint32_t cpu;
	} front[SCRIPT_FRONTS];
	uint16_t recent[2]; /* fronts found last: threads run for a while, on few CPUs */
	struct script_event {
		struct script_portion key; /* the event up to the line's end, newline included */
		uint16_t event;
	} event[SCRIPT_EVENTS];
	size_t next_event; /* replaced next */
};

/* A parsed header line, with ids of the profile. */
struct script_head {
	thread_id thread;
	uint16_t event;
	uint32_t cpu;		  /* SCRIPT_UNKNOWN = not printed */
	uint64_t time_ns, period; /* 0 = not printed */
};

/* Returns the start of the next line; NULL for a line that must be parsed. */
const char *script_head_find(struct script_heads *heads, const char *text, const char *end,
			     struct script_head *ret);
/* Caches the parsed line at `text`: `header` as text, `head` with ids. */
void script_head_learn(struct script_heads *heads, const char *text, const char *end,
		       const struct script_header *header, const struct script_head *head);

#endif
