/* SPDX-License-Identifier: GPL-2.0-or-later */
/* argument_set_find() in the sandbox (see argument_set.h): places, programs and names of values
 * come back as plain values. */
#include <errno.h>

#include "base/confined.h"
#include "base/err.h"
#include "base/packing.h"
#include "session/probe/argument_set.h"
#include "source/probe/probe_choice_pack.h"
#include "symbol/dwarf/dwarf_type.h"

#define MAX_NAMES 65536 /* of an enum */

struct request {
	const struct argument_collection *wanted;
	size_t count;
	const struct probe_set_options *options;
	uint32_t string_bytes;
};

/* The child. */

struct names {
	struct buf text;
	uint32_t count;
};

static bool add_name(void *context, uint64_t value, const char *name)
{
	struct names *names = context;

	pack_put(&names->text, &value, sizeof(value));
	pack_put_string(&names->text, name);
	return ++names->count < MAX_NAMES;
}

static void put_output(const struct fetch_output *output, struct buf *ret)
{
	uint32_t value = output->value, as = output->as;
	struct names names = { 0 };
	uint64_t bytes = output->type.size;

	if (output->type.die.tag)
		dwarf_type_enumerators(&output->type, add_name, &names);
	pack_put(ret, &value, sizeof(value));
	pack_put(ret, &as, sizeof(as));
	pack_put(ret, &bytes, sizeof(bytes));
	pack_put(ret, &names.count, sizeof(names.count));
	pack_put(ret, names.text.data, names.text.len);
	buf_done(&names.text);
}

static void put_set(const struct argument_set *set, struct buf *ret)
{
	for (size_t i = 0; i < set->collections.count; i++) {
		const struct argument_collection *collection = set->collections.item[i];
		uint64_t others = collection->set.others;

		pack_put(ret, &others, sizeof(others));
		pack_put_string(ret, collection->set.placed.data);
		pack_put_string(ret, collection->set.notes.data);
		for (size_t k = 0; k < FETCH_VALUES; k++)
			put_output(&collection->output[k], ret);
	}
	pack_put_array(ret, set->programs.item, set->programs.count, sizeof(*set->programs.item));
	pack_put_array(ret, set->ways.item, set->ways.count, sizeof(*set->ways.item));
	probe_choice_pack(&set->values.entries, ret);
	probe_choice_pack(&set->values.returns, ret);
}

static int find(void *context, struct buf *ret, struct err *err)
{
	const struct request *request = context;
	struct argument_set set = { .string_bytes = request->string_bytes };
	int code = 0;

	for (size_t i = 0; !code && i < request->count; i++)
		code = argument_set_add(&set, &request->wanted[i], request->options, err);
	if (!code)
		put_set(&set, ret);
	argument_set_done(&set);
	return code;
}

/* The parent. */

static void take_output(struct unpack *from, struct arena *arena, struct fetch_output *ret)
{
	struct fetch_name *name;
	uint32_t value, as, names;
	uint64_t bytes;

	unpack_take(from, &value, sizeof(value));
	unpack_take(from, &as, sizeof(as));
	unpack_take(from, &bytes, sizeof(bytes));
	unpack_take(from, &names, sizeof(names));
	if (as > FETCH_AS_DOUBLE || names > MAX_NAMES || from->damaged) {
		from->damaged = true;
		return;
	}
	name = arena_alloc(arena, (names + 1) * sizeof(*name));
	for (uint32_t i = 0; i < names; i++) {
		unpack_take(from, &name[i].value, sizeof(name[i].value));
		name[i].name = unpack_string(from, true, arena);
	}
	*ret = (struct fetch_output){ .value = value % FETCH_VALUES,
				      .as = as,
				      .name = name,
				      .names = names,
				      .mask = UINT64_MAX };
	if (bytes && bytes < 8)
		ret->mask = (UINT64_C(1) << bytes * 8) - 1;
}

static void take_collection(struct unpack *from, struct argument_set *set,
			    const struct argument_collection *wanted)
{
	struct argument_collection *collection = arena_new(&set->arena, struct argument_collection);
	uint64_t others;

	*collection = *wanted;
	vec_push(&set->collections, collection);
	unpack_take(from, &others, sizeof(others));
	collection->set.others = others;
	(void)buf_puts(&collection->set.placed, unpack_string(from, false, &set->arena));
	(void)buf_puts(&collection->set.notes, unpack_string(from, false, &set->arena));
	text_tidy_lines(collection->set.placed.data, collection->set.placed.len);
	text_tidy_lines(collection->set.notes.data, collection->set.notes.len);
	for (size_t i = 0; i < FETCH_VALUES; i++)
		take_output(from, &set->arena, &collection->output[i]);
}

/* What is counted is as it was asked for. The program of a call's beginning, which counts nothing,
 * is in front of the one of its end. */
static bool take_ways(struct argument_set *set)
{
	if (set->ways.count != set->programs.count)
		return false;
	for (size_t i = 0; i < set->ways.count; i++) {
		struct probe_values_way *way = &set->ways.item[i];
		bool begins = i + 1 < set->ways.count && way[1].entry == i + 1;
		const struct argument_collection *of;

		if (way->collection >= set->collections.count || (way->entry && way->entry != i) ||
		    set->programs.item[i].count > FETCH_STEPS)
			return false;
		if (begins) {
			*way = (struct probe_values_way){ 0 };
			continue;
		}
		of = set->collections.item[way->collection];
		way->histogram = of->histogram;
		way->is_signed = way->is_signed != 0;
		way->unit = of->unit;
		way->from = of->from;
		way->step = of->step;
	}
	return true;
}

static bool take(struct unpack *from, struct argument_set *set, const struct request *request)
{
	for (size_t i = 0; i < request->count && !from->damaged; i++)
		take_collection(from, set, &request->wanted[i]);
	set->programs.item = unpack_array(from, sizeof(*set->programs.item), &set->programs.count);
	set->ways.item = unpack_array(from, sizeof(*set->ways.item), &set->ways.count);
	probe_choice_unpack(from, set->programs.count, &set->arena, &set->values.entries);
	probe_choice_unpack(from, set->programs.count, &set->arena, &set->values.returns);
	return unpack_end(from) && take_ways(set);
}

/* Formats of tracepoints are the kernel's own words, and tracefs that is mounted nowhere is mounted
 * for this process alone. */
static bool is_of_kernel(const struct request *request)
{
	for (size_t i = 0; i < request->count; i++)
		if (request->wanted[i].spec.kind != 't')
			return false;
	return true;
}

int argument_set_find(struct argument_set *set, const struct argument_collection *wanted,
		      size_t count, const struct probe_set_options *options, struct err *err)
{
	struct request request = { wanted, count, options, set->string_bytes };
	struct buf bytes = { 0 };
	struct unpack from = { 0 };
	int code;

	code = is_of_kernel(&request) ? find(&request, &bytes, err)
				      : confined_call("cupel-reader", find, &request, &bytes, err);

	if (!code) {
		from.data = (const uint8_t *)bytes.data;
		from.len = bytes.len;
		if (!take(&from, set, &request))
			code = err_set(err, -EINVAL,
				       "the process that reads binaries sent no places");
	}
	buf_done(&bytes);
	set->values.program = set->programs.item;
	set->values.way = set->ways.item;
	set->values.count = set->programs.count;
	return code;
}
