/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes → places, and the format of their data (see probe_event_set.h). */
#include "session/probe/probe_event_set.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "source/bpf/thread_filter.h"
#include "source/event_spec/event_parse.h"
#include "source/options.h"

/* struct probe_event_data, with the field that the kernel's own events of probes have. */
#define FIELDS                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
#define PRINT "\nprint fmt: \"(%%lx)\", REC->__probe_ip\n"

/* Names in formats are words. */
static void put_word(struct buf *out, const char *text)
{
	for (; *text; text++)
		(void)buf_putc(out, isalnum((unsigned char)*text) ? *text : '_');
}

static void add_format(struct probe_event_set *set, const struct event_spec *event)
{
	struct buf text = { 0 };
	const char *place = strrchr(event->probe, '/');

	(void)buf_puts(&text, "name: ");
	put_word(&text, place ? place + 1 : strchr(event->probe, ':') + 1);
	(void)buf_printf(&text, "\nID: %" PRIu64 "\nformat:\n" FIELDS PRINT,
			 (uint64_t)event->attr.config);
	vec_push(&set->format, arena_strdup(&set->arena, text.data));
	buf_done(&text);
}

/* Places of one specification, behind those that are there. */
static void take_places(struct probe_event_set *set, const struct probe_set *found,
			struct probe_choice *all)
{
	uint32_t binaries = (uint32_t)all->binaries.count, places = (uint32_t)set->event.count;
	const struct probe_choice *from = &found->choice;

	for (size_t i = 0; i < from->binaries.count; i++)
		vec_push(&all->binaries, from->binaries.item[i]);
	for (size_t i = 0; i < from->places.count; i++) {
		struct probe_place place = from->places.item[i];
		const char *name = from->names.item[place.number];

		place.number = (uint32_t)set->event.count;
		place.binary += binaries;
		vec_push(&all->places, place);
		vec_push(&set->event, (uint32_t)set->format.count - 1);
		/* Numbers count the places of both choices, so both have all names. */
		vec_push(&set->choice.entries.names, name);
		vec_push(&set->choice.returns.names, name);
	}
	for (size_t i = 0; i < from->exits.count; i++) {
		struct probe_place place = from->exits.item[i];
		uint32_t entry = 0;

		while (from->places.item[entry].number != place.number)
			entry++;
		place.number = places + entry;
		place.binary += binaries;
		vec_push(&all->exits, place);
	}
}

static int add_event(struct probe_event_set *set, const struct event_spec *event,
		     const struct source_options *options, struct err *err)
{
	struct probe_set_options how = { .pid = thread_filter_pid(options), .whole_name = true };
	struct probe_set *found = arena_new(&set->arena, struct probe_set);
	struct probe_spec spec;
	int code = probe_spec_parse(event->probe, &spec, err);

	if (code)
		return code;
	how.returns = spec.kind == PROBE_RETURN;
	probe_spec_done(&spec);
	vec_push(&set->sets, found);
	code = probe_set_add(found, event->probe, &how, err);
	if (code)
		return code;
	add_format(set, event);
	take_places(set, found, how.returns ? &set->choice.returns : &set->choice.entries);
	(void)buf_append(&set->notes, found->notes.data, found->notes.len);
	return 0;
}

/* Whether it is worth to be parsed: that may mean to read tracefs. */
static bool may_have_probes(const char *text)
{
	return strstr(text, "probe:") || strstr(text, "usdt:");
}

int probe_event_set_find(struct probe_event_set *set, const struct source_options *options,
			 struct err *err)
{
	const struct event_parse_options parse = { .root = "" };
	struct event_list list = { 0 };
	int code = 0;

	for (size_t i = 0; !code && i < options->selector.count; i++)
		if (!options->selector.item[i].filter &&
		    may_have_probes(options->selector.item[i].text))
			code = event_list_parse(&list, options->selector.item[i].text, &parse, err);
	for (size_t i = 0; !code && i < list.spec.count; i++)
		if (list.spec.item[i]->probe)
			code = add_event(set, list.spec.item[i], options, err);
	event_list_done(&list);
	set->choice.event = set->event.item;
	set->choice.places = set->event.count;
	set->choice.format = set->format.item;
	set->choice.events = set->format.count;
	return code;
}

void probe_event_set_done(struct probe_event_set *set)
{
	for (size_t i = 0; i < set->sets.count; i++)
		probe_set_done(set->sets.item[i]);
	vec_done(&set->sets);
	vec_done(&set->event);
	vec_done(&set->format);
	vec_done(&set->choice.entries.binaries);
	vec_done(&set->choice.entries.places);
	vec_done(&set->choice.entries.names);
	vec_done(&set->choice.returns.binaries);
	vec_done(&set->choice.returns.places);
	vec_done(&set->choice.returns.names);
	vec_done(&set->choice.returns.exits);
	buf_done(&set->notes);
	arena_done(&set->arena);
}
