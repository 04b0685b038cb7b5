/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collecting build ids (see record_build_ids.h). */
#include "session/record/record_build_ids.h"

#include <string.h>

#include "base/memory_limit.h"
#include "proc/build_id.h"

/* More modules than any real system maps; bounds memory on a hostile one. */
#define MAX_ITEMS 65536

static void add(struct record_build_ids *ids, const char *path, const uint8_t *bytes, uint8_t len,
		uint16_t mode)
{
	struct event *item;
	uint64_t key;
	bool added;

	if (len == 0 || len > BUILD_ID_MAX || ids->item.count == MAX_ITEMS)
		return;
	key = hash_bytes(path, strlen(path)) ^ hash_u64(hash_bytes(bytes, len));
	(void)map_add(&ids->known, key, &added);
	if (!added)
		return;
	if (memory_limit_full()) {
		ids->left_out++;
		return;
	}
	item = vec_add(&ids->item);
	*item = (struct event){
		.type = EVENT_BUILD_ID, .misc = mode, .pid = UINT32_MAX, .tid = UINT32_MAX
	};
	item->build_id.path = arena_strdup(&ids->arena, path);
	item->build_id.id.len = len;
	memcpy(item->build_id.id.bytes, bytes, len);
}

void record_build_ids_event(struct record_build_ids *ids, const struct event *event)
{
	const char *path = event->mmap.path;
	char kernel[256];

	if (event->type != EVENT_MMAP || !event->mmap.build_id.len)
		return;
	/* "[kernel.kallsyms]_text" is a map of "[kernel.kallsyms]". */
	if (path[0] == '[' && strchr(path, ']') && strlen(path) < sizeof(kernel)) {
		size_t len = (size_t)(strchr(path, ']') - path) + 1;

		memcpy(kernel, path, len);
		kernel[len] = '\0';
		path = kernel;
	}
	add(ids, path, event->mmap.build_id.bytes, event->mmap.build_id.len,
	    event->misc & PERF_RECORD_MISC_CPUMODE_MASK);
}

void record_build_ids_kernel(struct record_build_ids *ids)
{
	struct build_id id = { 0 };

	if (build_id_read_kernel("", NULL, &id))
		add(ids, "[kernel.kallsyms]", id.bytes, id.len, PERF_RECORD_MISC_KERNEL);
}

void record_build_ids_done(struct record_build_ids *ids)
{
	vec_done(&ids->item);
	map_done(&ids->known);
	arena_done(&ids->arena);
}
