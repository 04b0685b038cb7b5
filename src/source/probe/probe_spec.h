/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user writes for places in programs: "probe:/usr/bin/bash:readline", "c:malloc*",
 * "usdt:libpython3.11:function__entry", "t:sched:*", in the spellings of Cupel, of BCC (p: r: u:
 * t:) and of perf (%return). */
#ifndef SOURCE_PROBE_SPEC_H
#define SOURCE_PROBE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum probe_kind {
	PROBE_ENTRY,
	PROBE_RETURN,
	PROBE_USDT,
	PROBE_TRACEPOINT,
};

/* Functions, providers and names may be globs. */
struct probe_spec {
	enum probe_kind kind;
	const char *binary;   /* path or short name; of a tracepoint its category; NULL = kernel */
	const char *provider; /* of USDT probes; NULL = any */
	const char *function; /* or the name of a tracepoint or USDT probe; NULL = by the below */
	uint64_t offset;      /* behind the function's start */
	bool has_address;
	uint64_t address; /* linked address */
	/* A place of the source: FILE:LINE, FUNCTION:LINE, FILE;PATTERN, FUNCTION;PATTERN,
	 * FUNCTION@FILE. NULL = another. */
	const char *source;
	char *text; /* that the strings are in */
};

/* -EINVAL when malformed. */
int probe_spec_parse(const char *text, struct probe_spec *ret, struct err *err);
void probe_spec_done(struct probe_spec *spec);
/* The colon behind the binary at the text's start, NULL without one. A path reaches up to the last
 * colon before which it is that of a file. */
char *probe_spec_binary_end(char *text);
/* Whether it may stand for several. */
bool probe_is_glob(const char *text);

#endif
