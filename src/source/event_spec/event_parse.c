/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recursive descent over -e strings (see event_parse.h):
 *   list  := item (',' item)*
 *   item  := [name] '{' event (',' event)* '}' [':' modifiers]  |  event
 *   event := probe  |  'mem:' address ['/' len] [':' rwx] [':' modifiers]
 *          | word ['/' terms '/'] [[':'] modifiers]             word may be system:tracepoint */
#include "source/event_spec/event_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/suggest.h"
#include "source/event_spec/breakpoint.h"
#include "source/event_spec/event_modifiers.h"
#include "source/event_spec/event_names.h"
#include "source/event_spec/event_terms.h"
#include "source/event_spec/name_list.h"
#include "source/event_spec/pfm_event.h"
#include "source/event_spec/pmu.h"
#include "source/event_spec/probe_text.h"
#include "source/event_spec/tracepoint.h"

#define MAX_EVENTS 16384
#define MAX_TEXT   65536

struct parser {
	struct event_list *list;
	const char *root;
	const char *text; /* what is left */
	bool tools;
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
static struct event_spec *new_event(struct parser *parser, const char *name, uint32_t type,
				    uint64_t config)
{
	struct event_list *list = parser->list;
	struct event_spec *spec = arena_new(&list->arena, struct event_spec);

	spec->name = name;
	spec->attr.type = type;
	spec->attr.config = config;
	spec->attr.exclude_guest = 1;
	spec->index = spec->group_leader = (uint32_t)list->spec.count;
	spec->group_size = 1;
	spec->scale = 1;
	spec->inherit = true;
	spec->glob = list->globs;
	vec_push(&list->spec, spec);
	return spec;
}

/* Terms and modifiers. Terms are consumed by parsing, so every event of a glob gets its own copy.
 */
static int finish_event(struct parser *parser, struct event_spec *spec, const struct pmu *pmu,
			const struct event_text *text)
{
	struct arena *arena = &parser->list->arena;
	int r = 0;

	if (text->terms)
		r = event_terms_apply(spec, pmu, arena_strdup(arena, text->terms), arena,
				      parser->err);
	if (r == 0)
		r = event_modifiers_apply(spec, text->modifiers, false, parser->err);
	return r ? err_wrap(parser->err, "event '%s'", text->whole) : 0;
}

static void split_tracepoint(struct parser *parser, struct event_spec *spec, const char *tracefs,
			     const char *full_name)
{
	const char *colon = strchr(full_name, ':');

	spec->system = arena_strndup(&parser->list->arena, full_name, (size_t)(colon - full_name));
	spec->tracepoint = colon + 1;
	spec->default_period = 1;
	tracepoint_look(tracefs, spec);
}

/* tracepoint/config=ID/: the file needs the format of what that is. */
static int name_tracepoint(struct parser *parser, struct event_spec *spec,
			   const struct event_text *text)
{
	const char *tracefs, *name;

	if (tracefs_find(parser->root, &parser->list->arena, &tracefs, parser->err))
		return err_wrap(parser->err, "event '%s'", text->whole);
	name = tracepoint_of_id(tracefs, spec->attr.config, &parser->list->arena);
	if (!name)
		return err_set(parser->err, -ENOENT, "event '%s': no tracepoint with id %llu",
			       text->whole, (unsigned long long)spec->attr.config);
	split_tracepoint(parser, spec, tracefs, name);
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
		err_set(parser->err, -ENOENT, "event '%s': no tracepoint '%s' in system '%s'",
			text->whole, suggest.word, system);
	} else {
		err_set(parser->err, -ENOENT, "event '%s': no system '%s'", text->whole, system);
		suggest.word = system;
		(void)tracepoint_systems(tracefs, arena, &names); /* then: none */
	}
	for (size_t i = 0; i < names.count; i++)
		suggest_offer(&suggest,
			      names.item[i] + (suggest.word == system ? 0 : system_len + 1));
	name_list_done(&names);
	if (suggest.count)
		return err_hint(parser->err, "did you mean %s?",
				suggest_text(&suggest, shown, sizeof(shown)));
	return err_hint(parser->err, "all events: cupel list; a probe has to be defined first: "
				     "cupel probe -x FILE FUNCTION");
}

static int add_tracepoint(struct parser *parser, const struct event_text *text, const char *tracefs,
			  const char *full_name)
{
	struct event_spec *spec = new_event(parser, full_name, PERF_TYPE_TRACEPOINT, 0);
	uint64_t id;

	split_tracepoint(parser, spec, tracefs, full_name);
	spec->pmu = "tracepoint";
	if (tracepoint_id(tracefs, spec->system, spec->tracepoint, &id, parser->err))
		return err_wrap(parser->err, "event '%s'", text->whole);
	spec->attr.config = id;
	return finish_event(parser, spec, NULL, text);
}

/* word is "system:name", both possibly globs. */
static int add_tracepoints(struct parser *parser, const struct event_text *text)
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

/* "0x1000/8:rw:u", what follows "mem:". */
static int add_breakpoint(struct parser *parser, const struct event_text *text, const char *spot)
{
	struct perf_event_attr place = { 0 };
	struct event_spec *spec;

	if (!breakpoint_parse(&spot, &place)) {
		err_usage(parser->err, "event '%s': invalid breakpoint", text->whole);
		return err_hint(parser->err, "expected mem:ADDRESS[/LENGTH][:rwx][:MODIFIERS], "
					     "such as mem:0x1000/8:w:u");
	}
	spec = new_event(parser, text->whole, PERF_TYPE_BREAKPOINT, 0);
	spec->attr.bp_addr = place.bp_addr;
	spec->attr.bp_len = place.bp_len;
	spec->attr.bp_type = place.bp_type;
	spec->default_period = 1;
	return event_modifiers_apply(spec, *spot ? spot + 1 : "", false, parser->err)
		       ? err_wrap(parser->err, "event '%s'", text->whole)
		       : 0;
}

static int add_pmu_event(struct parser *parser, const struct event_text *text, const char *name)
{
	struct arena *arena = &parser->list->arena;
	struct event_spec *spec;
	struct pmu pmu;
	int r = pmu_open(parser->root, name, arena, &pmu, parser->err);

	if (r)
		return err_wrap(parser->err, "event '%s'", text->whole);
	spec = new_event(parser, text->whole, pmu.type, 0);
	spec->pmu = pmu.name;
	spec->system_wide = pmu.has_cpumask;
	if (pmu.cpu.count) {
		int *cpu = arena_array(arena, int, pmu.cpu.count);

		memcpy(cpu, pmu.cpu.item, pmu.cpu.count * sizeof(cpu[0]));
		spec->cpu = cpu;
		spec->cpu_count = pmu.cpu.count;
	}
	r = finish_event(parser, spec, &pmu, text);
	pmu_done(&pmu);
	return r == 0 && spec->attr.type == PERF_TYPE_TRACEPOINT
		       ? name_tracepoint(parser, spec, text)
		       : r;
}

/* word/terms/ where word names one PMU or several. *ret_found is false when it names none. */
static int add_pmu_events(struct parser *parser, const struct event_text *text, bool *ret_found)
{
	struct name_list names = { 0 };
	int r = 0;

	pmu_match(parser->root, text->word, &parser->list->arena, &names);
	*ret_found = names.count > 0;
	for (size_t i = 0; r == 0 && i < names.count; i++)
		r = add_pmu_event(parser, text, names.item[i]);
	name_list_done(&names);
	return r;
}

static bool pmu_names_event(struct parser *parser, const char *pmu_name, const char *word)
{
	struct err ignored;
	struct pmu pmu;
	bool found;

	if (pmu_open(parser->root, pmu_name, &parser->list->arena, &pmu, &ignored))
		return false;
	found = pmu_alias_find(&pmu, word) != NULL;
	pmu_done(&pmu);
	return found;
}

/* A bare word that a PMU lists in its events folder: "mem-loads", "slots". */
static int add_named_event(struct parser *parser, const struct event_text *text, bool *ret_found)
{
	struct arena *arena = &parser->list->arena;
	struct name_list names = { 0 };
	struct event_text inner = *text;
	int r = 0;

	inner.terms = text->word;
	if (text->terms) { /* mem-loads/period=3/: the event first, then the settings */
		size_t size = strlen(text->word) + strlen(text->terms) + 2;

		inner.terms = arena_alloc(arena, size);
		(void)snprintf(inner.terms, size, "%s,%s", text->word, text->terms); /* fits */
	}
	*ret_found = false;
	pmu_match(parser->root, "*", arena, &names);
	for (size_t i = 0; r == 0 && i < names.count; i++)
		if (pmu_names_event(parser, names.item[i], text->word)) {
			*ret_found = true;
			r = add_pmu_event(parser, &inner, names.item[i]);
		}
	name_list_done(&names);
	return r;
}

static bool is_raw(const char *word)
{
	size_t digits = strspn(word + 1, "0123456789abcdefABCDEF");

	return word[0] == 'r' && digits >= 1 && digits <= 16 && word[1 + digits] == '\0';
}

static int unknown_event(struct parser *parser, const struct event_text *text)
{
	struct suggest suggest = { .word = text->word };
	char shown[256];

	event_name_offer(&suggest);
	if (text->terms)
		pmu_offer(parser->root, &parser->list->arena, &suggest);
	err_set(parser->err, -ENOENT, "unknown %s '%s'", text->terms ? "event or PMU" : "event",
		text->word);
	if (strcmp(text->whole, text->word) != 0)
		err_wrap(parser->err, "event '%s'", text->whole);
	if (suggest.count)
		return err_hint(parser->err, "did you mean %s?",
				suggest_text(&suggest, shown, sizeof(shown)));
	return err_hint(parser->err,
			"expected a name like cpu-clock or cycles, SYSTEM:TRACEPOINT, PMU/TERMS/, "
			"rHEX or mem:ADDRESS; PMUs are in /sys/bus/event_source/devices");
}

/* As perf records it: an event that counts nothing, with samples from a BPF program. */
static void add_bpf_event(struct parser *parser, const char *name, const char *source)
{
	const uint64_t config = PERF_COUNT_SW_BPF_OUTPUT;
	struct event_spec *spec = new_event(parser, name, PERF_TYPE_SOFTWARE, config);

	spec->kind = event_kind_of_name(name);
	spec->served_by = source;
	spec->unit = event_unit_name(event_kind_unit(spec->kind));
}

static bool add_named_bpf_event(struct parser *parser, const struct event_text *text)
{
	enum event_kind kind = event_kind_of_name(text->word);

	if (text->terms || *text->modifiers || strchr(text->word, ':') ||
	    !event_kind_is_served(kind))
		return false;
	add_bpf_event(parser, event_kind_name(kind), event_kind_server(kind));
	return true;
}

void event_list_add_served(struct event_list *list, const char *name, const char *source)
{
	add_bpf_event(&(struct parser){ .list = list }, name, source);
}

/* Places in programs, which the recorder looks up. Samples look like a tracepoint's, so that perf,
 * too, prints their fields. The kernel's own tracepoints have low ids; ours are the highest. */
static void add_probe(struct parser *parser)
{
	size_t len = probe_text_extent(parser->text);
	struct event_list *list = parser->list;
	char *text = arena_strndup(&list->arena, parser->text, len);
	struct event_spec *spec;
	uint64_t probes = 0;

	parser->text += len;
	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	for (size_t i = 0; i < list->spec.count; i++)
		probes += list->spec.item[i]->probe != NULL;
	list->globs++;
	spec = new_event(parser, text, PERF_TYPE_TRACEPOINT, UINT16_MAX - probes);
	spec->probe = probe_text_split(text);
	spec->served_by = "probe_events";
	spec->default_period = 1;
	spec->exclude_given = true; /* it has no modes */
}

/* Times that `cupel stat` takes itself. */
static int add_tool(struct parser *parser, const struct event_text *text, enum event_tool tool)
{
	struct event_spec *spec =
		new_event(parser, text->whole, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);

	if (!parser->tools) {
		err_set(parser->err, -ENOENT, "event '%s': cannot be sampled, only counted",
			text->whole);
		return err_hint(parser->err, "count it: cupel stat -e %s PROGRAM", text->word);
	}
	spec->tool = tool;
	spec->exclude_given = true; /* it has no modes, so it is not narrowed */
	spec->unit = event_unit_name(EVENT_UNIT_NS);
	return finish_event(parser, spec, NULL, text);
}

/* A vendor's name, with libpfm4's modifiers or perf's. */
static int add_pfm_event(struct parser *parser, const struct event_text *text)
{
	struct pfm_encoding code;
	struct event_spec *spec;
	struct err ignored;
	bool whole = !pfm_event_encode(text->whole, &code, &ignored);
	int r = whole ? 0 : pfm_event_encode(text->word, &code, parser->err);

	if (r)
		return err_wrap(parser->err, "event '%s'", text->whole);
	spec = new_event(parser, text->whole, code.type, code.config);
	spec->attr.config1 = code.config1;
	spec->attr.config2 = code.config2;
	spec->attr.precise_ip = code.precise_ip & 3;
	spec->attr.exclude_user = code.exclude_user;
	spec->attr.exclude_kernel = code.exclude_kernel;
	spec->attr.exclude_hv = code.exclude_hv;
	spec->exclude_given = code.exclude_user || code.exclude_kernel;
	return whole ? 0 : finish_event(parser, spec, NULL, text);
}

static int add_event(struct parser *parser, const struct event_text *text)
{
	enum event_tool tool = event_tool_find(text->word);
	bool is_pfm = !text->terms && pfm_event_is_name(text->whole);
	uint32_t type;
	uint64_t config;
	bool found;
	int r;

	parser->list->globs++;
	if (strncmp(text->word, "mem:", 4) == 0)
		return add_breakpoint(parser, text, text->word + 4);
	if (add_named_bpf_event(parser, text))
		return 0;
	if (tool)
		return add_tool(parser, text, tool);
	if (strchr(text->word, ':'))
		return is_pfm ? add_pfm_event(parser, text) : add_tracepoints(parser, text);
	if (event_name_find(text->word, &type, &config)) {
		struct event_spec *spec = new_event(parser, text->whole, type, config);

		spec->kind = event_kind_of_attr(&spec->attr, NULL);
		if (spec->kind == EVENT_KIND_CPU_TIME)
			spec->unit = event_unit_name(EVENT_UNIT_NS);
		return finish_event(parser, spec, NULL, text);
	}
	if (text->terms) {
		r = add_pmu_events(parser, text, &found);
		if (found)
			return r;
	}
	if (is_raw(text->word))
		return finish_event(parser,
				    new_event(parser, text->whole, PERF_TYPE_RAW,
					      strtoull(text->word + 1, NULL, 16)),
				    NULL, text);
	r = add_named_event(parser, text, &found);
	if (found)
		return r;
	return is_pfm ? add_pfm_event(parser, text) : unknown_event(parser, text);
}

/* How far the event at the start of `text` reaches: up to a ',' or '}' outside slashes. */
static size_t event_extent(const char *text)
{
	bool breakpoint = strncmp(text, "mem:", 4) == 0, in_terms = false;
	size_t i;

	for (i = 0; text[i]; i++) {
		if (text[i] == '/' && !breakpoint)
			in_terms = !in_terms;
		else if (!in_terms && strchr(",{}", text[i]))
			break;
	}
	return i;
}

/* word[:modifiers] without slashes. A colon after a known name starts modifiers; otherwise the
 * first one belongs to system:tracepoint and the second one starts modifiers. */
static void split_modifiers(struct event_text *text)
{
	char *colon = strchr(text->word, ':');
	uint32_t type;
	uint64_t config;
	bool known;

	if (!colon || strncmp(text->word, "mem:", 4) == 0)
		return;
	*colon = '\0';
	known = event_name_find(text->word, &type, &config) || is_raw(text->word) ||
		event_modifiers_valid(colon + 1);
	if (!known) {
		*colon = ':';
		colon = strchr(colon + 1, ':');
		if (!colon)
			return;
		*colon = '\0';
	}
	text->modifiers = colon + 1;
}

static int parse_event(struct parser *parser)
{
	struct arena *arena = &parser->list->arena;
	struct event_text text = { 0 };
	size_t len;
	char *slash;

	while (isspace((unsigned char)*parser->text))
		parser->text++;
	if (parser->list->spec.count >= MAX_EVENTS)
		return err_set(parser->err, -E2BIG, "more than %d events", MAX_EVENTS);
	if (probe_text_begins(parser->text)) {
		add_probe(parser);
		return 0;
	}
	len = event_extent(parser->text);
	text.whole = arena_strndup(arena, parser->text, len);
	parser->text += len;
	while (len && isspace((unsigned char)text.whole[len - 1]))
		text.whole[--len] = '\0';
	if (!len)
		return err_usage(parser->err, "missing event name before '%.40s'",
				 *parser->text ? parser->text : "the end");
	text.modifiers = arena_strdup(arena, "");
	text.word = arena_strdup(arena, text.whole);
	slash = strncmp(text.word, "mem:", 4) ? strchr(text.word, '/') : NULL;
	if (slash) {
		*slash = '\0';
		text.terms = slash + 1;
		slash = strchr(text.terms, '/');
		if (!slash)
			return err_usage(parser->err, "event '%s': missing closing '/'",
					 text.whole);
		*slash++ = '\0';
		text.modifiers = *slash == ':' ? slash + 1 : slash;
	} else {
		split_modifiers(&text);
	}
	return add_event(parser, &text);
}

/* From '{' to past the modifiers behind '}'. */
static int parse_group(struct parser *parser)
{
	struct event_list *list = parser->list;
	size_t first = list->spec.count, len;
	const char *modifiers;
	int r;

	do {
		parser->text++; /* '{' or ',' */
		r = parse_event(parser);
		if (r)
			return r;
	} while (*parser->text == ',');
	if (*parser->text != '}')
		return err_usage(parser->err, "missing closing '}' of a group");
	parser->text++;
	if (*parser->text == ':')
		parser->text++;
	len = strcspn(parser->text, ",");
	modifiers = arena_strndup(&list->arena, parser->text, len);
	parser->text += len;
	list->spec.item[first]->group_size = (uint32_t)(list->spec.count - first);
	for (size_t i = first; i < list->spec.count; i++) {
		if (list->spec.item[i]->probe)
			return err_set(parser->err, -EINVAL, "event '%s': probes have no groups",
				       list->spec.item[i]->name);
		list->spec.item[i]->group_leader = (uint32_t)first;
		if (event_modifiers_apply(list->spec.item[i], modifiers, true, parser->err))
			return err_wrap(parser->err, "group of event '%s'",
					list->spec.item[first]->name);
	}
	return 0;
}

static int parse_list(struct parser *parser)
{
	for (;;) {
		size_t name;
		int r;

		while (isspace((unsigned char)*parser->text))
			parser->text++;
		name = strcspn(parser->text, "{},/:");
		if (parser->text[name] == '{') { /* a name before the group is only a label */
			parser->text += name;
			r = parse_group(parser);
		} else {
			r = parse_event(parser);
		}
		if (r)
			return r;
		if (*parser->text == '\0')
			return 0;
		if (*parser->text != ',')
			return err_usage(parser->err, "unexpected '%.40s'", parser->text);
		parser->text++;
	}
}

int event_list_parse(struct event_list *list, const char *text,
		     const struct event_parse_options *options, struct err *err)
{
	struct parser parser = {
		.list = list,
		.root = options->root ? options->root : "",
		.text = text,
		.tools = options->tools,
		.err = err,
	};
	size_t before = list->spec.count;
	int r;

	if (strlen(text) > MAX_TEXT)
		return err_set(err, -E2BIG, "event list longer than %d bytes", MAX_TEXT);
	r = parse_list(&parser);
	if (r)
		list->spec.count = before;
	return r;
}

void event_list_done(struct event_list *list)
{
	vec_done(&list->spec);
	arena_done(&list->arena);
}
