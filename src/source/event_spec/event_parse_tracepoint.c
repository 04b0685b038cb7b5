/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints in -e strings: system:name with globs (see event_parse.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "source/event_spec/event_parse_private.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/tracepoint.h"

static void split_tracepoint(struct parser *parser, struct event_spec *spec, const char *full_name)
{
	const char *colon = strchr(full_name, ':');

	spec->system = arena_strndup(&parser->list->arena, full_name, (size_t)(colon - full_name));
	spec->tracepoint = colon + 1;
	spec->default_period = 1;
}

int parser_name_tracepoint(struct parser *parser, struct event_spec *spec,
			   const struct event_text *text)
{
	const char *tracefs, *name;

	if (tracefs_find(parser->root, &parser->list->arena, &tracefs, parser->err))
		return err_wrap(parser->err, "event '%s'", text->whole);
	name = tracepoint_of_id(tracefs, spec->attr.config, &parser->list->arena);
	if (!name)
		return err_set(parser->err, -ENOENT, "event '%s': no tracepoint has the id %llu",
			       text->whole, (unsigned long long)spec->attr.config);
	split_tracepoint(parser, spec, name);
	return 0;
}

/* Says whether the system or the tracepoint in it is the unknown part, with near names. */
static int unknown_tracepoint(struct parser *parser, const struct event_text *text,
			      const char *tracefs)
{
	struct arena *arena = &parser->list->arena;
	size_t system_len = strcspn(text->word, ":");
	const char *system = arena_strndup(arena, text->word, system_len);
	char *all_of_it = arena_alloc(arena, system_len + 3);
	struct suggest suggest = { .word = text->word + system_len + 1 };
	struct name_list names = { 0 };
	struct err ignored;
	char shown[256];

	(void)snprintf(all_of_it, system_len + 3, "%s:*", system);	     /* fits */
	(void)tracepoint_match(tracefs, all_of_it, arena, &names, &ignored); /* then: none */
	if (names.count) {
		for (size_t i = 0; i < names.count; i++)
			suggest_offer(&suggest, strchr(names.item[i], ':') + 1);
		err_set(parser->err, -ENOENT, "event '%s': no tracepoint '%s' in system '%s'",
			text->whole, suggest.word, system);
	} else {
		suggest.word = system;
		(void)tracepoint_systems(tracefs, arena, &names); /* then: none */
		for (size_t i = 0; i < names.count; i++)
			suggest_offer(&suggest, names.item[i]);
		err_set(parser->err, -ENOENT, "event '%s': no tracepoint system '%s'", text->whole,
			system);
	}
	name_list_done(&names);
	if (suggest.count)
		return err_hint(parser->err, "did you mean %s?",
				suggest_text(&suggest, shown, sizeof(shown)));
	return err_hint(parser->err, "what exists is listed in %s/events", tracefs);
}

static int add_tracepoint(struct parser *parser, const struct event_text *text, const char *tracefs,
			  const char *full_name)
{
	struct event_spec *spec = parser_add(parser, full_name, PERF_TYPE_TRACEPOINT, 0);
	uint64_t id;

	split_tracepoint(parser, spec, full_name);
	spec->pmu = "tracepoint";
	if (tracepoint_id(tracefs, spec->system, spec->tracepoint, &id, parser->err))
		return err_wrap(parser->err, "event '%s'", text->whole);
	spec->attr.config = id;
	return parser_finish(parser, spec, NULL, text);
}

int parser_add_tracepoints(struct parser *parser, const struct event_text *text)
{
	struct arena *arena = &parser->list->arena;
	struct name_list names = { 0 };
	const char *tracefs;
	int r = tracefs_find(parser->root, arena, &tracefs, parser->err);

	if (r == 0)
		r = tracepoint_match(tracefs, text->word, arena, &names, parser->err);
	if (r)
		err_wrap(parser->err, "event '%s'", text->whole);
	else if (names.count == 0)
		r = unknown_tracepoint(parser, text, tracefs);
	for (size_t i = 0; r == 0 && i < names.count; i++)
		r = add_tracepoint(parser, text, tracefs, names.item[i]);
	name_list_done(&names);
	return r;
}
