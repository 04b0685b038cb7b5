/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What system calls mean to the tools, by name (see activity_source.h). */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "source/activity/activity_source.h"
#include "source/syscall/syscall_table.h"

struct row {
	const char *name;
	struct activity_role role;
};

/* Places of arguments count from 1. */
#define ROLE(kind, ...)                                           \
	{                                                         \
		.kind_plus_one = ACTIVITY_##kind + 1, __VA_ARGS__ \
	}

static const struct row rows[] = {
	{ "open", ROLE(OPEN, .path = 1, .argument = 2, .target = 3) },
	{ "creat", ROLE(OPEN, .path = 1) },
	{ "openat", ROLE(OPEN, .path = 2, .argument = 3, .target = 4) },
	{ "openat2", ROLE(OPEN, .path = 2, .argument = 3, .what = 1) },
	{ "stat", ROLE(STAT, .path = 1) },
	{ "stat64", ROLE(STAT, .path = 1) },
	{ "lstat", ROLE(STAT, .path = 1) },
	{ "lstat64", ROLE(STAT, .path = 1) },
	{ "newfstatat", ROLE(STAT, .path = 2) },
	{ "fstatat64", ROLE(STAT, .path = 2) },
	{ "statx", ROLE(STAT, .path = 2) },
	{ "statfs", ROLE(STAT, .path = 1) },
	{ "sync", ROLE(SYNC, .what = SYNC_ALL) },
	{ "syncfs", ROLE(SYNC, .argument = 1, .what = SYNC_FILE_SYSTEM) },
	{ "fsync", ROLE(SYNC, .argument = 1, .what = SYNC_FILE) },
	{ "fdatasync", ROLE(SYNC, .argument = 1, .what = SYNC_DATA) },
	{ "sync_file_range", ROLE(SYNC, .argument = 1, .what = SYNC_RANGE) },
	{ "msync", ROLE(SYNC, .what = SYNC_MAPPING) },
	{ "kill", ROLE(KILL, .target = 1, .argument = 2) },
	{ "tkill", ROLE(KILL, .target = 1, .argument = 2) },
	{ "tgkill", ROLE(KILL, .target = 2, .argument = 3) },
	{ "rt_sigqueueinfo", ROLE(KILL, .target = 1, .argument = 2) },
	{ "rt_tgsigqueueinfo", ROLE(KILL, .target = 2, .argument = 3) },
	{ "execve", ROLE(EXEC, .path = 1, .argument = 2) },
	{ "execveat", ROLE(EXEC, .path = 2, .argument = 3) },
	{ "accept", ROLE(ACCEPT, .fd = 1) },
	{ "accept4", ROLE(ACCEPT, .fd = 1) },
	{ "read", ROLE(FILE, .fd = 1, .what = 'R') },
	{ "readv", ROLE(FILE, .fd = 1, .what = 'R') },
	{ "pread64", ROLE(FILE, .fd = 1, .what = 'R', .offset = 4) },
	{ "preadv", ROLE(FILE, .fd = 1, .what = 'R', .offset = 4) },
	{ "preadv2", ROLE(FILE, .fd = 1, .what = 'R', .offset = 4) },
	{ "write", ROLE(FILE, .fd = 1, .what = 'W') },
	{ "writev", ROLE(FILE, .fd = 1, .what = 'W') },
	{ "pwrite64", ROLE(FILE, .fd = 1, .what = 'W', .offset = 4) },
	{ "pwritev", ROLE(FILE, .fd = 1, .what = 'W', .offset = 4) },
	{ "pwritev2", ROLE(FILE, .fd = 1, .what = 'W', .offset = 4) },
};

/* Of FILE for fsslower, which also shows opens and syncs. */
static const struct row other_file_rows[] = {
	{ "open", ROLE(FILE, .what = 'O') },
	{ "openat", ROLE(FILE, .what = 'O') },
	{ "openat2", ROLE(FILE, .what = 'O') },
	{ "fsync", ROLE(FILE, .fd = 1, .what = 'F') },
	{ "fdatasync", ROLE(FILE, .fd = 1, .what = 'F') },
};

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

static const struct activity_role *find(const struct row *row, size_t count, const char *name,
					uint32_t kinds)
{
	for (; count; count--, row++)
		if (strcmp(row->name, name) == 0 && kinds >> (row->role.kind_plus_one - 1) & 1)
			return &row->role;
	return NULL;
}

/* Calls that write without being of interest: what they add to the page cache was not read. */
static struct activity_role writes_only(const char *name)
{
	const struct activity_role *role = find(rows, COUNT(rows), name, 1u << ACTIVITY_FILE);

	return (struct activity_role){ .what = role && role->what == 'W' ? 'W' : 0 };
}

static struct activity_role role_of(const struct activity_choice *choice, const char *name)
{
	const struct activity_rules *rules = &choice->rules;
	const struct activity_role *role = find(rows, COUNT(rows), name, rules->kinds);

	if (rules->kinds >> ACTIVITY_CALL & 1)
		return !choice->call || strcmp(choice->call, name) == 0
			       ? (struct activity_role)ROLE(CALL)
			       : (struct activity_role){ 0 };
	if (!role && rules->all_operations)
		role = find(other_file_rows, COUNT(other_file_rows), name, rules->kinds);
	if (!role && rules->kinds >> ACTIVITY_LIFE & 1) /* who accepts owns the connection */
		role = find(rows, COUNT(rows), name, 1u << ACTIVITY_ACCEPT);
	return role ? *role : writes_only(name);
}

int activity_roles(const struct activity_choice *choice,
		   struct activity_role ret[SYSCALL_ABIS][SYSCALL_NUMBERS], struct err *err)
{
	bool found = false;

	memset(ret, 0, sizeof(ret[0]) * SYSCALL_ABIS);
	for (size_t abi = 0; abi < SYSCALL_ABIS; abi++)
		for (size_t i = 0; i < syscall_numbers[abi].count && i < SYSCALL_NUMBERS; i++) {
			const char *name = syscall_numbers[abi].name[i];

			if (!name)
				continue;
			ret[abi][i] = role_of(choice, name);
			found |= ret[abi][i].kind_plus_one != 0;
		}
	if (choice->call && !found)
		return err_set(err, -EINVAL, "syscall '%s': not found", choice->call);
	return 0;
}
