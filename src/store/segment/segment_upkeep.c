/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keeps a store in order: checkpoints, roll-ups, and deletion of what is too old or too much.
 * Sizes are of all files below the store's folder, whatever they are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "store/segment/part_file.h"
#include "store/segment/segment_store.h"

#define BLOCK_NS  ((uint64_t)600 * 1000000000u) /* a log is at most that old */
#define JUMP_NS	  STORE_HOUR_NS			/* a larger step of the clock is a jump */
#define MAX_DEPTH 4

static struct part *find_open(const struct segment_store *store, const char *name)
{
	for (size_t i = 0; i < store->open.count; i++)
		if (strcmp(store->open.item[i]->name, name) == 0)
			return store->open.item[i];
	return NULL;
}

/* A part to work on: an open one, or one that nobody writes. NULL and 0: another process has it. */
static int borrow(struct segment_store *store, const char *name, struct part **ret, bool *ret_own,
		  struct err *err)
{
	struct err own = { 0 };
	int code;

	*ret = find_open(store, name);
	*ret_own = *ret != NULL;
	if (*ret)
		return 0;
	code = part_open(store->folder, name, ret, &own);
	if (code == -EBUSY || code == -EBADMSG) {
		*ret = NULL;
		return 0;
	}
	if (code)
		*err = own;
	return code;
}

static int give_back(struct part *part, bool own, int code, struct err *err)
{
	struct err closing = { 0 };

	if (!part || own)
		return code;
	if (part_close(part, code ? &closing : err) && !code)
		code = err->code;
	return code;
}

static int64_t changed_ns(int folder, const char *part, enum part_tier tier)
{
	char path[PART_NAME_BYTES + 16];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s", part, part_tier_name[tier]);
	if (fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	return st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* By times of files: opening a part costs reading its dictionary. */
static bool may_lack_roll_up(const struct segment_store *store,
			     const struct segment_part_name *part, bool over)
{
	int64_t buckets = changed_ns(store->folder, part->name, PART_BUCKETS);
	int64_t hours = changed_ns(store->folder, part->name, PART_HOURS);

	return (buckets && buckets >= hours) ||
	       (over && hours && hours >= changed_ns(store->folder, part->name, PART_DAYS));
}

static bool has_logs(const struct segment_store *store, const char *name)
{
	AUTO_CLOSE int folder = openat(store->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct part_logs logs = { 0 };
	struct err ignored = { 0 };
	bool any = folder >= 0 && !part_logs_find(folder, &logs, &ignored) && logs.seq.count;

	vec_done(&logs.seq);
	return any;
}

/* Whole hours of a part are rolled up when an hour is over, days when the day is. */
static int roll_up(struct part *part, bool over, struct err *err)
{
	int code = part_roll_up(part, PART_HOURS, err);

	return code || !over ? code : part_roll_up(part, PART_DAYS, err);
}

static int keep_open_part(struct part *part, uint64_t now_ns, struct err *err)
{
	bool over = now_ns / STORE_DAY_NS > part->day;
	uint64_t hour = now_ns / STORE_HOUR_NS;
	int code = 0;

	if (part->since_ns &&
	    (over || clock_ns(CLOCK_MONOTONIC) - part->since_ns >= BLOCK_NS || part->hour != hour))
		code = part_checkpoint(part, err);
	if (!code && (over || part->hour != hour)) {
		code = roll_up(part, over, err);
		part->hour = hour;
	}
	return code;
}

static int keep_part(struct segment_store *store, const struct segment_part_name *name,
		     uint64_t now_ns, struct err *err)
{
	bool over = now_ns / STORE_DAY_NS > name->day, own = false;
	struct part *part = find_open(store, name->name);
	int code;

	if (part)
		return keep_open_part(part, now_ns, err);
	if (!has_logs(store, name->name) && !may_lack_roll_up(store, name, over))
		return 0;
	code = borrow(store, name->name, &part, &own, err);
	if (!code && part)
		code = roll_up(part, over, err);
	return give_back(part, own, code, err);
}

/* Parts that this process has open and nobody needs any more. */
static int close_old(struct segment_store *store, uint64_t now_ns, struct err *err)
{
	int code = 0;

	for (size_t i = store->open.count; i-- > 0 && !code;) {
		struct part *part = store->open.item[i];

		if (part->day >= now_ns / STORE_DAY_NS || part->since_ns)
			continue;
		memmove(&store->open.item[i], &store->open.item[i + 1],
			(store->open.count - i - 1) * sizeof(*store->open.item));
		store->open.count--;
		code = part_close(part, err);
	}
	return code;
}

static int remove_files(int folder, struct err *err)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int code = 0;

	if (!dir) {
		fd_close(&fd);
		return err_errno(err, "the folder of a part");
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(folder, entry->d_name, 0))
			code = err_errno(err, "%s", entry->d_name);
	(void)closedir(dir);
	return code;
}

/* A whole part, unless another process writes it. */
static int remove_part(struct segment_store *store, const char *name, bool *ret_removed,
		       struct err *err)
{
	struct part *part = NULL;
	bool own = false;
	int code = borrow(store, name, &part, &own, err);

	if (code || !part || own)
		return code; /* this process's own parts are of today */
	code = remove_files(part->folder, err);
	code = give_back(part, own, code, err);
	if (!code && unlinkat(store->folder, name, AT_REMOVEDIR))
		code = err_errno(err, "%s", name);
	*ret_removed = !code;
	return code;
}

/* One file of samples, after it was rolled up. */
static int drop_tier(struct segment_store *store, const char *name, enum part_tier tier,
		     bool *ret_dropped, struct err *err)
{
	struct part *part = NULL;
	bool own = false;
	int code;

	if (!changed_ns(store->folder, name, tier))
		return 0;
	code = borrow(store, name, &part, &own, err);
	if (!code && part) {
		code = part_checkpoint(part, err);
		if (!code)
			code = roll_up(part, tier == PART_HOURS, err);
		if (!code)
			code = part_drop_tier(part, tier, err);
		*ret_dropped = !code;
	}
	return give_back(part, own, code, err);
}

static bool clock_is_trusted(struct segment_store *store, const struct store_limits *limits,
			     uint64_t now_ns)
{
	uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	int64_t drift = (int64_t)(now_ns - store->kept_ns) -
			(int64_t)(monotonic - store->kept_monotonic_ns);

	if (!store->kept_ns || drift > (int64_t)JUMP_NS || drift < -(int64_t)JUMP_NS)
		store->trusted_from_ns = monotonic + STORE_HOUR_NS;
	store->kept_ns = now_ns;
	store->kept_monotonic_ns = monotonic;
	return limits->clock_is_sure || monotonic >= store->trusted_from_ns;
}

static bool is_older(const struct segment_part_name *part, uint64_t age_ns, uint64_t now_ns)
{
	return age_ns && (uint64_t)(part->day + 1) * STORE_DAY_NS + age_ns <= now_ns;
}

static int drop_old(struct segment_store *store, const struct segment_parts *parts,
		    const struct store_limits *limits, uint64_t now_ns, struct err *err)
{
	const uint64_t age[PART_TIERS] = { limits->bucket_age_ns, limits->hour_age_ns,
					   limits->day_age_ns };
	int code = 0;

	for (size_t i = 0; i < parts->part.count && !code; i++) {
		const struct segment_part_name *part = &parts->part.item[i];
		bool done = false;

		if (is_older(part, age[PART_DAYS], now_ns)) {
			code = remove_part(store, part->name, &done, err);
			continue;
		}
		for (int tier = PART_BUCKETS; tier < PART_DAYS && !code; tier++)
			if (is_older(part, age[tier], now_ns))
				code = drop_tier(store, part->name, (enum part_tier)tier, &done,
						 err);
	}
	return code;
}

/* Bytes on the disk of all that is below. */
static uint64_t bytes_below(int folder, unsigned depth)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t sum = 0;

	if (!dir) {
		fd_close(&fd);
		return 0;
	}
	while ((entry = readdir(dir))) {
		struct stat st;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		sum += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH) {
			AUTO_CLOSE int inner =
				openat(folder, entry->d_name,
				       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			sum += inner >= 0 ? bytes_below(inner, depth + 1) : 0;
		}
	}
	(void)closedir(dir);
	return sum;
}

uint64_t segment_bytes(const struct segment_store *store)
{
	return bytes_below(store->folder, 0);
}

static bool is_too_much(const struct segment_store *store, const struct store_limits *limits)
{
	struct statvfs disk;

	if (limits->bytes && segment_bytes(store) > limits->bytes)
		return true;
	return limits->free_bytes && !fstatvfs(store->folder, &disk) &&
	       disk.f_bavail * disk.f_frsize < limits->free_bytes;
}

/* The oldest file of the finest kind, then of the next, then the oldest part as a whole. */
static int drop_one(struct segment_store *store, const struct segment_parts *parts,
		    bool *ret_dropped, struct err *err)
{
	int code = 0;

	for (int tier = PART_BUCKETS; tier < PART_DAYS; tier++)
		for (size_t i = 0; i < parts->part.count && !*ret_dropped && !code; i++)
			code = drop_tier(store, parts->part.item[i].name, (enum part_tier)tier,
					 ret_dropped, err);
	for (size_t i = 0; i < parts->part.count && !*ret_dropped && !code; i++)
		code = remove_part(store, parts->part.item[i].name, ret_dropped, err);
	return code;
}

static int drop_too_much(struct segment_store *store, const struct store_limits *limits,
			 struct err *err)
{
	while (is_too_much(store, limits)) {
		struct segment_parts parts = { 0 };
		bool dropped = false;
		int code = segment_parts_find(store->folder, &parts, err);

		if (!code)
			code = drop_one(store, &parts, &dropped, err);
		vec_done(&parts.part);
		if (code)
			return code;
		if (!dropped)
			return err_set(err, -ENOSPC,
				       "more than its limit, and nothing is left "
				       "that could be deleted");
	}
	return 0;
}

int segment_maintain(struct store *base, const struct store_limits *limits, uint64_t now_ns,
		     struct err *err)
{
	struct segment_store *store = (struct segment_store *)base;
	struct segment_parts parts = { 0 };
	int code = segment_parts_find(store->folder, &parts, err);

	for (size_t i = 0; i < parts.part.count && !code; i++)
		code = keep_part(store, &parts.part.item[i], now_ns, err);
	if (!code)
		code = close_old(store, now_ns, err);
	if (!code && clock_is_trusted(store, limits, now_ns))
		code = drop_old(store, &parts, limits, now_ns, err);
	vec_done(&parts.part);
	if (!code)
		code = drop_too_much(store, limits, err);
	return code ? err_wrap(err, "%s", store->location) : 0;
}
