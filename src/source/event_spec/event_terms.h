/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The comma list between the slashes of an event: config words, PMU format terms, PMU event
 * names, and settings that override the command line for one event. */
#ifndef SOURCE_EVENT_TERMS_H
#define SOURCE_EVENT_TERMS_H

struct arena;
struct err;
struct event_spec;
struct pmu;

/* Applies "term=value,term,…" to the spec. pmu is NULL for generic events and tracepoints, which
 * take settings only. Errors name the term. `text` is changed. */
int event_terms_apply(struct event_spec *spec, const struct pmu *pmu, char *text,
		      struct arena *arena, struct err *err);

#endif
