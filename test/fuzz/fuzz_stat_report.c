/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of counts: any bytes; every count is printed. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/input.h"
#include "format/perf_data/perf_data.h"
#include "session/stat/stat_report.h"
#include "view/stat/stat_view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct counts *counts)
{
	const struct stat_view text = { .big_num = true }, json = { .json = true };
	struct buf out = { 0 };

	stat_view(counts, &text, &out);
	stat_view(counts, &json, &out);
	buf_done(&out);
}

static int take_interval(void *context, const struct counts *counts, uint64_t time_ns,
			 struct err *err)
{
	(void)context;
	(void)time_ns;
	(void)err;
	print(counts);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum counts_by places[] = { COUNTS_BY_ALL, COUNTS_BY_CPU, COUNTS_BY_THREAD };
	const struct stat_listener listener = { .interval = take_interval };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct input *input = input_memory(data, size);
		struct perf_data *file;
		struct stat_report *report = NULL;
		struct err err = { 0 };

		if (!perf_data_open(input, &file, &err)) {
			if (!session_stat_report(file, places[i], &listener, &report, &err) &&
			    stat_report_counts(report))
				print(stat_report_counts(report));
			stat_report_free(report);
			perf_data_close(file);
		}
		input_close(input);
	}
	return 0;
}
