/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Appending and checked taking (see packing.h). */
#include "base/packing.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

void pack_put(struct buf *ret, const void *data, size_t len)
{
	if (len && buf_append(ret, data, len))
		buf_clear(ret);
}

void pack_put_string(struct buf *ret, const char *s)
{
	uint32_t len = s ? (uint32_t)strlen(s) : 0;

	pack_put(ret, &len, sizeof(len));
	pack_put(ret, s, len);
}

void pack_put_array(struct buf *ret, const void *items, size_t count, size_t item_bytes)
{
	uint64_t number = count;

	pack_put(ret, &number, sizeof(number));
	pack_put(ret, items, count * item_bytes);
}

static const void *take(struct unpack *unpack, size_t len)
{
	const void *ret = unpack->data + unpack->at;

	if (unpack->damaged || len > unpack->len - unpack->at) {
		unpack->damaged = true;
		return NULL;
	}
	unpack->at += len;
	return ret;
}

void unpack_take(struct unpack *unpack, void *ret, size_t len)
{
	const void *data = take(unpack, len);

	if (data)
		memcpy(ret, data, len);
	else
		memset(ret, 0, len);
}

const char *unpack_string(struct unpack *unpack, bool tidy, struct arena *arena)
{
	const char *data;
	uint32_t len;
	char *ret;

	unpack_take(unpack, &len, sizeof(len));
	data = take(unpack, len);
	if (!data || !len)
		return "";
	ret = arena_strndup(arena, data, len);
	if (tidy)
		text_tidy(ret, len);
	return ret;
}

void *unpack_array(struct unpack *unpack, size_t item_bytes, size_t *ret_count)
{
	const void *items;
	uint64_t count;
	void *ret;

	*ret_count = 0;
	unpack_take(unpack, &count, sizeof(count));
	if (count > (unpack->len - unpack->at) / item_bytes)
		unpack->damaged = true;
	items = unpack->damaged ? NULL : take(unpack, count * item_bytes);
	if (!items || !count)
		return NULL;
	ret = mem_alloc(count * item_bytes);
	memcpy(ret, items, count * item_bytes);
	*ret_count = count;
	return ret;
}

bool unpack_end(const struct unpack *unpack)
{
	return !unpack->damaged && unpack->at == unpack->len;
}
