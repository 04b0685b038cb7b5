/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interned strings: an arena for the bytes, a hash table of ids (see strtab.h). */
#include "base/strtab.h"

#include <string.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"

struct entry {
	const char *s;
	uint64_t hash;
	uint32_t len;
};

struct strtab {
	struct arena arena;
	VEC(struct entry) entries;
	uint32_t *slot; /* id + 1, 0 = free */
	size_t capacity;
};

static void grow(struct strtab *tab)
{
	free(tab->slot);
	tab->capacity = tab->capacity ? tab->capacity * 2 : 64;
	tab->slot = mem_zalloc(tab->capacity * sizeof(*tab->slot));
	for (size_t id = 0; id < tab->entries.count; id++) {
		size_t i = tab->entries.item[id].hash & (tab->capacity - 1);

		while (tab->slot[i])
			i = (i + 1) & (tab->capacity - 1);
		tab->slot[i] = (uint32_t)id + 1;
	}
}

struct strtab *strtab_new(void)
{
	struct strtab *tab = mem_zalloc(sizeof(*tab));

	grow(tab);
	(void)strtab_intern(tab, "", 0);
	return tab;
}

static string_id intern(struct strtab *tab, const char *s, size_t len)
{
	uint64_t hash = hash_bytes(s, len);
	size_t i;

	if ((tab->entries.count + 1) * 2 > tab->capacity)
		grow(tab);
	for (i = hash & (tab->capacity - 1); tab->slot[i]; i = (i + 1) & (tab->capacity - 1)) {
		const struct entry *e = &tab->entries.item[tab->slot[i] - 1];

		if (e->hash == hash && e->len == len && (!len || memcmp(e->s, s, len) == 0))
			return (string_id){ tab->slot[i] - 1 };
	}
	vec_push(&tab->entries, ((struct entry){ .s = arena_strndup(&tab->arena, s, len),
						 .hash = hash,
						 .len = (uint32_t)len }));
	tab->slot[i] = (uint32_t)tab->entries.count;
	return (string_id){ tab->slot[i] - 1 };
}

string_id strtab_intern(struct strtab *tab, const char *s, size_t len)
{
	AUTO_FREE char *copy = NULL;

	if (text_is_tidy(s, len)) /* nearly all are clean, and need no copy */
		return intern(tab, s, len);
	copy = mem_alloc(len);
	memcpy(copy, s, len);
	text_tidy(copy, len);
	return intern(tab, copy, len);
}

string_id strtab_puts(struct strtab *tab, const char *s)
{
	return strtab_intern(tab, s, strlen(s));
}

const char *strtab_get(const struct strtab *tab, string_id id)
{
	return tab->entries.item[id.v].s;
}

size_t strtab_len(const struct strtab *tab, string_id id)
{
	return tab->entries.item[id.v].len;
}

size_t strtab_count(const struct strtab *tab)
{
	return tab->entries.count;
}

void strtab_free(struct strtab *tab)
{
	if (!tab)
		return;
	arena_done(&tab->arena);
	vec_done(&tab->entries);
	free(tab->slot);
	free(tab);
}
