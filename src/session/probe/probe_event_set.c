/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of probes → places, and the format of their data (see probe_event_set.h). */
#include "session/probe/probe_event_set.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/confined.h"
#include "base/err.h"
#include "base/packing.h"
#include "bpf/probe_events.h"
#include "proc/elf_file.h"
#include "session/probe/argument_set.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_expression.h"
#include "session/probe/probe_arguments.h"
#include "session/probe/probe_binary.h"
#include "session/probe/probe_definitions.h"
#include "session/probe/tracefs_fetch.h"
#include "source/bpf/thread_filter.h"
#include "source/event_spec/event_parse.h"
#include "source/event_spec/probe_text.h"
#include "source/options.h"
#include "source/probe/probe_choice_pack.h"

/* struct probe_event_data, with the field that the kernel's own events of probes have. */
#define FIELDS                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"

/* What an event reads at its places. */
struct probe_event_fetch {
	const char *text; /* as the user wrote it; "" = nothing */
	const struct probe_set *found;
	bool at_return, at_entry, usdt;
	struct debug_info info; /* dwarf NULL = none */
	struct probe_arguments arguments;
	struct fetch_output output[FETCH_VALUES];
	size_t compiled;
};

/* Names in formats are words. */
static void put_word(struct buf *out, const char *text)
{
	for (; *text; text++)
		(void)buf_putc(out, isalnum((unsigned char)*text) ? *text : '_');
}

/* A field of 8 bytes for each value. Texts have their place and length in it, as the kernel's. */
static void put_fields(struct buf *out, const struct probe_event_fetch *fetch)
{
	for (size_t i = 0; i < fetch->arguments.item.count; i++) {
		const char *name = fetch->arguments.item.item[i].name;
		bool text = fetch->output[i].as == FETCH_AS_STRING;
		bool is_signed = fetch->output[i].as == FETCH_AS_SIGNED;

		(void)buf_printf(out, "\tfield:%s %s;\toffset:%zu;\tsize:%u;\tsigned:%u;\n",
				 text	     ? "__data_loc char[]"
				 : is_signed ? "s64"
					     : "u64",
				 name, sizeof(struct probe_event_data) + i * sizeof(uint64_t),
				 text ? 4u : 8u, text || is_signed);
	}
}

static void put_print(struct buf *out, const struct probe_event_fetch *fetch)
{
	static const char *const conversion[] = {
		[FETCH_AS_SIGNED] = "%Ld",	  [FETCH_AS_UNSIGNED] = "%Lu",
		[FETCH_AS_HEX] = "0x%Lx",	  [FETCH_AS_CHAR] = "%Ld",
		[FETCH_AS_STRING] = "\\\"%s\\\"",
	};

	(void)buf_puts(out, "\nprint fmt: \"(%lx)");
	for (size_t i = 0; i < fetch->arguments.item.count; i++)
		(void)buf_printf(out, " %s=%s", fetch->arguments.item.item[i].name,
				 conversion[fetch->output[i].as]);
	(void)buf_puts(out, "\", REC->__probe_ip");
	for (size_t i = 0; i < fetch->arguments.item.count; i++)
		(void)buf_printf(out,
				 fetch->output[i].as == FETCH_AS_STRING ? ", __get_str(%s)"
									: ", REC->%s",
				 fetch->arguments.item.item[i].name);
	(void)buf_putc(out, '\n');
}

static void add_format(struct probe_event_set *set, const struct event_spec *event,
		       const struct probe_event_fetch *fetch)
{
	struct probe_event_values values = { .count = (uint8_t)fetch->arguments.item.count };
	struct buf text = { 0 };
	const char *place = strrchr(event->probe, '/');

	(void)buf_puts(&text, "name: ");
	put_word(&text, place ? place + 1 : strchr(event->probe, ':') + 1);
	(void)buf_printf(&text, "\nID: %" PRIu64 "\nformat:\n" FIELDS,
			 (uint64_t)event->attr.config);
	put_fields(&text, fetch);
	put_print(&text, fetch);
	for (size_t i = 0; i < values.count; i++)
		values.texts |= (uint8_t)((fetch->output[i].as == FETCH_AS_STRING) << i);
	vec_push(&set->values, values);
	vec_push(&set->format, arena_strdup(&set->arena, text.data));
	buf_done(&text);
}

/* The same in the words of tracefs, if the probe goes there. */
static int put_tracefs(struct probe_event_set *set, const struct probe_event_fetch *fetch,
		       const struct fetch_program *program, struct err *err)
{
	struct buf text = { 0 };
	int code;

	if (!set->for_tracefs)
		return 0;
	(void)buf_puts(&text, "");
	code = tracefs_fetch_put(program, fetch->output, fetch->arguments.item.item, &text, err);
	vec_push(&set->tracefs, arena_strdup(&set->arena, text.data));
	buf_done(&text);
	return code;
}

static int compile(struct probe_event_set *set, struct probe_event_fetch *fetch,
		   const struct fetch_scope *scope, struct err *err)
{
	struct fetch_code code = { .err = err };
	int result = 0;

	if (!fetch->compiled++)
		result = probe_arguments_parse(fetch->text, scope, &set->arena, &fetch->arguments,
					       err);
	for (size_t i = 0; !result && i < fetch->arguments.item.count; i++) {
		const char *expression = fetch->arguments.item.item[i].expression;

		result = fetch_compile(scope, expression, &code, &fetch->output[i], err);
		if (!result && fetch->output[i].as >= FETCH_AS_FLOAT)
			result = probe_arguments_refuse_float(expression, err);
	}
	vec_push(&set->programs, code.program);
	return result ? result : put_tracefs(set, fetch, &code.program, err);
}

/* Arguments of the kernel's functions are numbers in registers. */
static int compile_kernel(struct probe_event_set *set, struct probe_event_fetch *fetch,
			  struct err *err)
{
	struct fetch_scope scope = { .at_entry = !fetch->at_return };

	scope.place.at_return = fetch->at_return;
	return compile(set, fetch, &scope, err);
}

/* What is read at one of the event's places. */
static int compile_place(struct probe_event_set *set, struct probe_event_fetch *fetch,
			 const struct probe_place *place, struct err *err)
{
	const struct probe_binary *binary = fetch->found->binaries.item[place->binary];
	struct fetch_scope scope = { .at_entry = fetch->at_entry };
	struct dwarf_die function;

	if (!binary->elf->is_64 && *fetch->text)
		return err_set(err, -EOPNOTSUPP,
			       "%s: arguments of programs of 32 bits are not read: they are on the "
			       "stack",
			       binary->path);
	scope.place.at_return = fetch->at_return;
	if (fetch->usdt)
		scope.usdt = argument_set_usdt(binary->elf, place->offset, &set->arena);
	fetch_place_find(fetch->info.dwarf ? &fetch->info : NULL, binary->elf, place->offset,
			 &function, &scope.place);
	return compile(set, fetch, &scope, err);
}

static int compile_places(struct probe_event_set *set, struct probe_event_fetch *fetch,
			  struct err *err)
{
	const struct probe_choice *choice = &fetch->found->choice;
	struct err ignored = { 0 };
	int code = 0;

	if (*fetch->text && fetch->found->binaries.count &&
	    debug_info_open(fetch->found->binaries.item[0]->path, &fetch->info, &ignored))
		fetch->info = (struct debug_info){ 0 };
	for (size_t i = 0; !code && i < choice->places.count; i++)
		code = compile_place(set, fetch, &choice->places.item[i], err);
	for (size_t i = 0; !code && i < choice->kernel.count; i++)
		code = compile_kernel(set, fetch, err);
	set->fetches |= fetch->arguments.item.count != 0;
	if (code && choice->places.count > 1 && fetch->found->notes.len)
		(void)err_hint(err, "%.*s", (int)strcspn(fetch->found->notes.data, "\n"),
			       fetch->found->notes.data);
	debug_info_done(&fetch->info);
	return code;
}

/* Numbers count the places of both choices, so both have all names. */
static void take_number(struct probe_event_set *set, const char *name)
{
	vec_push(&set->event, (uint32_t)set->format.count - 1);
	vec_push(&set->choice.entries.names, name);
	vec_push(&set->choice.returns.names, name);
}

/* Places of one specification, behind those that are there. */
static void take_places(struct probe_event_set *set, const struct probe_set *found,
			struct probe_choice *all)
{
	uint32_t binaries = (uint32_t)all->binaries.count;
	const struct probe_choice *from = &found->choice;

	for (size_t i = 0; i < from->binaries.count; i++)
		vec_push(&all->binaries, from->binaries.item[i]);
	for (size_t i = 0; i < from->places.count; i++) {
		probe_choice_add(all, from, i, (uint32_t)set->event.count, binaries);
		take_number(set, from->names.item[from->places.item[i].number]);
	}
	for (size_t i = 0; i < from->kernel.count; i++) {
		struct probe_kernel_function function = from->kernel.item[i];

		function.number = (uint32_t)set->event.count;
		vec_push(&all->kernel, function);
		take_number(set, function.name);
	}
}

static int find_places(struct probe_set *found, const char *place, struct probe_set_options *how,
		       struct probe_event_fetch *fetch, struct err *err)
{
	struct probe_spec spec;
	int code = probe_spec_parse(place, &spec, err);

	if (code)
		return code;
	how->returns = fetch->at_return = spec.kind == PROBE_RETURN;
	fetch->usdt = spec.kind == PROBE_USDT;
	probe_spec_done(&spec);
	code = probe_set_add(found, place, how, err);
	fetch->at_entry = !found->others && !fetch->at_return && !fetch->usdt;
	return code;
}

static int add_event(struct probe_event_set *set, const struct event_spec *event,
		     const struct source_options *options, struct err *err)
{
	struct probe_set_options how = { .pid = thread_filter_pid(options),
					 .whole_name = true,
					 .kernel = true };
	struct probe_set *found = arena_new(&set->arena, struct probe_set);
	size_t len = probe_text_place(event->probe);
	struct probe_event_fetch fetch = { .text = event->probe + len, .found = found };
	const char *place = arena_strndup(&set->arena, event->probe, len);
	int code;

	vec_push(&set->sets, found);
	code = find_places(found, place, &how, &fetch, err);
	if (!code)
		code = compile_places(set, &fetch, err);
	if (!code)
		add_format(set, event, &fetch);
	if (!code)
		take_places(set, found, how.returns ? &set->choice.returns : &set->choice.entries);
	(void)buf_append(&found->notes, fetch.arguments.left_out.data,
			 fetch.arguments.left_out.len);
	probe_arguments_done(&fetch.arguments);
	if (code)
		return code;
	(void)buf_append(&set->notes, found->notes.data, found->notes.len);
	return 0;
}

/* Whether it is worth to be parsed: that may mean to read tracefs. */
static bool may_have_probes(const char *text)
{
	return strstr(text, "probe:") || strstr(text, "usdt:");
}

static int find_all(struct probe_event_set *set, const struct source_options *options,
		    struct err *err)
{
	const struct event_parse_options parse = { .root = "" };
	struct event_list list = { 0 };
	int code = 0;

	for (size_t i = 0; !code && i < options->selector.count; i++) {
		const char *text = options->selector.item[i].text;

		if (options->selector.item[i].filter)
			continue;
		text = probe_definitions_expand(text, &set->arena);
		if (may_have_probes(text))
			code = event_list_parse(&list, text, &parse, err);
	}
	for (size_t i = 0; !code && i < list.spec.count; i++)
		if (list.spec.item[i]->probe)
			code = add_event(set, list.spec.item[i], options, err);
	event_list_done(&list);
	return code;
}

/* Of probes there may be none, and a process of its own takes its time. */
static bool may_have_any(const struct source_options *options, struct arena *arena)
{
	bool ret = false;

	for (size_t i = 0; i < options->selector.count; i++)
		ret |= !options->selector.item[i].filter &&
		       may_have_probes(
			       probe_definitions_expand(options->selector.item[i].text, arena));
	return ret;
}

static int find_apart(void *context, struct buf *ret, struct err *err)
{
	const struct source_options *options = context;
	struct probe_event_set set = { .for_tracefs = options->tracefs };
	uint32_t fetches;
	int code = find_all(&set, options, err);

	fetches = set.fetches;
	pack_put(ret, &fetches, sizeof(fetches));
	pack_put_string(ret, set.notes.data);
	pack_put_array(ret, set.event.item, set.event.count, sizeof(*set.event.item));
	pack_put_array(ret, set.values.item, set.values.count, sizeof(*set.values.item));
	pack_put_array(ret, set.programs.item, set.programs.count, sizeof(*set.programs.item));
	for (size_t i = 0; i < set.values.count; i++)
		pack_put_string(ret, set.format.item[i]);
	for (size_t i = 0; i < set.programs.count; i++)
		pack_put_string(ret, i < set.tracefs.count ? set.tracefs.item[i] : "");
	probe_choice_pack(&set.choice.entries, ret);
	probe_choice_pack(&set.choice.returns, ret);
	probe_event_set_done(&set);
	return code;
}

/* Numbers of places are those of programs, too, where there are any. */
static bool fits(const struct probe_event_set *set)
{
	for (size_t i = 0; i < set->event.count; i++)
		if (set->event.item[i] >= set->values.count)
			return false;
	for (size_t i = 0; i < set->values.count; i++)
		if (set->values.item[i].count > FETCH_VALUES)
			return false;
	for (size_t i = 0; i < set->programs.count; i++)
		if (set->programs.item[i].count > FETCH_STEPS)
			return false;
	return !set->fetches || set->programs.count == set->event.count;
}

static bool take(struct unpack *from, struct probe_event_set *set)
{
	uint32_t fetches;

	unpack_take(from, &fetches, sizeof(fetches));
	set->fetches = fetches;
	(void)buf_puts(&set->notes, unpack_string(from, false, &set->arena));
	text_tidy_lines(set->notes.data, set->notes.len);
	set->event.item = unpack_array(from, sizeof(*set->event.item), &set->event.count);
	set->values.item = unpack_array(from, sizeof(*set->values.item), &set->values.count);
	set->programs.item = unpack_array(from, sizeof(*set->programs.item), &set->programs.count);
	for (size_t i = 0; i < set->values.count && !from->damaged; i++)
		vec_push(&set->format, unpack_string(from, false, &set->arena));
	for (size_t i = 0; i < set->programs.count && !from->damaged; i++)
		vec_push(&set->tracefs, unpack_string(from, true, &set->arena));
	probe_choice_unpack(from, set->event.count, &set->arena, &set->choice.entries);
	probe_choice_unpack(from, set->event.count, &set->arena, &set->choice.returns);
	return unpack_end(from) && fits(set);
}

int probe_event_set_find(struct probe_event_set *set, const struct source_options *options,
			 struct err *err)
{
	struct buf bytes = { 0 };
	struct unpack from = { 0 };
	int code;

	if (!may_have_any(options, &set->arena))
		return 0;
	code = confined_call("cupel-reader", find_apart, (void *)(uintptr_t)options, &bytes, err);
	if (!code) {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		if (!take(&from, set))
			code = err_set(err, -EINVAL,
				       "the process that reads binaries sent no places");
	}
	buf_done(&bytes);
	set->choice.event = set->event.item;
	set->choice.places = set->event.count;
	set->choice.format = set->format.item;
	set->choice.values = set->values.item;
	set->choice.program = set->fetches ? set->programs.item : NULL;
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
	vec_done(&set->values);
	vec_done(&set->programs);
	vec_done(&set->tracefs);
	vec_done(&set->choice.entries.binaries);
	vec_done(&set->choice.entries.places);
	vec_done(&set->choice.entries.kernel);
	vec_done(&set->choice.entries.names);
	vec_done(&set->choice.returns.binaries);
	vec_done(&set->choice.returns.places);
	vec_done(&set->choice.returns.kernel);
	vec_done(&set->choice.returns.names);
	vec_done(&set->choice.returns.exits);
	buf_done(&set->notes);
	arena_done(&set->arena);
}
