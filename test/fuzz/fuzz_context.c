/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context of recordings: as text of a file, whose sample must survive being written and read
 * again, and as any of the kernel's texts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "format/context/context_text.h"
#include "profile/context/context_series.h"
#include "source/context/context_proc.h"
#include "view/context/context_view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(struct context_sample *sample)
{
	static const struct context_view_options all = { .all_rows = true };
	struct context_series series = { 0 };
	struct buf out = { 0 };

	context_series_add(&series, sample);
	context_text(&series, &all, &out);
	context_json(&series, &out);
	buf_done(&out);
	context_series_done(&series);
}

static void read_recorded(const char *text, size_t size)
{
	struct context_sample sample, again;
	struct buf first = { 0 }, second = { 0 };

	if (!context_text_parse(text, size, &sample)) {
		context_sample_done(&sample);
		return;
	}
	context_text_put(&sample, SIZE_MAX, &first);
	if (!context_text_parse(first.data, first.len, &again))
		__builtin_trap();
	context_text_put(&again, SIZE_MAX, &second);
	if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
		__builtin_trap();
	buf_done(&first);
	buf_done(&second);
	context_sample_done(&again);
	show(&sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct context_sample totals = { 0 };
	char *text = mem_alloc(size + 1);
	char path[32];
	bool v2;

	memcpy(text, data, size);
	text[size] = '\0';
	read_recorded(text, size);
	context_proc_stat(text, 100, &totals);
	context_proc_schedstat(text, &totals);
	context_proc_meminfo(text, &totals);
	context_proc_vmstat(text, &totals);
	context_proc_pressure(text, CONTEXT_PSI_IO, CONTEXT_PSI_IO_FULL, &totals);
	context_proc_diskstats(text, &totals);
	context_proc_net_dev(text, &totals);
	context_proc_snmp(text, &totals);
	context_proc_cpu_stat(text, &totals);
	(void)context_proc_cgroup(text, &v2, path, sizeof(path));
	context_sample_done(&totals);
	free(text);
	return 0;
}
