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
#include "profile/machine_series.h"
#include "view/machine/machine_view.h"

/* Second i: CPU 0 busy for i/4, a disk that waits 5 ms for each of its writes. */
static struct machine_series series_of(size_t samples, uint32_t cpus)
{
	struct machine_series series = { 0 };

	for (size_t i = 0; i < samples; i++) {
		struct machine_sample sample = { .time_ns = (i + 1) * 1000000000,
						 .interval_ns = 1000000000 };
		struct machine_device disk = { "sda", { 0 } };

		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			struct machine_cpu item = { cpu, { [MACHINE_IDLE] = 1000 } };

			if (!cpu) {
				item.ms[MACHINE_USER] = i * 250;
				item.ms[MACHINE_IDLE] -= i * 250;
			}
			vec_push(&sample.cpu, item);
		}
		disk.value[MACHINE_DISK_WRITES] = 100;
		disk.value[MACHINE_DISK_WAIT_MS] = 500;
		disk.value[MACHINE_DISK_WRITE_BYTES] = 10 << 20;
		if (i)
			vec_push(&sample.disk, disk);
		machine_set(&sample, MACHINE_SWITCHES, 1500);
		machine_set(&sample, MACHINE_PSI_IO, 250000000);
		machine_set(&sample, MACHINE_OOM_KILLS, 0);
		machine_series_add(&series, &sample);
	}
	return series;
}

static void test_table(void **state)
{
	static const struct machine_view_options options = { 0 };
	struct machine_series series = series_of(4, 2);
	struct buf out = { 0 };

	(void)state;
	machine_text(&series, &options, &out);
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
		"always 0: system, irq, steal, iowait, cpu 1 busy, killed by the OOM killer,\n"
		"busy, reads, read, flushes\n");
	buf_done(&out);
	machine_series_done(&series);
}

/* Peaks survive when samples share a column; many CPUs are cut to the busiest. */
static void test_long_and_wide(void **state)
{
	static const struct machine_view_options options = { .width = 2 };
	struct machine_series series = series_of(4, 20);
	struct buf out = { 0 };

	(void)state;
	machine_text(&series, &options, &out);
	assert_non_null(strstr(out.data, "75.0 %  ▂▆\n"));
	assert_non_null(strstr(out.data, "\n12 more CPUs: --all shows them\n"));
	buf_done(&out);
	machine_series_done(&series);
}

static void test_json(void **state)
{
	struct machine_series series = series_of(2, 1);
	struct buf out = { 0 };

	(void)state;
	machine_json(&series, &out);
	assert_non_null(strstr(out.data, "{\"cupel\":1,\"duration_ns\":2000000000,\"samples\":[{"
					 "\"time_ns\":1000000000,\"interval_ns\":1000000000},"));
	assert_non_null(strstr(out.data, "{\"group\":\"disk sda\",\"name\":\"wait of a request\","
					 "\"unit\":\"ms\",\"mean\":5,\"max\":5,"
					 "\"values\":[null,5]}"));
	buf_done(&out);
	machine_series_done(&series);
}

static void test_time_goes_on(void **state)
{
	struct machine_series series = series_of(2, 1);
	struct machine_sample late = { .time_ns = 5, .interval_ns = 1 };

	(void)state;
	machine_series_add(&series, &late);
	assert_int_equal(series.sample.count, 2);
	assert_int_equal(machine_series_ns(&series), 2000000000);
	machine_series_done(&series);
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
