/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See damon.h. Its sampling and its aggregation interval are the same, so a region was touched once
 * or not at all, and only equal neighbours are merged. */
#include "source/damon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/guard.h"

#define ROOT	 "/sys/kernel/mm/damon/admin/kdamonds"
#define COUNT	 ROOT "/nr_kdamonds"
#define MONITOR	 ROOT "/0"
#define CONTEXT	 MONITOR "/contexts/0"
#define REGIONS	 CONTEXT "/targets/0/regions"
#define SCHEME	 CONTEXT "/schemes/0"
#define TRIED	 SCHEME "/tried_regions"
#define END_MS	 2000
#define US	 1000u /* nanoseconds */
#define UPDATING 100   /* intervals: nothing to update with pages of the machine */

struct damon {
	struct guard *guard;
	int lock_fd;
	const uint64_t *frame;
	size_t count;
	uint64_t page_bytes;
};

static int put(const char *path, const char *text, struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return err_errno(err, "%s: %s", path, text);
	return 0;
}

static int put_number(const char *path, uint64_t number, struct err *err)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	return put(path, text, err);
}

static int get_number(const char *path, uint64_t *ret)
{
	struct err ignored = { 0 };
	struct buf text = { .limit = 64 };
	int code = fd_read_file(path, &text, &ignored);

	if (!code && (!text.data || sscanf(text.data, "%" SCNu64, ret) != 1))
		code = -EINVAL;
	buf_done(&text);
	return code;
}

int damon_check(struct err *err)
{
	uint64_t used;
	int code = get_number(COUNT, &used);

	if (code == -EACCES)
		return err_set(err, code, COUNT ": %s", strerror(-code)); /* it is there */
	if (code)
		return err_set(err, code,
			       COUNT ": %s: the kernel has no DAMON (CONFIG_DAMON_PADDR, "
				     "CONFIG_DAMON_SYSFS), which looks at single pages",
			       strerror(-code));
	if (access(COUNT, W_OK))
		return err_errno(err, COUNT);
	return used ? err_set(err, -EBUSY, COUNT ": %" PRIu64 ": DAMON is in use", used) : 0;
}

/* Two of us at a time would see no user yet. */
static int lock(struct damon *damon, struct err *err)
{
	damon->lock_fd = open(COUNT, O_RDONLY | O_CLOEXEC);
	if (damon->lock_fd < 0 || flock(damon->lock_fd, LOCK_EX | LOCK_NB))
		return err_errno(err, COUNT);
	return damon_check(err);
}

static int make(struct damon *damon, struct err *err)
{
	int code = guard_start(damon->lock_fd, &damon->guard, err);

	if (!code)
		code = guard_write(damon->guard, COUNT, "0\n", err);
	if (!code)
		code = guard_write(damon->guard, MONITOR "/state", "off\n", err);
	if (!code)
		code = put(COUNT, "1", err);
	if (!code)
		code = put(MONITOR "/contexts/nr_contexts", "1", err);
	if (code)
		return code;
	code = put(CONTEXT "/operations", "paddr", err);
	return code ? err_hint(err, "it takes a kernel with CONFIG_DAMON_PADDR") : 0;
}

static int set_times(uint64_t interval_ns, struct err *err)
{
	uint64_t us = interval_ns / US;
	int code = put_number(CONTEXT "/monitoring_attrs/intervals/sample_us", us, err);

	if (!code)
		code = put_number(CONTEXT "/monitoring_attrs/intervals/aggr_us", us, err);
	if (!code)
		code = put_number(CONTEXT "/monitoring_attrs/intervals/update_us", us * UPDATING,
				  err);
	return code;
}

static int add_regions(const struct damon *damon, struct err *err)
{
	int code = put(CONTEXT "/targets/nr_targets", "1", err);

	/* No limit that would make it merge regions which differ, or split them. */
	if (!code)
		code = put_number(CONTEXT "/monitoring_attrs/nr_regions/max", damon->count * 4 + 10,
				  err);
	if (!code)
		code = put_number(REGIONS "/nr_regions", damon->count, err);
	for (size_t i = 0; !code && i < damon->count; i++) {
		uint64_t start = damon->frame[i] * damon->page_bytes;
		char path[sizeof(REGIONS) + 64];

		(void)snprintf(path, sizeof(path), REGIONS "/%zu/start", i);
		code = put_number(path, start, err);
		(void)snprintf(path, sizeof(path), REGIONS "/%zu/end", i);
		if (!code)
			code = put_number(path, start + damon->page_bytes, err);
	}
	return code;
}

/* A scheme that does nothing, for any region: its regions are the result. */
static int add_scheme(struct err *err)
{
	static const char *const most[] = { SCHEME "/access_pattern/sz/max",
					    SCHEME "/access_pattern/nr_accesses/max",
					    SCHEME "/access_pattern/age/max" };
	int code = put(CONTEXT "/schemes/nr_schemes", "1", err);

	if (!code)
		code = put(SCHEME "/action", "stat", err);
	for (size_t i = 0; !code && i < sizeof(most) / sizeof(most[0]); i++)
		code = put_number(most[i], UINT32_MAX, err);
	if (!code && access(TRIED, F_OK))
		code = err_errno(err, TRIED ": the kernel is older than 6.2");
	return code;
}

int damon_start(const uint64_t *frame, size_t count, uint64_t interval_ns, struct damon **ret,
		struct err *err)
{
	struct damon *damon = mem_zalloc(sizeof(*damon));
	int code;

	*damon = (struct damon){ .lock_fd = -1,
				 .frame = frame,
				 .count = count,
				 .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE) };
	code = count ? lock(damon, err) : err_set(err, -ENODATA, "no pages to look at");
	if (!code)
		code = make(damon, err);
	if (!code)
		code = set_times(interval_ns, err);
	if (!code)
		code = add_regions(damon, err);
	if (!code)
		code = add_scheme(err);
	if (!code)
		code = put(MONITOR "/state", "on", err);
	if (code) {
		damon_end(damon);
		return code;
	}
	*ret = damon;
	return 0;
}

static size_t first_from(const struct damon *damon, uint64_t frame)
{
	size_t low = 0, high = damon->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (damon->frame[middle] < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void take_region(const struct damon *damon, const char *name, uint8_t *page)
{
	static const char *const field[] = { "start", "end", "nr_accesses" };
	char path[sizeof(TRIED) + 300];
	uint64_t value[3];

	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), TRIED "/%s/%s", name, field[i]);
		if (get_number(path, &value[i]))
			return;
	}
	for (size_t i = first_from(damon, value[0] / damon->page_bytes);
	     i < damon->count && damon->frame[i] < value[1] / damon->page_bytes; i++)
		page[i] = value[2] ? DAMON_TOUCHED : DAMON_UNTOUCHED;
}

int damon_look(struct damon *damon, uint8_t *page, uint64_t *end_ns, struct err *err)
{
	int code = put(MONITOR "/state", "update_schemes_tried_regions", err);
	struct dirent *entry;
	DIR *folder;

	memset(page, DAMON_UNKNOWN, damon->count);
	if (code)
		return code;
	*end_ns = clock_ns(CLOCK_MONOTONIC);
	folder = opendir(TRIED);
	if (!folder)
		return err_errno(err, TRIED);
	while ((entry = readdir(folder)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			take_region(damon, entry->d_name, page);
	(void)closedir(folder);
	return 0;
}

void damon_end(struct damon *damon)
{
	if (!damon)
		return;
	if (damon->guard)
		(void)guard_end(damon->guard, END_MS); /* it goes on alone if that is too short */
	if (damon->lock_fd >= 0)
		(void)close(damon->lock_fd);
	free(damon);
}
