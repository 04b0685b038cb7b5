/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of samples (see load_access.h). The profile's strings belong to the thread that names
 * frames meanwhile, so texts are in a table of our own until the end. */
#include "session/load/load_access.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/heap_block.h"
#include "profile/profile.h"
#include "session/data/data_module.h"
#include "session/data/data_place.h"
#include "session/data/data_type.h"
#include "session/data/stall.h"
#include "session/load/load.h"
#include "symbol/demangle.h"

struct load_access_table {
	enum load_access what;
	struct strtab *texts;
	struct data_modules *modules;
	struct data_places *places;
	struct stalls *stalls;
	struct buf text; /* empty between samples */
	VEC(struct profile_access) item;
};

struct load_access_table *load_access_new(const struct load_options *options,
					  struct module_table *modules)
{
	struct load_access_table *table = mem_zalloc(sizeof(*table));

	table->what = options->access;
	table->texts = strtab_new();
	table->modules = data_modules_new(options->symbol.symfs);
	table->places = data_places_new(table->modules, modules);
	table->stalls = stalls_new(table->modules);
	return table;
}

void load_access_free(struct load_access_table *table)
{
	if (!table)
		return;
	strtab_free(table->texts);
	data_places_free(table->places);
	stalls_free(table->stalls);
	data_modules_free(table->modules);
	vec_done(&table->item);
	buf_done(&table->text);
	free(table);
}

void load_access_apply(struct load_access_table *table, const struct event *event)
{
	data_places_apply(table->places, event);
}

static void take_field(struct load_access_table *table, struct profile_access *ret)
{
	ret->field = strtab_intern(table->texts, table->text.data, table->text.len);
	buf_clear(&table->text);
}

static void take_place(struct load_access_table *table, const struct data_subject *subject,
		       struct profile_access *ret)
{
	struct data_place place;

	data_place_find(table->places, subject, ret->addr, &place);
	if (place.of && table->what == LOAD_ACCESS_STALL && !ret->guessed &&
	    data_type_put_variable(place.of, place.address, place.offset, &table->text))
		take_field(table, ret);
	ret->kind = (uint8_t)place.kind;
	ret->offset = place.offset;
	ret->size = place.size;
	ret->object = strtab_puts(table->texts, place.object);
	ret->module = strtab_puts(table->texts, place.module);
}

/* A block of memory that begins or ends; see profile/access/access.h. */
static void take_block(const struct event *event, struct profile_access *ret)
{
	struct heap_block block = { 0 };

	if (event->sample.raw_len >= sizeof(block))
		memcpy(&block, event->sample.raw, sizeof(block));
	ret->kind = ACCESS_BLOCK;
	ret->addr = block.address;
	ret->size = block.size;
}

static void take_sampled(const struct event *event, struct profile_access *ret)
{
	const struct event_sample *sample = &event->sample;
	bool three = event->desc && event->desc->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	ret->addr = sample->addr;
	ret->data_src = sample->data_src;
	ret->phys = sample->phys_addr;
	ret->page_bytes = sample->data_page_size;
	ret->weight =
		(uint32_t)(three || sample->weight <= UINT32_MAX ? sample->weight : UINT32_MAX);
	ret->latency = three ? (uint32_t)(sample->weight >> 32 & 0xffff) : 0;
}

static void take_stall(struct load_access_table *table, const struct event *event,
		       struct data_subject *subject, struct profile_access *ret)
{
	struct stall stall;

	stall_find(table->stalls, event, subject->space, &stall);
	ret->kind = (uint8_t)stall.kind;
	ret->writes = stall.writes;
	ret->addr = stall.addr;
	subject->sp = stall.sp;
	ret->guessed = stall.kind == ACCESS_OVERWRITTEN && stall.addr;
	if (stall.addr)
		take_place(table, subject, ret);
	if (!ret->field.v && stall.pointer &&
	    data_type_put_target(stall.pointer, stall.pointed, &table->text))
		take_field(table, ret);
	if (!stall.addr)
		return;
	if (ret->guessed && (ret->kind == ACCESS_UNKNOWN || ret->kind == ACCESS_KERNEL ||
			     ret->kind == ACCESS_FILE)) { /* it was no address that was loaded */
		ret->kind = ACCESS_OVERWRITTEN;
		ret->guessed = false;
		ret->object = ret->module = STRING_EMPTY;
	}
}

uint64_t load_access_add(struct load_access_table *table, const struct event *event,
			 const struct address_space *space, uint64_t *weight)
{
	struct data_subject subject = { .pid = event->pid, .space = space };
	struct profile_access access = { .kind = ACCESS_NONE };

	if (event->desc && event_kind_is_heap(event->desc->kind)) {
		take_block(event, &access);
	} else if (table->what == LOAD_ACCESS_STALL) {
		take_stall(table, event, &subject, &access);
	} else {
		take_sampled(event, &access);
		if (access.addr)
			take_place(table, &subject, &access);
		if (table->what == LOAD_ACCESS_COST)
			*weight = access.weight ? access.weight : 1;
	}
	vec_push(&table->item, access);
	return table->item.count - 1;
}

static string_id move(const struct load_access_table *table, string_id id, bool demangled,
		      struct profile *profile)
{
	const char *text = strtab_get(table->texts, id);
	char *shown = demangled ? demangle(text) : NULL;
	string_id ret = strtab_puts(profile->strings, shown ? shown : text);

	free(shown);
	return ret;
}

/* Finds the first access like this one, which is the nth. */
static uint32_t first_of(struct map *firsts, const struct profile_access *access, uint64_t addr,
			 size_t n)
{
	uint64_t what = (uint64_t)access->object.v << 32 | access->module.v;
	bool added;
	uint64_t *first = map_add(firsts, hash_u64(what) * 31 + addr, &added);

	if (added)
		*first = n;
	return (uint32_t)*first;
}

void load_access_finish(const struct load_access_table *table, struct profile *profile)
{
	struct map same = { 0 }, same_line = { 0 };

	for (size_t i = 0; i < table->item.count; i++) {
		struct profile_access access = table->item.item[i];
		uint64_t line = access.addr / ACCESS_LINE * ACCESS_LINE;

		access.same = first_of(&same, &access, access.addr, i);
		access.same_line = first_of(&same_line, &access, line, i);

		access.object = move(table, access.object, access.kind == ACCESS_GLOBAL, profile);
		access.module = move(table, access.module, false, profile);
		access.field = move(table, access.field, false, profile);
		vec_push(&profile->accesses, access);
	}
	map_done(&same);
	map_done(&same_line);
}
