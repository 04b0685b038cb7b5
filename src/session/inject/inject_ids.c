/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids to inject: those of the recording, else those that were given, else those of the files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "format/perf_data/perf_data.h"
#include "proc/build_id.h"
#include "session/build_ids.h"
#include "session/inject/inject_private.h"
#include "session/recording.h"

#define KNOWN_BYTES ((size_t)16 << 20)

struct finder {
	struct arena *arena;
	event_list *ids;
	struct map seen; /* hash of the path → 1 */
	struct buf known;
};

static void parse_id(const char *hex, size_t len, struct build_id *ret)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		const char digits[] = { hex[i], hex[i + 1], '\0' };

		ret->bytes[i / 2] = (uint8_t)strtoul(digits, NULL, 16);
	}
	ret->len = (uint8_t)(len / 2);
}

/* "ID PATH" in the list that the user gave. */
static bool find_known(const struct finder *finder, const char *path, struct build_id *ret)
{
	for (const char *line = finder->known.data; line && *line;) {
		size_t len = strcspn(line, ",\n"), id = strcspn(line, " ,\n");

		if (id < len && len - id - 1 == strlen(path) &&
		    memcmp(line + id + 1, path, len - id - 1) == 0) {
			parse_id(line, id, ret);
			return true;
		}
		line += len + (line[len] != '\0');
	}
	return false;
}

/* perf takes what is marked as the kernel's for a part of it. */
static bool is_kernel(const char *path)
{
	if (path[0] == '[')
		return strncmp(path, "[vdso", 5) != 0 && strncmp(path, "[vsyscall", 9) != 0;
	return strncmp(path, "/lib/modules/", 13) == 0;
}

static void add(struct finder *finder, const struct build_id *id, const char *path, uint16_t misc)
{
	struct event event = { .type = EVENT_BUILD_ID, .pid = UINT32_MAX, .misc = misc };
	bool added;

	*map_add(&finder->seen, hash_bytes(path, strlen(path)), &added) = 1;
	if (!added)
		return;
	event.build_id.id = *id;
	event.build_id.path = arena_strdup(finder->arena, path);
	vec_push(finder->ids, event);
}

static int take(void *context, const struct build_id *id, const char *path)
{
	struct finder *finder = context;
	bool kernel = is_kernel(path);
	struct build_id found = *id;

	if (found.len || find_known(finder, path, &found) ||
	    (kernel && strcmp(path, "[kernel.kallsyms]") == 0 &&
	     build_id_read_kernel("", NULL, &found)) ||
	    (path[0] == '/' && build_id_read_file(path, &found)))
		add(finder, &found, path, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	return 0;
}

static int read_known(const char *given, struct buf *ret, struct err *err)
{
	ret->limit = KNOWN_BYTES;
	if (given[0] == '@' ? fd_read_file(given + 1, ret, err) : buf_puts(ret, given))
		return err->code ? err->code : err_set(err, -E2BIG, "--known-build-ids: too long");
	for (const char *line = ret->data; line && *line;) {
		size_t len = strcspn(line, ",\n"), id = strspn(line, "0123456789abcdef");

		if (len && (id < 2 || id % 2 || id > (size_t)2 * BUILD_ID_MAX || line[id] != ' '))
			return err_set(err, -EINVAL,
				       "--known-build-ids: '%.*s' is not a build id and a path",
				       (int)len, line);
		line += len + (line[len] != '\0');
	}
	return 0;
}

static int take_listed(void *context, const struct event *event)
{
	add(context, &event->build_id.id, event->build_id.path, event->misc);
	return 0;
}

int inject_find_ids(struct recording *base, const struct inject_options *options,
		    struct arena *arena, event_list *ret, struct err *err)
{
	struct finder finder = { .arena = arena, .ids = ret };
	const struct build_id_visit visit = { take, &finder };
	bool wanted = options->build_ids || options->all_build_ids;
	struct recording *recording = NULL;
	struct perf_data *data;
	int code = options->known_ids ? read_known(options->known_ids, &finder.known, err) : 0;

	if (!code)
		code = recording_again(base, &recording, err);
	if (!code)
		code = recording_data(recording, &data, err);
	if (!code)
		(void)perf_data_build_ids(data, take_listed, &finder);
	if (!code && wanted)
		code = build_ids_of(recording,
				    options->all_build_ids ? BUILD_IDS_MAPPED : BUILD_IDS_STACKS,
				    &visit, err);
	recording_close(recording);
	buf_done(&finder.known);
	map_done(&finder.seen);
	return code;
}
