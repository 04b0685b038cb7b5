/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays with their counts, then strings (see profile_pack.h). What a wrong byte could make of an
 * item is checked, item by item: indexes, enums, and bool, which has two values. */
#include "profile/profile_pack.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"

/* Numbers of a sample, of which the address is the first, that need not all be there. */
#define VALUES_MOST 16

struct from {
	const uint8_t *data;
	size_t len, at;
	size_t strings;
};

#define PACK_ARRAYS(X) \
	X(frames)      \
	X(nodes)       \
	X(modules)     \
	X(threads)     \
	X(events)      \
	X(samples)     \
	X(blocks)      \
	X(values)      \
	X(accesses)    \
	X(objects)     \
	X(source)      \
	X(meta.words)

static int put_array(const void *items, size_t count, size_t bytes, struct buf *ret)
{
	uint64_t number = count;
	int code = buf_append(ret, &number, sizeof(number));

	return code || !count ? code : buf_append(ret, items, count * bytes);
}

static int put_strings(const struct strtab *strings, struct buf *ret)
{
	uint64_t count = strtab_count(strings);
	int code = buf_append(ret, &count, sizeof(count));

	for (uint32_t id = 1; id < count && !code; id++) {
		uint32_t len = (uint32_t)strtab_len(strings, (string_id){ id });

		code = buf_append(ret, &len, sizeof(len));
		if (!code && len)
			code = buf_append(ret, strtab_get(strings, (string_id){ id }), len);
	}
	return code;
}

int profile_pack(const struct profile *profile, struct buf *ret)
{
	struct profile_meta meta = profile->meta;
	uint32_t keep = profile->keep;
	int code = buf_append(ret, &keep, sizeof(keep));

	memset(&meta.words, 0, sizeof(meta.words));
	code = code ? code : buf_append(ret, &meta, sizeof(meta));
	code = code ? code : put_strings(profile->strings, ret);
#define X(array)                                                           \
	code = code ? code                                                 \
		    : put_array(profile->array.item, profile->array.count, \
				sizeof(*profile->array.item), ret);
	PACK_ARRAYS(X)
#undef X
	return code;
}

static const void *take(struct from *from, size_t len)
{
	const void *ret = from->data + from->at;

	if (len > from->len - from->at)
		return NULL;
	from->at += len;
	return ret;
}

static bool take_into(struct from *from, void *ret, size_t len)
{
	const void *bytes = take(from, len);

	if (bytes)
		memcpy(ret, bytes, len);
	return bytes != NULL;
}

/* Each string gets the id that it had. */
static bool take_strings(struct from *from, struct strtab *strings)
{
	uint64_t count;

	if (!take_into(from, &count, sizeof(count)) || !count || count > UINT32_MAX)
		return false;
	for (uint32_t id = 1; id < count; id++) {
		const char *text;
		uint32_t len;

		if (!take_into(from, &len, sizeof(len)))
			return false;
		text = take(from, len);
		if (!text || strtab_intern(strings, text, len).v != id)
			return false;
	}
	from->strings = strtab_count(strings);
	return true;
}

static bool take_array(struct from *from, void **ret, size_t *ret_count, size_t bytes)
{
	uint64_t count;
	const void *items;

	if (!take_into(from, &count, sizeof(count)) || count > (from->len - from->at) / bytes)
		return false;
	items = take(from, count * bytes);
	*ret = count ? mem_alloc(count * bytes) : NULL;
	*ret_count = count;
	if (count)
		memcpy(*ret, items, count * bytes);
	return true;
}

/* Of a field that may have any value. */
static bool is_bool(const void *field)
{
	uint8_t byte;

	memcpy(&byte, field, sizeof(byte));
	return byte <= 1;
}

static bool is_below(const void *field, size_t bytes, uint32_t end)
{
	uint32_t value = 0;

	memcpy(&value, field, bytes); /* of an enum, which is an int */
	return value < end;
}

#define IS_ENUM(field, end)	is_below(&(field), sizeof(field), (end))
#define IS_STRING(from, string) ((string).v < (from)->strings)

static bool frames_fit(const struct from *from, const struct profile *p)
{
	for (size_t i = 0; i < p->frames.count; i++) {
		const struct frame *f = &p->frames.item[i];

		if (f->module >= p->modules.count || !IS_ENUM(f->kind, FRAME_SEPARATOR + 1) ||
		    !is_bool(&f->inlined) || !is_bool(&f->caller) ||
		    !IS_STRING(from, f->function) || !IS_STRING(from, f->file))
			return false;
	}
	return true;
}

/* A tree: parents come first, and depths count. */
static bool nodes_fit(const struct profile *p)
{
	if (!p->nodes.count || p->nodes.item[0].depth)
		return false;
	for (size_t i = 1; i < p->nodes.count; i++) {
		const struct stack_node *node = &p->nodes.item[i];

		if (node->parent.v >= i || node->frame.v >= p->frames.count ||
		    node->depth != p->nodes.item[node->parent.v].depth + 1)
			return false;
	}
	return true;
}

static bool modules_fit(const struct from *from, const struct profile *p)
{
	for (size_t i = 0; i < p->modules.count; i++) {
		const struct profile_module *m = &p->modules.item[i];

		if (!IS_STRING(from, m->path) || !IS_STRING(from, m->name) ||
		    !IS_STRING(from, m->problem) || !IS_STRING(from, m->remedy) ||
		    !memchr(m->build_id, '\0', sizeof(m->build_id)) ||
		    !text_is_tidy(m->build_id, strlen(m->build_id)))
			return false;
	}
	return p->modules.count != 0;
}

static bool events_fit(const struct from *from, const struct profile *p)
{
	for (size_t i = 0; i < p->events.count; i++) {
		const struct profile_event *e = &p->events.item[i];

		if (!IS_STRING(from, e->name) || !IS_STRING(from, e->unit) ||
		    !IS_ENUM(e->kind, EVENT_KIND_COUNT) ||
		    !IS_ENUM(e->unit_type, EVENT_UNIT_OTHER + 1) || !is_bool(&e->measured) ||
		    !is_bool(&e->precise) || !is_bool(&e->exact) || e->leader > p->events.count ||
		    e->scale > PROFILE_MAX_SCALE)
			return false;
	}
	return p->events.count <= UINT16_MAX;
}

/* What the address is an index of. */
static bool addr_fits(const struct from *from, const struct profile *p,
		      const struct profile_sample *s)
{
	const unsigned strings = PROFILE_ADDR_IS_CGROUP | PROFILE_ADDR_IS_TRACE |
				 PROFILE_ADDR_IS_FIELDS;

	if (!(p->keep & PROFILE_KEEP_ADDR))
		return true;
	return (!(p->keep & strings) || s->addr < from->strings) &&
	       (!(p->keep & PROFILE_ADDR_IS_BLOCK) || !p->blocks.count ||
		s->addr < p->blocks.count) &&
	       (!(p->keep & PROFILE_ADDR_IS_VALUES) || s->addr <= p->values.count) &&
	       (!(p->keep & PROFILE_ADDR_IS_ACCESS) || s->addr < p->accesses.count);
}

static bool sample_fits(const struct from *from, const struct profile *p,
			const struct profile_sample *s)
{
	return s->stack.v < p->nodes.count && s->thread.v < p->threads.count &&
	       s->event < p->events.count && s->stop < STACK_STOP_COUNT && addr_fits(from, p, s);
}

static bool rest_fits(const struct from *from, const struct profile *p)
{
	for (size_t i = 0; i < p->threads.count; i++)
		if (!IS_STRING(from, p->threads.item[i].comm))
			return false;
	for (size_t i = 0; i < p->samples.count; i++)
		if (!sample_fits(from, p, &p->samples.item[i]))
			return false;
	for (size_t i = 0; i < p->accesses.count; i++)
		if (!IS_STRING(from, p->accesses.item[i].object) ||
		    !IS_STRING(from, p->accesses.item[i].module) ||
		    !IS_STRING(from, p->accesses.item[i].field) ||
		    p->accesses.item[i].kind >= ACCESS_KIND_COUNT ||
		    p->accesses.item[i].same >= p->accesses.count ||
		    p->accesses.item[i].same_line >= p->accesses.count)
			return false;
	for (size_t i = 0; i < p->objects.count; i++)
		if (!IS_STRING(from, p->objects.item[i].name))
			return false;
	for (size_t i = 0; i < p->source.count; i++)
		if (!IS_STRING(from, p->source.item[i].file) ||
		    !IS_STRING(from, p->source.item[i].text))
			return false;
	return true;
}

static bool meta_fits(const struct from *from, const struct profile *p)
{
	const struct profile_meta *m = &p->meta;

	for (size_t i = 0; i < m->words.count; i++)
		if (!IS_STRING(from, m->words.item[i]))
			return false;
	return IS_STRING(from, m->command) && IS_STRING(from, m->hostname) &&
	       IS_STRING(from, m->os_release) && IS_STRING(from, m->arch) &&
	       IS_STRING(from, m->cpu_desc) && IS_STRING(from, m->damage) &&
	       is_bool(&m->ends_only) &&
	       (!m->unfinished.count || sample_fits(from, p, &m->unfinished));
}

static bool fill(struct from *from, struct profile *p)
{
	uint32_t keep;

	if (!take_into(from, &keep, sizeof(keep)) || !take_into(from, &p->meta, sizeof(p->meta)))
		return false;
	memset(&p->meta.words, 0, sizeof(p->meta.words));
	p->keep = keep;
	vec_done(&p->nodes);
	vec_done(&p->modules);
	if (!take_strings(from, p->strings))
		return false;
#define X(array)                                                                                 \
	if (!take_array(from, (void **)&p->array.item, &p->array.count, sizeof(*p->array.item))) \
		return false;                                                                    \
	p->array.capacity = p->array.count;
	PACK_ARRAYS(X)
#undef X
	return from->at == from->len && frames_fit(from, p) && nodes_fit(p) &&
	       modules_fit(from, p) && events_fit(from, p) && rest_fits(from, p) &&
	       meta_fits(from, p);
}

int profile_unpack(const void *data, size_t len, struct profile **ret, struct err *err)
{
	struct from from = { .data = data, .len = len };
	struct profile *profile = profile_new(0);

	if (!fill(&from, profile)) {
		profile_free(profile);
		return err_set(err, -EINVAL, "the process that reads binaries sent no profile");
	}
	vec_reserve(&profile->values, VALUES_MOST);
	memset(profile->values.item + profile->values.count, 0,
	       VALUES_MOST * sizeof(*profile->values.item));
	profile_reindex(profile);
	*ret = profile;
	return 0;
}
