/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_choice_pack.h. */
#include "source/probe/probe_choice_pack.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/packing.h"
#include "source/probe/probe_choice.h"

static void put_number(struct buf *ret, uint32_t number)
{
	pack_put(ret, &number, sizeof(number));
}

void probe_choice_pack(const struct probe_choice *choice, struct buf *ret)
{
	put_number(ret, choice->by_event);
	put_number(ret, (uint32_t)choice->binaries.count);
	put_number(ret, (uint32_t)choice->names.count);
	put_number(ret, (uint32_t)choice->tracepoints.count);
	put_number(ret, (uint32_t)choice->kernel.count);
	for (size_t i = 0; i < choice->binaries.count; i++)
		pack_put_string(ret, choice->binaries.item[i]);
	for (size_t i = 0; i < choice->names.count; i++)
		pack_put_string(ret, choice->names.item[i]);
	for (size_t i = 0; i < choice->tracepoints.count; i++) {
		put_number(ret, choice->tracepoints.item[i].number);
		pack_put_string(ret, choice->tracepoints.item[i].category);
		pack_put_string(ret, choice->tracepoints.item[i].name);
	}
	for (size_t i = 0; i < choice->kernel.count; i++) {
		put_number(ret, choice->kernel.item[i].number);
		pack_put_string(ret, choice->kernel.item[i].name);
	}
	pack_put_array(ret, choice->places.item, choice->places.count,
		       sizeof(*choice->places.item));
	pack_put_array(ret, choice->exits.item, choice->exits.count, sizeof(*choice->exits.item));
}

static uint32_t take_number(struct unpack *unpack, size_t end)
{
	uint32_t number;

	unpack_take(unpack, &number, sizeof(number));
	if (number >= end)
		unpack->damaged = true;
	return number;
}

static bool take_bool(bool *field)
{
	const uint8_t *byte = (const void *)field;
	bool fine = *byte <= 1;

	*field = *byte & 1;
	return fine;
}

static void check_places(struct unpack *unpack, struct probe_place *place, size_t count,
			 size_t numbers, size_t binaries)
{
	for (size_t i = 0; i < count; i++)
		if (place[i].number >= numbers || place[i].binary >= binaries ||
		    !take_bool(&place[i].has_exits) || !take_bool(&place[i].shares_exits))
			unpack->damaged = true;
}

void probe_choice_unpack(struct unpack *unpack, size_t numbers, struct arena *arena,
			 struct probe_choice *ret)
{
	uint32_t binaries, names, tracepoints, kernel;

	ret->by_event = take_number(unpack, 2);
	binaries = take_number(unpack, UINT32_MAX);
	names = take_number(unpack, UINT32_MAX);
	tracepoints = take_number(unpack, UINT32_MAX);
	kernel = take_number(unpack, UINT32_MAX);
	numbers = numbers == SIZE_MAX ? names : numbers;
	while (ret->binaries.count < binaries && !unpack->damaged)
		vec_push(&ret->binaries, unpack_string(unpack, false, arena));
	while (ret->names.count < names && !unpack->damaged)
		vec_push(&ret->names, unpack_string(unpack, false, arena));
	while (ret->tracepoints.count < tracepoints && !unpack->damaged) {
		struct probe_tracepoint point = { .number = take_number(unpack, numbers) };

		point.category = unpack_string(unpack, false, arena);
		point.name = unpack_string(unpack, false, arena);
		vec_push(&ret->tracepoints, point);
	}
	while (ret->kernel.count < kernel && !unpack->damaged) {
		struct probe_kernel_function function = { .number = take_number(unpack, numbers) };

		function.name = unpack_string(unpack, false, arena);
		vec_push(&ret->kernel, function);
	}
	ret->places.item = unpack_array(unpack, sizeof(*ret->places.item), &ret->places.count);
	ret->exits.item = unpack_array(unpack, sizeof(*ret->exits.item), &ret->exits.count);
	ret->places.capacity = ret->places.count;
	ret->exits.capacity = ret->exits.count;
	check_places(unpack, ret->places.item, ret->places.count, numbers, binaries);
	check_places(unpack, ret->exits.item, ret->exits.count, numbers, binaries);
}
