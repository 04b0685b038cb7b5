/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See record_owners.h. */
#include "session/record/record_owners.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "event/event.h"
#include "symbol/process_file.h"

#define MAX_USERS 65536 /* bounds memory on a hostile machine */

/* MMAP2 up to the path. */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t file[24]; /* device and inode, or build id */
	uint32_t prot, flags;
	char path[];
};

bool record_owners_is_code(const char *path)
{
	return strncmp(path, "//anon", 6) == 0 || strncmp(path, "/memfd:", 7) == 0;
}

/* The last answer counts: a process may have become another user's since. */
static void look(struct record_owners *owners, uint32_t pid)
{
	uid_t user;

	if (owners->users.count < MAX_USERS && process_user(pid, &user))
		map_set(&owners->users, pid, user);
}

void record_owners_event(struct record_owners *owners, const struct event *event)
{
	if (event->type == EVENT_MMAP && event->mmap.prot & PROT_EXEC &&
	    record_owners_is_code(event->mmap.path))
		look(owners, event->pid);
}

void record_owners_records(struct record_owners *owners, const uint8_t *data, size_t len)
{
	for (size_t at = 0; at + sizeof(struct perf_event_header) <= len;) {
		const struct perf_event_header *header = (const void *)(data + at);
		const struct mmap2 *map = (const void *)header;

		if (header->size < sizeof(*header) || header->size > len - at)
			return;
		if (header->type == PERF_RECORD_MMAP2 && header->size > sizeof(*map) &&
		    map->prot & PROT_EXEC && memchr(map->path, 0, header->size - sizeof(*map)) &&
		    record_owners_is_code(map->path))
			look(owners, map->pid);
		at += header->size;
	}
}

void record_owners_done(struct record_owners *owners)
{
	map_done(&owners->users);
}
