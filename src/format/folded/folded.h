/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, FlameGraph's text format: the slots of struct format_ops, and the parser on bytes
 * for tests. Invalid lines are counted in meta.unknown_records. */
#ifndef FORMAT_FOLDED_H
#define FORMAT_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;
struct format_read_options;
struct input;
struct profile;

/* How function names are written. */
enum fold_names {
	FOLD_NAMES_TIDY,  /* without arguments and quotes */
	FOLD_NAMES_PERL,  /* cut exactly as by stackcollapse-perf.pl */
	FOLD_NAMES_WHOLE, /* unchanged, except for characters that folded text cannot contain */
};

/* How stacks are folded (FlameGraph's stackcollapse-perf.pl). */
struct fold_options {
	bool pid, tid;	   /* comm-PID, comm-PID/TID as the root frame */
	bool kernel, jit;  /* annotate with _[k], _[j] */
	bool addrs;	   /* raw address where the symbol is unknown */
	bool inlined;	   /* annotate inlined frames with _[i] */
	bool context;	   /* show source file context (--context) */
	bool srcline;	   /* function:line */
	bool no_comm;	   /* no root frame for the command */
	bool header;	   /* FOLDED_HEADER line first */
	bool all_events;   /* fold every event, not only the first */
	const char *event; /* only this event; NULL: the first one */
	enum fold_names names;
};

/* A comment before the stacks that gives the unit of weights. FlameGraph's scripts, inferno and
 * speedscope skip it; FlameGraph and inferno warn about an ignored line. */
#define FOLDED_HEADER "# cupel:"

void folded_parse(const char *text, size_t len, struct profile *profile);

int folded_sniff(const uint8_t *head, size_t len);
int folded_read(struct input *input, const struct format_read_options *options,
		struct profile *profile, struct err *err);
int folded_write(const struct profile *profile, const struct fold_options *options, struct buf *ret,
		 struct err *err);

#endif
