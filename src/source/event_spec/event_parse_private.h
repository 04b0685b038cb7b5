/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that parse -e strings. */
#ifndef SOURCE_EVENT_PARSE_PRIVATE_H
#define SOURCE_EVENT_PARSE_PRIVATE_H

#include "source/event_spec/event_parse.h"

struct pmu;

struct parser {
	struct event_list *list;
	const char *root;
	const char *text; /* what is left */
	struct err *err;
};

/* One event's text, cut into its parts. */
struct event_text {
	char *whole; /* as written, without spaces around it: the default name */
	char *word;
	char *terms; /* NULL = no slashes */
	char *modifiers;
};

/* A new event at the end of the list. */
struct event_spec *parser_add(struct parser *parser, const char *name, uint32_t type,
			      uint64_t config);
/* Its terms and modifiers. */
int parser_finish(struct parser *parser, struct event_spec *spec, const struct pmu *pmu,
		  const struct event_text *text);
/* word is "system:name", both possibly globs. */
int parser_add_tracepoints(struct parser *parser, const struct event_text *text);
/* tracepoint/config=ID/: the file needs the format of what that is. */
int parser_name_tracepoint(struct parser *parser, struct event_spec *spec,
			   const struct event_text *text);

#endif
