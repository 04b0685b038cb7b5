/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile model: interning tables over plain arrays (see profile.h). Every table is open
 * addressing over indexes into the array it indexes, so nothing is stored twice. */
#include "profile/profile.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"

#define ADD_AT_ONCE   16
#define GROWTH(index) ((index)->capacity < (size_t)1 << 20 ? 4u : 2u) /* filling again is slow */

/* Indexes + 1 into an array; 0 = free. Grown at half full. */
struct index {
	uint32_t *slot;
	size_t capacity, count;
};

struct profile_index {
	struct index frames, nodes, samples, threads, modules;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	return hash_u64(a ^ (b * 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2)));
}

static uint64_t frame_hash(const struct frame *f)
{
	uint64_t h = mix(f->module, f->offset);

	h = mix(h, (uint64_t)f->function.v << 32 | f->line);
	h = mix(h, (uint64_t)f->file.v << 8 | (uint64_t)f->kind << 2 | (uint64_t)f->caller << 1 |
			   f->inlined);
	return mix(h, f->symbol_start);
}

static bool frame_equal(const struct frame *a, const struct frame *b)
{
	return a->module == b->module && a->offset == b->offset && a->function.v == b->function.v &&
	       a->line == b->line && a->file.v == b->file.v && a->kind == b->kind &&
	       a->inlined == b->inlined && a->caller == b->caller &&
	       a->symbol_start == b->symbol_start && a->symbol_end == b->symbol_end &&
	       a->binding == b->binding;
}

/* Hashes the frames, not ids, so the hashes of a whole chain are known before any lookup. */
/* With the depth, because hashes of one frame below itself would come again after some 50,000. */
static uint32_t node_hash(uint32_t parent_hash, frame_id frame, uint32_t depth)
{
	return (uint32_t)hash_u64(((uint64_t)parent_hash << 32 | frame.v) ^ hash_u64(depth));
}

static uint64_t sample_hash(const struct profile_sample *s)
{
	uint64_t who = (uint64_t)s->stack.v << 32 | s->thread.v;
	uint64_t where = s->addr ^ (uint64_t)s->cpu << 40;

	return mix(who, where ^ (uint64_t)s->event << 8 ^ s->stop);
}

static bool sample_equal(const struct profile_sample *a, const struct profile_sample *b)
{
	return a->stack.v == b->stack.v && a->thread.v == b->thread.v && a->event == b->event &&
	       a->stop == b->stop && a->cpu == b->cpu && a->addr == b->addr;
}

/* Doubles the table when `more` items would make it half full; `hash_of` gives the hash of the
 * array's item i. */
static void index_reserve(struct index *index, size_t more,
			  uint64_t (*hash_of)(const struct profile *, size_t),
			  const struct profile *profile)
{
	if ((index->count + more) * 2 <= index->capacity)
		return;
	while ((index->count + more) * 2 > index->capacity)
		index->capacity = index->capacity ? index->capacity * GROWTH(index) : 64;
	free(index->slot);
	index->slot = mem_table(index->capacity * sizeof(*index->slot));
	for (size_t i = 0; i < index->count; i++) {
		size_t at = hash_of(profile, i) & (index->capacity - 1);

		while (index->slot[at])
			at = (at + 1) & (index->capacity - 1);
		index->slot[at] = (uint32_t)i + 1;
	}
}

static uint64_t hash_of_frame(const struct profile *p, size_t i)
{
	return frame_hash(&p->frames.item[i]);
}

static uint64_t hash_of_node(const struct profile *p, size_t i)
{
	return p->nodes.item[i].hash;
}

static uint64_t hash_of_sample(const struct profile *p, size_t i)
{
	return sample_hash(&p->samples.item[i]);
}

static uint64_t thread_hash(const struct profile_thread *t)
{
	return mix((uint64_t)t->pid << 32 | t->tid, t->comm.v);
}

static uint64_t hash_of_thread(const struct profile *p, size_t i)
{
	return thread_hash(&p->threads.item[i]);
}

static uint64_t module_hash(string_id path, const char *build_id)
{
	return mix(path.v, hash_bytes(build_id, strlen(build_id)));
}

static uint64_t hash_of_module(const struct profile *p, size_t i)
{
	return module_hash(p->modules.item[i].path, p->modules.item[i].build_id);
}

struct profile *profile_new(unsigned keep)
{
	struct profile *profile = mem_zalloc(sizeof(*profile));

	profile->strings = strtab_new();
	profile->keep = keep;
	profile->index = mem_zalloc(sizeof(*profile->index));
	vec_push(&profile->nodes, ((struct stack_node){ .frame = { UINT32_MAX } }));
	profile->index->nodes.count = 1;
	(void)profile_module(profile, "[unknown]", ""); /* becomes item 0 */
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	strtab_free(profile->strings);
	vec_done(&profile->frames);
	vec_done(&profile->nodes);
	vec_done(&profile->modules);
	vec_done(&profile->threads);
	vec_done(&profile->events);
	vec_done(&profile->samples);
	vec_done(&profile->blocks);
	vec_done(&profile->values);
	vec_done(&profile->accesses);
	vec_done(&profile->objects);
	vec_done(&profile->source);
	vec_done(&profile->meta.words);
	free(profile->index->frames.slot);
	free(profile->index->nodes.slot);
	free(profile->index->samples.slot);
	free(profile->index->threads.slot);
	free(profile->index->modules.slot);
	free(profile->index);
	free(profile);
}

/* The frame without fields that are not kept. */
static struct frame merged_frame(const struct profile *profile, const struct frame *frame)
{
	struct frame merged = *frame;

	if ((profile->keep & PROFILE_MERGE_NAMES) ||
	    ((profile->keep & PROFILE_MERGE_FUNCTIONS) && frame->function.v)) {
		merged.caller = false;
		merged.offset = merged.symbol_start = merged.symbol_end = merged.pc = 0;
	}
	return merged;
}

frame_id profile_frame(struct profile *profile, const struct frame *wanted)
{
	struct index *index = &profile->index->frames;
	const struct frame merged = merged_frame(profile, wanted), *frame = &merged;
	size_t at;

	index_reserve(index, 1, hash_of_frame, profile);
	for (at = frame_hash(frame) & (index->capacity - 1); index->slot[at];
	     at = (at + 1) & (index->capacity - 1))
		if (frame_equal(&profile->frames.item[index->slot[at] - 1], frame))
			return (frame_id){ index->slot[at] - 1 };
	vec_push(&profile->frames, *frame);
	index->slot[at] = (uint32_t)++index->count;
	return (frame_id){ index->slot[at] - 1 };
}

/* The index has room. */
static stack_id push_node(struct profile *profile, stack_id parent, frame_id frame, uint32_t hash)
{
	struct index *index = &profile->index->nodes;
	size_t at;

	for (at = hash & (index->capacity - 1); index->slot[at];
	     at = (at + 1) & (index->capacity - 1)) {
		const struct stack_node *node = &profile->nodes.item[index->slot[at] - 1];

		if (node->parent.v == parent.v && node->frame.v == frame.v)
			return (stack_id){ index->slot[at] - 1 };
	}
	vec_push(&profile->nodes,
		 ((struct stack_node){ .parent = parent,
				       .frame = frame,
				       .depth = profile->nodes.item[parent.v].depth + 1,
				       .hash = hash }));
	index->slot[at] = (uint32_t)++index->count;
	return (stack_id){ index->slot[at] - 1 };
}

stack_id profile_stack_push(struct profile *profile, stack_id parent, frame_id frame)
{
	const struct stack_node *node = &profile->nodes.item[parent.v];

	index_reserve(&profile->index->nodes, 1, hash_of_node, profile);
	return push_node(profile, parent, frame, node_hash(node->hash, frame, node->depth + 1));
}

/* At most ADD_AT_ONCE: their cache misses overlap. */
static void push_nodes(struct profile *profile, stack_id parent, const frame_id *frames,
		       size_t count, stack_id *ret)
{
	struct index *index = &profile->index->nodes;
	uint32_t hash[ADD_AT_ONCE], last = profile->nodes.item[parent.v].hash;
	uint32_t depth = profile->nodes.item[parent.v].depth;

	index_reserve(index, count, hash_of_node, profile);
	for (size_t i = 0; i < count; i++) {
		hash[i] = last = node_hash(last, frames[i], ++depth);
		__builtin_prefetch(&index->slot[last & (index->capacity - 1)]);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t first = index->slot[hash[i] & (index->capacity - 1)];

		if (first)
			__builtin_prefetch(&profile->nodes.item[first - 1]);
	}
	for (size_t i = 0; i < count; i++)
		ret[i] = parent = push_node(profile, parent, frames[i], hash[i]);
}

void profile_stack_push_all(struct profile *profile, stack_id parent, const frame_id *frames,
			    size_t count, stack_id *ret)
{
	for (size_t i = 0; i < count; i += ADD_AT_ONCE) {
		size_t some = count - i < ADD_AT_ONCE ? count - i : ADD_AT_ONCE;

		push_nodes(profile, parent, frames + i, some, ret + i);
		parent = ret[i + some - 1];
	}
}

stack_id profile_stack_or_unknown(struct profile *profile, stack_id stack)
{
	static const struct frame unknown = { 0 };

	return stack.v ? stack
		       : profile_stack_push(profile, stack, profile_frame(profile, &unknown));
}

void profile_name_empty_stacks(struct profile *profile)
{
	for (size_t i = 0; i < profile->samples.count; i++)
		profile->samples.item[i].stack =
			profile_stack_or_unknown(profile, profile->samples.item[i].stack);
}

uint32_t profile_module(struct profile *profile, const char *path, const char *build_id)
{
	struct index *index = &profile->index->modules;
	string_id id = strtab_intern(profile->strings, path, strlen(path));
	struct profile_module module = { .path = id };
	const char *slash = strrchr(path, '/');
	size_t at;

	index_reserve(index, 1, hash_of_module, profile);
	for (at = module_hash(id, build_id) & (index->capacity - 1); index->slot[at];
	     at = (at + 1) & (index->capacity - 1)) {
		const struct profile_module *m = &profile->modules.item[index->slot[at] - 1];

		if (m->path.v == id.v && strcmp(m->build_id, build_id) == 0)
			return index->slot[at] - 1;
	}
	module.name = slash && slash[1] && path[0] != '[' ? strtab_puts(profile->strings, slash + 1)
							  : id;
	memcpy(module.build_id, build_id, strnlen(build_id, sizeof(module.build_id) - 1));
	vec_push(&profile->modules, module);
	index->slot[at] = (uint32_t)++index->count;
	return index->slot[at] - 1;
}

thread_id profile_thread(struct profile *profile, uint32_t pid, uint32_t tid, const char *comm)
{
	struct index *index = &profile->index->threads;

	if (profile->keep & PROFILE_MERGE_THREADS)
		pid = tid = PROFILE_NO_ID;

	struct profile_thread thread = {
		.pid = pid, .tid = tid, .comm = strtab_intern(profile->strings, comm, strlen(comm))
	};
	size_t at;

	index_reserve(index, 1, hash_of_thread, profile);
	for (at = thread_hash(&thread) & (index->capacity - 1); index->slot[at];
	     at = (at + 1) & (index->capacity - 1)) {
		const struct profile_thread *t = &profile->threads.item[index->slot[at] - 1];

		if (t->pid == pid && t->tid == tid && t->comm.v == thread.comm.v)
			return (thread_id){ index->slot[at] - 1 };
	}
	vec_push(&profile->threads, thread);
	index->slot[at] = (uint32_t)++index->count;
	return (thread_id){ index->slot[at] - 1 };
}

uint16_t profile_event(struct profile *profile, const char *name, const char *unit)
{
	return profile_event_of_kind(profile, name, unit, event_kind_of_name(name));
}

bool profile_find_kind(const struct profile *profile, enum event_kind kind, uint16_t *ret)
{
	for (size_t i = 0; i < profile->events.count; i++)
		if (profile->events.item[i].kind == kind) {
			*ret = (uint16_t)i;
			return true;
		}
	return false;
}

uint16_t profile_event_of_kind(struct profile *profile, const char *name, const char *unit,
			       enum event_kind kind)
{
	string_id id = strtab_intern(profile->strings, name, strlen(name));

	for (size_t i = 0; i < profile->events.count; i++)
		if (profile->events.item[i].name.v == id.v)
			return (uint16_t)i;
	if (profile->events.count == UINT16_MAX)
		return UINT16_MAX - 1;
	vec_push(&profile->events,
		 ((struct profile_event){ .name = id,
					  .unit = strtab_puts(profile->strings, unit),
					  .kind = kind,
					  .unit_type = event_unit_of_name(unit) }));
	return (uint16_t)(profile->events.count - 1);
}

uint32_t profile_event_scale(struct profile *profile, uint16_t id, uint64_t scale)
{
	struct profile_event *event = &profile->events.item[id];
	uint32_t power = 1;

	while (power < scale && power < PROFILE_MAX_SCALE)
		power *= 10;
	if (!event->scale)
		event->scale = power == scale && event->unit_type != EVENT_UNIT_NS ? power : 1;
	return event->scale;
}

double sample_squares(const struct profile_sample *sample)
{
	double weight = (double)sample->weight;

	return weight * weight / (double)(sample->count ? sample->count : 1);
}

/* Counts a sample and turns it into a key: fields that are not kept get the same value in all. */
static void take_sample(struct profile *profile, const struct profile_sample *sample,
			struct profile_sample *ret)
{
	struct profile_event *event = &profile->events.item[sample->event];

	*ret = *sample;
	ret->count = ret->count ? ret->count : 1;
	if (!(profile->keep & PROFILE_KEEP_CPU))
		ret->cpu = PROFILE_NO_CPU;
	if (!(profile->keep & PROFILE_KEEP_ADDR))
		ret->addr = 0;
	if (!(profile->keep & (PROFILE_KEEP_TIME | PROFILE_KEEP_FIRST)))
		ret->time_ns = 0;
	event->samples += ret->count;
	event->weight += ret->weight;
	event->squares += sample_squares(ret);
	event->stop[ret->stop] += ret->count;
}

/* `hash` is the sample's; the index has room. */
static void merge_sample(struct profile *profile, const struct profile_sample *s, uint64_t hash)
{
	struct index *index = &profile->index->samples;
	size_t at;

	for (at = hash & (index->capacity - 1); index->slot[at];
	     at = (at + 1) & (index->capacity - 1)) {
		struct profile_sample *old = &profile->samples.item[index->slot[at] - 1];

		if (sample_equal(old, s)) {
			old->weight += s->weight;
			old->count += s->count;
			if (s->time_ns < old->time_ns)
				old->time_ns = s->time_ns;
			return;
		}
	}
	vec_push(&profile->samples, *s);
	index->slot[at] = (uint32_t)++index->count;
}

/* A few at a time: their cache misses overlap. */
static void merge_samples(struct profile *profile, const struct profile_sample *samples,
			  size_t count)
{
	struct index *index = &profile->index->samples;
	struct profile_sample taken[ADD_AT_ONCE];
	uint64_t hash[ADD_AT_ONCE];

	index_reserve(index, count, hash_of_sample, profile);
	for (size_t i = 0; i < count; i++) {
		take_sample(profile, &samples[i], &taken[i]);
		hash[i] = sample_hash(&taken[i]);
		__builtin_prefetch(&index->slot[hash[i] & (index->capacity - 1)]);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t first = index->slot[hash[i] & (index->capacity - 1)];

		if (first)
			__builtin_prefetch(&profile->samples.item[first - 1]);
	}
	for (size_t i = 0; i < count; i++)
		merge_sample(profile, &taken[i], hash[i]);
}

void profile_add_all(struct profile *profile, const struct profile_sample *samples, size_t count)
{
	if (profile->keep & PROFILE_KEEP_TIME) {
		vec_reserve(&profile->samples, count);
		for (size_t i = 0; i < count; i++)
			take_sample(profile, &samples[i],
				    &profile->samples.item[profile->samples.count++]);
		return;
	}
	for (; count > ADD_AT_ONCE; count -= ADD_AT_ONCE, samples += ADD_AT_ONCE)
		merge_samples(profile, samples, ADD_AT_ONCE);
	merge_samples(profile, samples, count);
}

void profile_forget_samples(struct profile *profile)
{
	for (size_t i = 0; i < profile->events.count; i++) {
		struct profile_event *event = &profile->events.item[i];

		event->samples = event->weight = 0;
		event->squares = 0;
		memset(event->stop, 0, sizeof(event->stop));
	}
	profile->samples.count = 0;
}

void profile_add(struct profile *profile, const struct profile_sample *sample)
{
	profile_add_all(profile, sample, 1);
}

uint64_t profile_sample_count(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->events.count; i++)
		sum += profile->events.item[i].samples;
	return sum;
}

static int by_time(const void *a, const void *b, void *context)
{
	const struct profile_sample *samples = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (samples[x].time_ns != samples[y].time_ns)
		return samples[x].time_ns < samples[y].time_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

void profile_order_by_time(const struct profile *profile, uint32_t *order, size_t count)
{
	if (count)
		qsort_r(order, count, sizeof(*order), by_time, profile->samples.item);
}

void profile_count(struct profile *profile)
{
	uint32_t *unknown = mem_zalloc(profile->nodes.count * sizeof(*unknown));

	for (size_t i = 1; i < profile->nodes.count; i++) {
		const struct stack_node *node = &profile->nodes.item[i];
		const struct frame *frame = &profile->frames.item[node->frame.v];

		unknown[i] = unknown[node->parent.v] + (frame->function.v == STRING_EMPTY.v);
	}
	for (size_t i = 0; i < profile->events.count; i++)
		profile->events.item[i].frames = profile->events.item[i].unknown_frames = 0;
	for (size_t i = 0; i < profile->samples.count; i++) {
		const struct profile_sample *s = &profile->samples.item[i];
		struct profile_event *event = &profile->events.item[s->event];

		event->frames += s->count * profile->nodes.item[s->stack.v].depth;
		event->unknown_frames += s->count * unknown[s->stack.v];
	}
	free(unknown);
}

static void drop_slots(struct index *index)
{
	free(index->slot);
	index->slot = NULL;
	index->capacity = 0;
}

void profile_trim(struct profile *profile)
{
	drop_slots(&profile->index->nodes);
	drop_slots(&profile->index->samples);
	vec_trim(&profile->nodes);
	vec_trim(&profile->samples);
}

void profile_reindex(struct profile *profile)
{
	struct profile_index *index = profile->index;

	drop_slots(&index->frames);
	drop_slots(&index->nodes);
	drop_slots(&index->samples);
	drop_slots(&index->threads);
	drop_slots(&index->modules);
	index->frames.count = profile->frames.count;
	index->nodes.count = profile->nodes.count;
	index->samples.count = profile->samples.count;
	index->threads.count = profile->threads.count;
	index->modules.count = profile->modules.count;
}
