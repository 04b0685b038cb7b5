/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The context of recordings: as text of a file; its sample must survive being written and read
 * again, and as any of the kernel's texts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "format/perf_data/machine_text.h"
#include "profile/machine_series.h"
#include "source/machine/machine_proc.h"
#include "view/machine/machine_view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show(struct machine_sample *sample)
{
	static const struct machine_view_options all = { .all_rows = true };
	struct machine_series series = { 0 };
	struct buf out = { 0 };

	machine_series_add(&series, sample);
	machine_text(&series, &all, &out);
	machine_json(&series, &out);
	buf_done(&out);
	machine_series_done(&series);
}

static void read_recorded(const char *text, size_t size)
{
	struct machine_sample sample, again;
	struct buf first = { 0 }, second = { 0 };

	if (!machine_text_parse(text, size, &sample)) {
		machine_sample_done(&sample);
		return;
	}
	machine_text_put(&sample, SIZE_MAX, &first);
	if (!machine_text_parse(first.data, first.len, &again))
		__builtin_trap();
	machine_text_put(&again, SIZE_MAX, &second);
	if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
		__builtin_trap();
	buf_done(&first);
	buf_done(&second);
	machine_sample_done(&again);
	show(&sample);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine_sample totals = { 0 };
	char *text = mem_alloc(size + 1);
	char path[32];
	bool v2;

	memcpy(text, data, size);
	text[size] = '\0';
	read_recorded(text, size);
	machine_proc_stat(text, 100, &totals);
	machine_proc_schedstat(text, &totals);
	machine_proc_meminfo(text, &totals);
	machine_proc_vmstat(text, &totals);
	machine_proc_pressure(text, MACHINE_PSI_IO, MACHINE_PSI_IO_FULL, &totals);
	machine_proc_diskstats(text, &totals);
	machine_proc_net_dev(text, &totals);
	machine_proc_snmp(text, &totals);
	machine_proc_cpu_stat(text, &totals);
	(void)machine_proc_cgroup(text, &v2, path, sizeof(path));
	machine_sample_done(&totals);
	free(text);
	return 0;
}
