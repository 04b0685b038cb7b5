/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See tracefs_events.h. */
#include "session/probe/tracefs_events.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "session/probe/probe_definitions.h"
#include "session/probe/probe_request.h"
#include "source/event_spec/probe_text.h"
#include "source/options.h"
#include "source/probe/tracefs_probes.h"

/* Each is registered and removed by itself, which takes some milliseconds. */
#define MAX_PLACES 128
#define MAX_NAME   48 /* of 64 that the kernel takes, with what is added */

/* One event as it is made. */
struct making {
	struct tracefs_events *events;
	uint32_t event; /* its number in the set */
	const char *group, *name;
	const char *free_name; /* of those that are like the last one; NULL = none yet */
	struct buf text;       /* GROUP:EVENT,… */
};

/* What an event of the kernel cannot have in its name becomes _. */
static const char *tidy_name(struct arena *arena, const char *name)
{
	char *ret = arena_strndup(arena, name, MAX_NAME);

	for (char *at = ret; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	if (isdigit((unsigned char)*ret))
		*ret = '_';
	return *ret ? ret : "probe";
}

static const char *first_function(const struct making *making)
{
	const struct probe_events *choice = &making->events->set.choice;

	for (size_t i = 0; i < choice->places; i++)
		if (choice->event[i] == making->event) {
			const char *name = choice->entries.names.item[i];
			const char *colon = strchr(name, ':');

			return colon ? colon + 1 : name;
		}
	return NULL;
}

/* As perf does: "probe_libc:malloc", "sdt_libc:setjmp". file: NULL = of the kernel */
static void name_place(const struct making *making, const char *spec, const char *file,
		       const char *place, struct buf *ret)
{
	struct probe_request request = { .place = place, .arguments = "" };
	const char *name = strrchr(place, ':');

	if (strncmp(spec, "usdt:", 5) == 0 && name)
		(void)buf_printf(ret, "sdt_%s", place);
	else if (strncmp(spec, "usdt:", 5) == 0)
		(void)buf_printf(ret, "sdt:%s", place);
	else
		probe_request_name(&request, file, first_function(making), ret);
	if (strncmp(spec + 1, "retprobe:", 9) == 0)
		(void)buf_puts(ret, "__return");
}

/* "GROUP:EVENT=SPEC" or "SPEC" */
static void choose_name(struct making *making, char *text)
{
	struct arena *arena = &making->events->arena;
	const char *spec = probe_text_split(text), *place, *file = NULL;
	struct buf name = { 0 };
	char *colon;

	if (spec != text) {
		(void)buf_puts(&name, text);
	} else {
		text[probe_text_place(text)] = '\0';
		place = strchr(spec, ':') + 1;
		if (spec[0] != 'k' && strchr(place, ':')) {
			file = arena_strndup(arena, place, strcspn(place, ":"));
			place = strchr(place, ':') + 1;
		}
		name_place(making, spec, file, place, &name);
	}
	colon = strchr(name.data, ':');
	*colon = '\0';
	making->group = tidy_name(arena, name.data);
	making->name = tidy_name(arena, colon + 1);
	buf_done(&name);
}

static int take_name(struct making *making, struct err *err)
{
	struct tracefs_events *events = making->events;
	struct buf name = { 0 };
	int code =
		tracefs_probes_free_name(events->probes, making->group, making->name, &name, err);

	if (!code) {
		making->free_name = arena_strdup(&events->arena, name.data);
		buf_clear(&name);
		(void)buf_printf(&name, "%s:%s", making->group, making->free_name);
		(void)buf_printf(&making->text, "%s%s", making->text.len ? "," : "", name.data);
		vec_push(&events->name, arena_strdup(&events->arena, name.data));
	}
	buf_done(&name);
	return code;
}

static int make_one(struct making *making, struct tracefs_probe *probe, uint32_t number,
		    struct err *err)
{
	const struct probe_event_set *set = &making->events->set;

	if (set->choice.event[number] != making->event)
		return 0;
	if (!making->free_name && take_name(making, err))
		return err->code;
	probe->group = making->group;
	probe->event = making->free_name;
	probe->arguments = set->tracefs.item[number];
	return tracefs_probes_add(making->events->probes, probe, err);
}

static int make_places(struct making *making, const struct probe_choice *choice, bool exits,
		       struct err *err)
{
	const struct probe_place *item = exits ? choice->exits.item : choice->places.item;
	size_t count = exits ? choice->exits.count : choice->places.count;
	bool returns = choice == &making->events->set.choice.returns && !exits;
	int code = 0;

	making->free_name = NULL;
	for (size_t i = 0; !code && i < count; i++) {
		struct tracefs_probe probe = { .file = choice->binaries.item[item[i].binary],
					       .offset = item[i].offset,
					       .semaphore = item[i].semaphore,
					       .returns = returns };

		if (item[i].shares_exits &&
		    making->events->set.choice.event[item[i].number] == making->event)
			return err_set(err, -ENOTSUP,
				       "%s: it ends where other functions end, too, which tracefs "
				       "cannot tell apart",
				       choice->names.item[item[i].number]);
		if (!returns || !item[i].has_exits)
			code = make_one(making, &probe, item[i].number, err);
	}
	return code;
}

static int make_kernel(struct making *making, const struct probe_choice *choice, struct err *err)
{
	bool returns = choice == &making->events->set.choice.returns;
	int code = 0;

	making->free_name = NULL;
	for (size_t i = 0; !code && i < choice->kernel.count; i++) {
		struct tracefs_probe probe = { .function = choice->kernel.item[i].name,
					       .returns = returns };

		code = make_one(making, &probe, choice->kernel.item[i].number, err);
	}
	return code;
}

/* All of one event. Entries and returns cannot have one name. */
static int make_event(struct making *making, struct err *err)
{
	const struct probe_events *choice = &making->events->set.choice;
	int code = make_places(making, &choice->entries, false, err);

	if (!code)
		code = make_kernel(making, &choice->entries, err);
	if (!code)
		code = make_places(making, &choice->returns, false, err);
	if (!code)
		code = make_places(making, &choice->returns, true, err);
	if (!code)
		code = make_kernel(making, &choice->returns, err);
	return code;
}

/* One -e with the names of what was made for its probes. first: the number of its first one. */
static int rewrite(struct tracefs_events *events, const char *text, uint32_t *first,
		   struct buf *ret, struct err *err)
{
	bool begins = true;
	int code = 0;

	while (!code && *text) {
		struct making making = { .events = events, .event = *first };
		size_t len;

		if (!begins || !probe_text_begins(text)) {
			begins = strchr(",{", *text) || (begins && strchr(" \t", *text));
			(void)buf_putc(ret, *text++);
			continue;
		}
		len = probe_text_extent(text);
		choose_name(&making, arena_strndup(&events->arena, text, len));
		code = make_event(&making, err);
		(void)buf_append(ret, making.text.data, making.text.len);
		buf_done(&making.text);
		text += len;
		begins = false;
		++*first;
	}
	return code;
}

static int check(const struct tracefs_events *events, struct err *err)
{
	size_t count = events->set.choice.places + events->set.choice.returns.exits.count;

	if (count <= MAX_PLACES)
		return 0;
	(void)err_set(err, -E2BIG, "%zu places are too many for tracefs, which takes %d", count,
		      MAX_PLACES);
	return err_hint(err, "without --tracefs one link takes all of them");
}

static int make_all(struct tracefs_events *events, struct source_options *options, struct err *err)
{
	size_t count = options->selector.count;
	struct record_selector *own =
		arena_array(&events->arena, struct record_selector, count + 1);
	struct buf text = { 0 };
	uint32_t first = 0;
	int code = tracefs_probes_open(events->root ? events->root : "", &events->probes, err);

	for (size_t i = 0; !code && i < count; i++) {
		own[i] = options->selector.item[i];
		if (own[i].filter)
			continue;
		buf_clear(&text);
		code = rewrite(events, probe_definitions_expand(own[i].text, &events->arena),
			       &first, &text, err);
		own[i].text = arena_strdup(&events->arena, text.data ? text.data : "");
	}
	buf_done(&text);
	if (!code)
		options->selector.item = own;
	return code;
}

int tracefs_events_make(struct tracefs_events *events, struct source_options *options,
			struct err *err)
{
	int code = probe_event_set_find(&events->set, options, err);

	if (!code && events->set.choice.events)
		code = check(events, err);
	if (!code && events->set.choice.events)
		code = make_all(events, options, err);
	return code;
}

bool tracefs_events_close(struct tracefs_events *events)
{
	bool done = tracefs_probes_close(events->probes);

	probe_event_set_done(&events->set);
	vec_done(&events->name);
	arena_done(&events->arena);
	return done;
}
