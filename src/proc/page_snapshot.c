/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of pages (see page_snapshot.h): a header, the text of smaps, that of status, and
 * struct page_range. Kernels from 6.7 on scan for pages; on older ones each entry of pagemap is
 * read, of mappings that have any pages. */
#include "proc/page_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "event/page_map.h"
#include "proc/maps_line.h"

#define SNAPSHOT_MAGIC 0x0001706e73677063ull
#define TEXT_LIMIT     ((size_t)256 << 20)
#define SCAN_RANGES    4096
#define ENTRIES	       8192 /* of pagemap, read at once */
#define STATUS_FIELDS  3    /* RssAnon, RssFile, RssShmem */

/* struct pm_scan_arg of linux/fs.h, which headers before 6.7 do not have. */
struct scan_arguments {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_REQUEST _IOWR('f', 16, struct scan_arguments)

/* Bits of an entry of pagemap. */
#define ENTRY_PRESENT (1ull << 63)
#define ENTRY_SWAPPED (1ull << 62)
#define ENTRY_FILE    (1ull << 61)
#define ENTRY_FRAME   ((1ull << 55) - 1)

struct header {
	uint64_t magic, smaps_len, status_len, ranges;
};

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int read_text(pid_t pid, const char *name, struct buf *ret, struct err *err)
{
	char path[64];

	ret->limit = TEXT_LIMIT;
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fd_read_file(path, ret, err);
}

/* Up to `end`. 0, or -errno: the kernel cannot scan. */
static int scan(int fd, uint64_t end, struct buf *ret)
{
	struct page_range *found = mem_alloc(SCAN_RANGES * sizeof(*found));
	struct scan_arguments arguments = {
		.size = sizeof(arguments),
		.end = end,
		.vec = (uint64_t)(uintptr_t)found,
		.vec_len = SCAN_RANGES,
		.category_anyof_mask = PAGE_PRESENT | PAGE_SWAPPED,
		.return_mask = PAGE_FILE | PAGE_PRESENT | PAGE_SWAPPED | PAGE_ZERO | PAGE_HUGE,
	};
	int count = 1;

	while (count > 0 && arguments.start < arguments.end) {
		count = ioctl(fd, SCAN_REQUEST, &arguments);
		if (count > 0)
			(void)buf_append(ret, found, (size_t)count * sizeof(*found));
		arguments.start = arguments.walk_end;
		/* Of a walk that was whole it can be where the kernel's own buffer was full. */
		if (count > 0 && found[count - 1].end > arguments.start)
			arguments.start = found[count - 1].end;
	}
	free(found);
	return count < 0 ? -errno : 0;
}

/* The frame of the page of zeros; 0 = unknown, because frames are for root. */
static uint64_t zero_frame(void)
{
	uint64_t entry = 0, size = page_bytes();
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char *page = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 0;
	(void)page[0]; /* reading it maps the page of zeros */
	if (fd < 0 || pread(fd, &entry, sizeof(entry),
			    (off_t)((uintptr_t)page / size * sizeof(entry))) != sizeof(entry))
		entry = 0;
	(void)munmap((void *)(uintptr_t)page, size);
	return entry & ENTRY_FRAME;
}

static uint64_t kind_of(uint64_t entry, uint64_t zero)
{
	uint64_t kind = 0;

	if (entry & ENTRY_PRESENT)
		kind |= PAGE_PRESENT;
	if (entry & ENTRY_SWAPPED)
		kind |= PAGE_SWAPPED;
	if (entry & ENTRY_FILE)
		kind |= PAGE_FILE;
	if (entry & ENTRY_PRESENT && zero && (entry & ENTRY_FRAME) == zero)
		kind |= PAGE_ZERO;
	return kind;
}

/* Neighbours of one kind become one range. */
static void put_page(struct buf *ret, uint64_t address, uint64_t kind)
{
	struct page_range range = { address, address + page_bytes(), kind }, *last;

	if (!kind)
		return;
	last = ret->len ? (struct page_range *)(void *)(ret->data + ret->len) - 1 : NULL;
	if (last && last->end == address && last->kind == kind)
		last->end = range.end;
	else
		(void)buf_append(ret, &range, sizeof(range));
}

static void read_area(int fd, const struct page_area *area, uint64_t zero, struct buf *ret)
{
	uint64_t size = page_bytes(), *entry = mem_alloc(ENTRIES * sizeof(*entry));

	for (uint64_t at = area->start; at < area->end;) {
		uint64_t pages = (area->end - at) / size;
		ssize_t got;

		pages = pages < ENTRIES ? pages : ENTRIES;
		got = pread(fd, entry, pages * sizeof(*entry), (off_t)(at / size * sizeof(*entry)));
		if (got <= 0)
			break;
		for (size_t i = 0; i < (size_t)got / sizeof(*entry); i++)
			put_page(ret, at + i * size, kind_of(entry[i], zero));
		at += (size_t)got / sizeof(*entry) * size;
	}
	free(entry);
}

static const char *next_line(const char **at, const char *end, size_t *ret_len)
{
	const char *line = *at, *newline;

	if (line >= end)
		return NULL;
	newline = memchr(line, '\n', (size_t)(end - line));
	*ret_len = (size_t)((newline ? newline : end) - line);
	*at = newline ? newline + 1 : end;
	return line;
}

/* "Rss:                 128 kB". */
static bool take_kb(const char *line, const char *name, uint64_t *ret)
{
	size_t len = strlen(name);
	char *end;
	unsigned long long value;

	if (strncmp(line, name, len) || line[len] != ':')
		return false;
	value = strtoull(line + len + 1, &end, 10);
	if (end == line + len + 1 || value > UINT64_MAX >> 10)
		return false;
	*ret = value << 10;
	return true;
}

/* The kernel writes smaps piece by piece: a mapping that grew meanwhile can come twice. What it
 * says last counts. */
static void make_room(struct page_map *map, uint64_t start)
{
	while (map->area.count && vec_last(&map->area)->start >= start)
		map->area.count--;
	if (map->area.count && vec_last(&map->area)->end > start)
		vec_last(&map->area)->end = start;
}

static void take_smaps_line(char *line, struct page_map *map)
{
	struct page_area *area = map->area.count ? vec_last(&map->area) : NULL;
	struct event_mmap mapping;

	if (maps_line_parse(line, &mapping)) {
		make_room(map, mapping.start);
		vec_push(&map->area,
			 ((struct page_area){ .start = mapping.start,
					      .end = mapping.start + mapping.len,
					      .shared = mapping.flags == MAP_SHARED,
					      .writable = mapping.prot & PROT_WRITE,
					      .path = arena_strdup(&map->arena, mapping.path) }));
		return;
	}
	if (!area || take_kb(line, "Rss", &area->rss) || take_kb(line, "Swap", &area->swap))
		return;
	if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " ht"))
		area->hugetlb = true;
}

/* Ranges that are not behind the one before would be a mistake of the kernel. */
static bool is_in_order(const struct page_map *map)
{
	for (size_t i = 0; i < map->range.count; i++)
		if (map->range.item[i].end <= map->range.item[i].start ||
		    (i && map->range.item[i].start < map->range.item[i - 1].end))
			return false;
	return true;
}

static void parse_lines(const char *text, size_t len, struct page_map *map,
			void (*take)(char *line, struct page_map *map))
{
	const char *at = text, *end = text + len, *line;
	char copy[8192]; /* names have 4096 characters at most */
	size_t size;

	while ((line = next_line(&at, end, &size))) {
		if (size >= sizeof(copy))
			continue;
		memcpy(copy, line, size);
		copy[size] = '\0';
		take(copy, map);
	}
}

static void take_status_line(char *line, struct page_map *map)
{
	static const char *const names[STATUS_FIELDS] = { "RssAnon", "RssFile", "RssShmem" };
	uint64_t bytes;

	for (size_t i = 0; i < STATUS_FIELDS; i++)
		if (take_kb(line, names[i], &bytes) && bytes < UINT64_MAX / STATUS_FIELDS)
			map->counted += bytes;
}

static void read_ranges(int fd, const struct buf *smaps, struct buf *ret)
{
	struct page_map map = { 0 };
	uint64_t zero = zero_frame(), end = 0;

	parse_lines(smaps->data, smaps->len, &map, take_smaps_line);
	for (size_t i = 0; i < map.area.count; i++)
		if (map.area.item[i].end <= INT64_MAX) /* [vsyscall] is the kernel's */
			end = map.area.item[i].end;
	if (scan(fd, end, ret)) {
		buf_clear(ret);
		for (size_t i = 0; i < map.area.count; i++)
			if (map.area.item[i].rss || map.area.item[i].swap)
				read_area(fd, &map.area.item[i], zero, ret);
	}
	page_map_done(&map);
}

int page_snapshot_read(pid_t pid, struct buf *ret, struct err *err)
{
	struct buf smaps = { 0 }, status = { 0 }, ranges = { 0 };
	struct header header = { .magic = SNAPSHOT_MAGIC };
	char path[64];
	int code;

	(void)snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	code = fd < 0 ? err_errno(err, "%s", path) : read_text(pid, "smaps", &smaps, err);
	if (!code)
		code = read_text(pid, "status", &status, err);
	if (!code)
		read_ranges(fd, &smaps, &ranges);
	header.smaps_len = smaps.len;
	header.status_len = status.len;
	header.ranges = ranges.len / sizeof(struct page_range);
	if (!code &&
	    (buf_append(ret, &header, sizeof(header)) || buf_append(ret, smaps.data, smaps.len) ||
	     buf_append(ret, status.data, status.len) || buf_append(ret, ranges.data, ranges.len)))
		code = err_set(err, -E2BIG, "process %d: too many mappings", (int)pid);
	buf_done(&smaps);
	buf_done(&status);
	buf_done(&ranges);
	return code;
}

int page_snapshot_parse(const void *data, size_t len, struct page_map *ret, struct err *err)
{
	const char *at = data;
	struct header header;
	size_t left = len - sizeof(header);

	*ret = (struct page_map){ 0 };
	if (len >= sizeof(header))
		memcpy(&header, at, sizeof(header));
	if (len < sizeof(header) || header.magic != SNAPSHOT_MAGIC || header.smaps_len > left ||
	    header.status_len > left - header.smaps_len ||
	    header.ranges !=
		    (left - header.smaps_len - header.status_len) / sizeof(struct page_range))
		return err_set(err, -EINVAL, "snapshot of pages: not whole");
	at += sizeof(header);
	parse_lines(at, header.smaps_len, ret, take_smaps_line);
	at += header.smaps_len;
	parse_lines(at, header.status_len, ret, take_status_line);
	at += header.status_len;
	for (size_t i = 0; i < header.ranges; i++) {
		struct page_range range;

		memcpy(&range, at + i * sizeof(range), sizeof(range));
		vec_push(&ret->range, range);
	}
	return is_in_order(ret) ? 0 : err_set(err, -EINVAL, "snapshot of pages: not in order");
}
