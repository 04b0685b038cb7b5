/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that did not load the library (see heap_missed.h). */
#include "source/heap/heap_missed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/buf.h"
#include "bpf/heap_probes.h"
#include "heap/target.h"

/* One that fits has not got it all the same. */
static const char *const reason_texts[HEAP_TARGETS] = {
	[HEAP_TARGET_FITS] = "started without the library",
	[HEAP_TARGET_UNKNOWN] = "that cannot be read from here",
	[HEAP_TARGET_STATIC] = "static",
	[HEAP_TARGET_RIGHTS] = "setuid, setgid or with capabilities",
	[HEAP_TARGET_MACHINE] = "of 32 bits or another processor",
	[HEAP_TARGET_SANITIZER] = "with a sanitizer",
};

void heap_missed_add(struct heap_missed *reasons, const char *path)
{
	struct heap_missed *reason = &reasons[heap_target_check(path)];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(reason->names), room = sizeof(reason->names) - len;

	reason->count++;
	if (!strstr(reason->names, name) && strlen(name) + sizeof(", ") < room)
		(void)snprintf(reason->names + len, room, "%s%s", len ? ", " : "", name);
}

void heap_missed_put(const struct heap_missed *reasons, uint64_t unlisted, struct buf *out)
{
	const char *separator = ":";
	uint64_t count = unlisted;

	for (size_t i = 0; i < HEAP_TARGETS; i++)
		count += reasons[i].count;
	if (!count)
		return;
	(void)buf_printf(out, "%" PRIu64 " program%s not sampled", count,
			 count == 1 ? " was" : "s were");
	for (size_t i = 0; i < HEAP_TARGETS; i++) {
		if (!reasons[i].count)
			continue;
		(void)buf_printf(out, "%s %" PRIu64 " %s (", separator, reasons[i].count,
				 reason_texts[i]);
		(void)buf_put_tidy(out, reasons[i].names);
		(void)buf_putc(out, ')');
		separator = ",";
	}
}

void heap_missed_text(int map_fd, uint64_t unlisted, struct buf *out)
{
	struct heap_missed reasons[HEAP_TARGETS] = { 0 };
	struct heap_program_name name;
	uint64_t key, *last = NULL;

	while (!bpf_map_get_next_key(map_fd, last, &key)) {
		last = &key;
		if (!bpf_map_lookup_elem(map_fd, &key, &name))
			heap_missed_add(reasons, name.text);
	}
	heap_missed_put(reasons, unlisted, out);
}
