/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats: bytes ⇄ events or profile. A format reads either a stream of events (perf.data) or a
 * finished profile (perf script text, folded, …), and may write a profile. The registry is the
 * const array in format.c; input is recognised by content, never by name. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct input;
struct profile;
struct capture;

/* How function names are written. */
enum fold_names {
	FOLD_NAMES_TIDY,  /* without arguments and quotes */
	FOLD_NAMES_PERL,  /* exactly as stackcollapse-perf.pl cuts them */
	FOLD_NAMES_WHOLE, /* all of it; only what folded text cannot hold is replaced */
};

/* Options of readers and writers that fold stacks (FlameGraph's stackcollapse-perf.pl). */
struct fold_options {
	bool pid, tid;	   /* comm-PID, comm-PID/TID as the root frame */
	bool kernel, jit;  /* annotate with _[k], _[j] */
	bool addrs;	   /* raw address where the symbol is unknown */
	bool inlined;	   /* annotate inlined frames with _[i] */
	bool context;	   /* show source file context (--context) */
	bool srcline;	   /* function:line */
	bool no_comm;	   /* no root frame for the command */
	bool all_events;   /* fold every event, not only the first */
	const char *event; /* only this event; NULL = the first one met */
	enum fold_names names;
};

struct format_ops {
	const char *name;   /* for --format */
	const char *suffix; /* ".folded", NULL = none */
	const char *help;
	/* How sure: 0 no, 1 maybe (text of that shape), 2 certain (magic), 3 one kind of
	 * what another format is certain of. head is the first ≤ 64 KiB of the input (after
	 * gunzip). */
	int (*sniff)(const uint8_t *head, size_t len);
	int (*read)(struct input *input, struct profile *profile, struct err *err);
	int (*write)(const struct profile *profile, const struct fold_options *options,
		     struct buf *ret, struct err *err);
	bool events;   /* perf.data: read through format/perf_data/perf_data.h instead of read() */
	bool places;   /* write() tells addresses and lines, so functions alone will not do */
	bool packed;   /* write() gives bytes that are no text */
	unsigned keep; /* enum profile_keep: what write() can make use of */
};

const struct format_ops *format_sniff(const uint8_t *head, size_t len);
const struct format_ops *format_find(const char *name_or_path); /* by name, else by suffix */
/* All formats, NULL-terminated. */
const struct format_ops *const *format_all(void);

#endif
