/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user types to define a probe, in perf's syntax: [[GROUP:]EVENT=]PLACE [ARGUMENT...], and
 * the name that perf would give it. */
#ifndef SESSION_PROBE_PROBE_REQUEST_H
#define SESSION_PROBE_PROBE_REQUEST_H

#include <stdbool.h>

struct arena;
struct buf;
struct err;

struct probe_request {
	const char *group, *event; /* NULL = not given */
	const char *place;	   /* "malloc+4", "malloc%return", "work.c:7", "work;sum*" */
	const char *arguments;	   /* "" = none */
	bool is_glob;		   /* of functions: as many definitions as match */
	bool is_static; /* USDT, typed as "%app:req" or "%sdt_app:req": place is "app:req" */
};

/* Strings are in the arena. */
int probe_request_parse(const char *text, struct arena *arena, struct probe_request *ret,
			struct err *err);
/* Appends "GROUP:EVENT". path: of the program, NULL =
 * the kernel; function: at the place, when the place does not name
 * it; NULL = unknown. */
void probe_request_name(const struct probe_request *request, const char *path, const char *function,
			struct buf *ret);
/* A group or an event: letters, digits, _, not a digit first. */
bool probe_name_is_valid(const char *name);

#endif
