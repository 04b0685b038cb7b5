/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every text file of /proc that scans read, with the input as its content. */
#include <stdint.h>

#include "base/err.h"
#include "proc/scan.h"
#include "temporary_root.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take_event(struct sink *sink, const struct event *event, struct err *err)
{
	(void)sink;
	(void)err;
	if (event->type == EVENT_MMAP && (!event->mmap.path[0] || !event->mmap.len))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = { "/proc/kallsyms", "/proc/iomem",
					     "/proc/modules",  "/proc/7/maps",
					     "/proc/7/stat",   "/proc/7/comm",
					     "/proc/7/status", "/proc/7/task/8/comm" };
	static const char stat[] = "8 (x) S 1 8 8 0 -1 0 0\n";
	const struct scan_options options = {
		.root = fuzz_root(), .data_maps = true, .build_ids = true, .namespaces = true
	};
	struct sink sink = { .event = take_event };
	struct err err = { 0 };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		fuzz_put_file(files[i], data, size);
	fuzz_put_file("/proc/8/stat", stat, sizeof(stat) - 1);
	fuzz_put_file("/proc/8/comm", "x\n", 2);
	fuzz_put_file("/proc/8/maps", data, size);
	(void)scan_kernel(&options, &sink, &err); /* must survive, may refuse */
	(void)scan_all(&options, &sink, &err);
	return 0;
}
