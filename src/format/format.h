/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats: bytes ⇄ events or profile. A format reads either a stream of events (perf.data) or a
 * finished profile (perf script text, folded, …), and may write a profile. The registry is
 * formats.def; input is recognised by content, never by name, and no code but the registry's knows
 * a format's name. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct input;
struct json;
struct profile;

/* Wakers to append to the stacks of waits, in text with scheduler events. */
enum format_wakers {
	FORMAT_WAKERS_NONE,
	FORMAT_WAKERS_ONE, /* the waker */
	FORMAT_WAKERS_ALL, /* also the waker's waker during the wait, and so on */
};

/* Options of readers; all zero is the default. */
struct format_read_options {
	enum format_wakers wakers; /* perf-sched */
	bool waker_tids;	   /* these are named "comm-tid" */
	bool offsets;		   /* dtrace: frames are "f+0x1f" */
	bool no_modules;	   /* sample, call-csv: names have no "module`" in front */
};

struct format_write_options {
	const char *event; /* only this event; NULL = all that the format can contain */
	bool weights_only; /* pprof: without the sample type that counts samples */
};

struct format_ops {
	const char *name;   /* for --format */
	const char *suffix; /* ".folded", NULL = none */
	const char *help;
	/* Confidence: 0 no, 1 maybe (text of that form), 2 certain (magic), 3 certain and more
	 * specific than another format. head is the first ≤ 64 KiB of the input (after gunzip).
	 * NULL: not recognised by these; JSON is by is_json(). */
	int (*sniff)(const uint8_t *head, size_t len);
	/* When the profile in these unpacked bytes ended, in ns since 1970; 0 = they do not say.
	 * NULL: the format has no such time. */
	uint64_t (*end_ns)(const uint8_t *data, size_t len);
	/* options is not NULL: callers use format_read(). */
	int (*read)(struct input *input, const struct format_read_options *options,
		    struct profile *profile, struct err *err);
	bool (*is_json)(const struct json *json);
	int (*read_json)(const struct json *json, struct profile *profile, struct err *err);
	int (*write)(const struct profile *profile, const struct format_write_options *options,
		     struct buf *ret, struct err *err);
	const struct format_ops *waits; /* what reads the same text as time off the CPU */
	bool events;	/* perf.data: read through format/perf_data/perf_data.h instead of read() */
	bool places;	/* write() needs addresses and lines, not only functions */
	bool packed;	/* write() produces binary data */
	bool names_all; /* write() needs a function for every sample */
	unsigned keep;	/* enum profile_keep: what write() can use */
};

#define FORMAT(name) extern const struct format_ops format_##name;
#include "format/formats.def"
#undef FORMAT

/* All formats, NULL-terminated. */
const struct format_ops *const *format_all(void);
const struct format_ops *format_sniff(const uint8_t *head, size_t len);
const struct format_ops *format_find(const char *name_or_path); /* by name, else by suffix */
/* Requires a format with read(). options may be NULL. */
int format_read(const struct format_ops *format, struct input *input,
		const struct format_read_options *options, struct profile *profile,
		struct err *err);
/* Appends the names of writable formats, "a, b or c". */
void format_put_writable(struct buf *ret);

#endif
