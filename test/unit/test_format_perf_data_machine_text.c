/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format/perf_data/context_text: what is written is read, oddities are left out, records fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "event/event.h"
#include "format/perf_data/machine_text.h"

static struct machine_sample sample_of_all(void)
{
	struct machine_sample sample = { .time_ns = 5000000000, .interval_ns = 1000000000 };
	struct machine_cpu idle = { 0, { [MACHINE_IDLE] = 1000 } };
	struct machine_cpu busy = { 3, { [MACHINE_USER] = 600, [MACHINE_STEAL] = 400 } };
	struct machine_device disk = { "vda", { [MACHINE_DISK_WRITES] = 7 } };
	struct machine_device net = { "eth0", { [MACHINE_NET_TX_DROPS] = 1 } };

	machine_set(&sample, MACHINE_SWITCHES, 1234);
	machine_set(&sample, MACHINE_PSI_IO, 0);
	vec_push(&sample.cpu, idle);
	vec_push(&sample.cpu, busy);
	vec_push(&sample.disk, disk);
	vec_push(&sample.net, net);
	return sample;
}

static void test_text(void **state)
{
	struct machine_sample sample = sample_of_all();
	struct buf out = { 0 };

	(void)state;
	machine_text_put(&sample, 4096, &out);
	assert_string_equal(out.data, "time 5000000000 1000000000\n"
				      "switches 1234\n"
				      "psi_io 0\n"
				      "disk vda 0 0 7\n"
				      "net eth0 0 0 0 0 0 1\n"
				      "cpu 0 1000\n"
				      "cpu 3 0 600 0 0 0 400\n");
	buf_done(&out);
	machine_sample_done(&sample);
}

static void test_round_trip(void **state)
{
	struct machine_sample sample = sample_of_all(), back;
	struct buf out = { 0 };

	(void)state;
	machine_text_put(&sample, 4096, &out);
	assert_true(machine_text_parse(out.data, out.len, &back));
	assert_int_equal(back.time_ns, sample.time_ns);
	assert_int_equal(back.interval_ns, sample.interval_ns);
	assert_int_equal(back.known, sample.known);
	assert_int_equal(back.value[MACHINE_SWITCHES], 1234);
	assert_int_equal(back.cpu.count, 2);
	assert_int_equal(back.cpu.item[1].cpu, 3);
	assert_memory_equal(back.cpu.item[1].ms, sample.cpu.item[1].ms,
			    sizeof(back.cpu.item[1].ms));
	assert_memory_equal(&back.disk.item[0], &sample.disk.item[0],
			    sizeof(struct machine_device));
	assert_memory_equal(&back.net.item[0], &sample.net.item[0], sizeof(struct machine_device));
	machine_sample_done(&back);
	machine_sample_done(&sample);
	buf_done(&out);
}

static void test_oddities(void **state)
{
	static const char text[] = "time 9 1\nfuture 5\ncpu 99999 1\ncpu\ndisk\nswitches x\n"
				   "forks 99999999999999999999999\ndisk a\x1b[2J 4\nforks 8\ncpu 1";
	struct machine_sample sample;

	(void)state;
	assert_true(machine_text_parse(text, sizeof(text) - 1, &sample));
	assert_int_equal(sample.known, 1U << MACHINE_FORKS);
	assert_int_equal(sample.value[MACHINE_FORKS], 8);
	assert_int_equal(sample.cpu.count, 1);
	assert_int_equal(sample.disk.count, 1);
	assert_string_equal(sample.disk.item[0].name, "a?[2J");
	machine_sample_done(&sample);
	assert_true(machine_text_parse("time 9 1\nnet \0\n", 15, &sample)); /* no name */
	assert_int_equal(sample.net.count, 0);
	machine_sample_done(&sample);
	assert_false(machine_text_parse("time 9\n", 7, &sample)); /* an interval of nothing */
	machine_sample_done(&sample);
	assert_false(machine_text_parse("", 0, &sample));
	machine_sample_done(&sample);
}

/* 8192 CPUs do not fit a record: as many as do are kept, whole. */
static void test_record_of_many_cpus(void **state)
{
	struct machine_sample sample = { .time_ns = 1, .interval_ns = 1 }, back;
	struct perf_event_header header;
	struct buf out = { 0 };

	(void)state;
	for (uint32_t i = 0; i < MACHINE_MAX_CPUS; i++) {
		struct machine_cpu cpu = { i, { 123, 123, 123, 123, 123, 123 } };

		vec_push(&sample.cpu, cpu);
	}
	context_record_put(&sample, &out);
	memcpy(&header, out.data, sizeof(header));
	assert_int_equal(header.size, out.len);
	assert_int_equal(header.size % 8, 0);
	assert_true(machine_text_parse(out.data + 16 + strlen(MACHINE_TEXT_MAGIC),
				       out.len - 16 - strlen(MACHINE_TEXT_MAGIC), &back));
	assert_true(back.cpu.count > 2000);
	assert_int_equal(vec_last(&back.cpu)->ms[MACHINE_STEAL], 123);
	machine_sample_done(&back);
	machine_sample_done(&sample);
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_oddities),
		cmocka_unit_test(test_record_of_many_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
