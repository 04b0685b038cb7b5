/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/context and view/context: rows in people's units, the table, JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "profile/context/context_series.h"
#include "view/context/context_view.h"

/* Second i: CPU 0 busy for i/4, a disk that waits 5 ms for each of its writes. */
static struct context_series series_of(size_t samples, uint32_t cpus)
{
	struct context_series series = { 0 };

	for (size_t i = 0; i < samples; i++) {
		struct context_sample sample = { .time_ns = (i + 1) * 1000000000,
						 .interval_ns = 1000000000 };
		struct context_device disk = { "sda", { 0 } };

		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			struct context_cpu item = { cpu, { [CONTEXT_IDLE] = 1000 } };

			if (!cpu) {
				item.ms[CONTEXT_USER] = i * 250;
				item.ms[CONTEXT_IDLE] -= i * 250;
			}
			vec_push(&sample.cpu, item);
		}
		disk.value[CONTEXT_DISK_WRITES] = 100;
		disk.value[CONTEXT_DISK_WAIT_MS] = 500;
		disk.value[CONTEXT_DISK_WRITE_BYTES] = 10 << 20;
		if (i)
			vec_push(&sample.disk, disk);
		context_set(&sample, CONTEXT_SWITCHES, 1500);
		context_set(&sample, CONTEXT_PSI_IO, 250000000);
		context_set(&sample, CONTEXT_OOM_KILLS, 0);
		context_series_add(&series, &sample);
	}
	return series;
}

static void test_table(void **state)
{
	static const struct context_view_options options = { 0 };
	struct context_series series = series_of(4, 2);
	struct buf out = { 0 };

	(void)state;
	context_text(&series, &options, &out);
	assert_string_equal(
		out.data,
		"4.0 s, 4 samples, 2 CPUs\n\n"
		"                                              mean         max  over time\n"
		"CPU\n"
		"  user                                      18.8 %      37.5 %   ▁▂▃\n"
		"each CPU\n"
		"  cpu 0 busy                                37.5 %      75.0 %   ▂▄▆\n"
		"events\n"
		"  context switches                         1.5 K/s     1.5 K/s  ████\n"
		"pressure\n"
		"  some waited for I/O                       25.0 %      25.0 %  ▂▂▂▂\n"
		"disk sda\n"
		"  wait of a request                        5.00 ms     5.00 ms  ·███\n"
		"  writes                                     75 /s      100 /s   ███\n"
		"  written                                 7.5 MB/s   10.0 MB/s   ███\n"
		"\n"
		"always 0: system, irq, steal, iowait, cpu 1 busy, killed for want of memory,\n"
		"busy, reads, read, flushes\n");
	buf_done(&out);
	context_series_done(&series);
}

/* Peaks survive when samples share a column; many CPUs are cut to the busiest. */
static void test_long_and_wide(void **state)
{
	static const struct context_view_options options = { .width = 2 };
	struct context_series series = series_of(4, 20);
	struct buf out = { 0 };

	(void)state;
	context_text(&series, &options, &out);
	assert_non_null(strstr(out.data, "75.0 %  ▂▆\n"));
	assert_non_null(strstr(out.data, "\n12 more CPUs: --all shows them\n"));
	buf_done(&out);
	context_series_done(&series);
}

static void test_json(void **state)
{
	struct context_series series = series_of(2, 1);
	struct buf out = { 0 };

	(void)state;
	context_json(&series, &out);
	assert_non_null(strstr(out.data, "{\"cupel\":1,\"duration_ns\":2000000000,\"samples\":[{"
					 "\"time_ns\":1000000000,\"interval_ns\":1000000000},"));
	assert_non_null(strstr(out.data, "{\"group\":\"disk sda\",\"name\":\"wait of a request\","
					 "\"unit\":\"ms\",\"mean\":5,\"max\":5,"
					 "\"values\":[null,5]}"));
	buf_done(&out);
	context_series_done(&series);
}

static void test_time_goes_on(void **state)
{
	struct context_series series = series_of(2, 1);
	struct context_sample late = { .time_ns = 5, .interval_ns = 1 };

	(void)state;
	context_series_add(&series, &late);
	assert_int_equal(series.sample.count, 2);
	assert_int_equal(context_series_ns(&series), 2000000000);
	context_series_done(&series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_long_and_wide),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_time_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
