/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single lines of perf script text: every layout of headers, frames and source lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/perf_script/perf_script_line.h"

static struct slice text(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

static void assert_slice(struct slice s, const char *wanted)
{
	assert_int_equal(s.len, strlen(wanted));
	if (s.len)
		assert_memory_equal(s.s, wanted, s.len);
}

struct header_case {
	const char *line, *comm;
	uint32_t pid, tid, cpu;
	uint64_t time_ns, period;
	const char *event, *rest;
};

#define NO SCRIPT_UNKNOWN

static const struct header_case strict_cases[] = {
	{ "dd 29776 666709.771979:   10101010 cpu-clock: ", "dd", NO, 29776, NO, 666709771979000,
	  10101010, "cpu-clock", "" },
	{ "w 20605  1750.938838:    1001001 cpu-clock:", "w", NO, 20605, NO, 1750938838000, 1001001,
	  "cpu-clock", "" },
	{ "V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:", "V8 WorkerThread", 24636,
	  25607, 0, 94564109216000, 100, "cycles", "" },
	{ "perf   21039/21040  [013]  1784.527390123:  sched:sched_switch: a=1 ==> b", "perf",
	  21039, 21040, 13, 1784527390123, 0, "sched:sched_switch", "a=1 ==> b" },
	{ "a 12 b 34 5 7 1.000001: 9 cycles:u:", "a 12 b 34 5", NO, 7, NO, 1000001000, 9,
	  "cycles:u", "" },
	{ "           false 39654 19115.489719:  1 cycles:  7fa68b1f2d84 x+0x4 (/l.so)", "false",
	  NO, 39654, NO, 19115489719000, 1, "cycles", "7fa68b1f2d84 x+0x4 (/l.so)" },
	{ "swapper     0 [001] 202513.231817:", "swapper", NO, 0, 1, 202513231817000, 0, "", "" },
	{ ":-1    -1 [001] 1.5:  1 cycles:", ":-1", NO, NO, 1, 1500000000, 1, "cycles", "" },
	{ "x 5/6 [003] Kp    1.5:  1 cycles:", "x", 5, 6, 3, 1500000000, 1, "cycles", "" },
	{ "x U  7 U     1.5:  1 cycles:", "x U", NO, 7, NO, 1500000000, 1, "cycles", "" },
	{ " 2464 1.5:  1 cycles:", "", NO, 2464, NO, 1500000000, 1, "cycles", "" },
	{ "   123  2464 1.5:  1 cycles:", "123", NO, 2464, NO, 1500000000, 1, "cycles", "" },
};

static const struct header_case lenient_cases[] = {
	{ "java 19983 cycles:", "java", NO, 19983, NO, 0, 0, "cycles", "" },
	{ "x 5 1234 cycles:uppp:", "x", NO, 5, NO, 0, 1234, "cycles:uppp", "" },
	{ "x 5 [003]", "x", NO, 5, 3, 0, 0, "", "" },
};

static void check_header(const struct header_case *c, bool strict)
{
	struct script_header h;

	assert_true(script_header_parse(text(c->line), strict, &h));
	assert_slice(h.comm, c->comm);
	assert_int_equal(h.pid, c->pid);
	assert_int_equal(h.tid, c->tid);
	assert_int_equal(h.cpu, c->cpu);
	assert_int_equal(h.time_ns, c->time_ns);
	assert_int_equal(h.period, c->period);
	assert_slice(h.event, c->event);
	assert_slice(h.rest, c->rest);
}

static void test_header__every_layout(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(strict_cases) / sizeof(strict_cases[0]); i++)
		check_header(&strict_cases[i], true);
	for (size_t i = 0; i < sizeof(lenient_cases) / sizeof(lenient_cases[0]); i++) {
		struct script_header h;

		check_header(&lenient_cases[i], false);
		assert_false(script_header_parse(text(lenient_cases[i].line), true, &h));
	}
}

static void test_header__bare(void **state)
{
	static const char *const lines[] = { "x 5/6", "x 5/6  y ", " 5/6 ", "", " ", "x " };
	struct script_header h;

	(void)state;
	assert_true(script_header_parse_bare(text("a b  5/6 "), &h));
	assert_slice(h.comm, "a b");
	assert_int_equal(h.pid, 5);
	assert_int_equal(h.tid, 6);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(script_header_parse_bare(text(lines[i]), &h));
}

static void test_header__refuses_other_lines(void **state)
{
	static const char *const lines[] = {
		"",
		"   ",
		"x",
		"ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])",
		"\t          414b3b fsnotify (/lib/modules/4.1.0/build/vmlinux)",
		"a;b;c 12",
		"comm 99999999999999999999 1.5: x:",
	};
	struct script_header h;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(script_header_parse(text(lines[i]), false, &h));
}

struct frame_case {
	const char *line;
	uint64_t pc, offset;
	const char *name, *module;
	bool inlined;
};

static const struct frame_case frame_cases[] = {
	{ "\t    7f3b80 read (/lib/libc.so.6)", 0x7f3b80, 0, "read", "/lib/libc.so.6", false },
	{ "ffffffff821fe1b7 _raw_spin_lock+0x17 ([kernel.kallsyms])", 0xffffffff821fe1b7, 0x17,
	  "_raw_spin_lock", "[kernel.kallsyms]", false },
	{ "\t1 f(int, char (*)(int))+0x1 (/bin/x)", 1, 1, "f(int, char (*)(int))", "/bin/x",
	  false },
	{ "\t1 f (/memfd:jit (deleted))", 1, 0, "f", "/memfd:jit (deleted)", false },
	{ "\t1 f+0x2 (inlined)", 1, 2, "f", "", true },
	{ "\t6ce258d4c544155 [unknown] ([unknown])", 0x6ce258d4c544155, 0, "", "", false },
	{ "\t7f1e2215d058  (/lib/libc-2.15.so)", 0x7f1e2215d058, 0, " ", "/lib/libc-2.15.so",
	  false },
	{ "\t7f1e (/lib/x.so)", 0x7f1e, 0, "", "/lib/x.so", false },
	{ "\tffff sym", 0xffff, 0, "sym", "", false },
	{ "\tffff", 0xffff, 0, "", "", false },
	{ "\t1 a) (b ([vdso])", 1, 0, "a) (b", "[vdso]", false },
	{ "\t13 RegExp:[&<>\"'] (/tmp/perf-7539.map)", 0x13, 0, "RegExp:[&<>\"']",
	  "/tmp/perf-7539.map", false },
};

static void test_frame__every_layout(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(frame_cases) / sizeof(frame_cases[0]); i++) {
		const struct frame_case *c = &frame_cases[i];
		struct script_frame f;

		assert_true(script_frame_parse(text(c->line), &f));
		assert_int_equal(f.pc, c->pc);
		assert_int_equal(f.symbol_offset, c->offset);
		assert_slice(f.name, c->name);
		assert_slice(f.module, c->module);
		assert_int_equal(f.inlined, c->inlined);
	}
}

static void test_frame__refuses_other_lines(void **state)
{
	struct script_frame f;

	(void)state;
	assert_false(script_frame_parse(text("  file.c:12"), &f));
	assert_false(script_frame_parse(text("12345678901234567 f (x)"), &f));
	assert_false(script_frame_parse(text(""), &f));
}

static void test_srcline__forms(void **state)
{
	struct slice file;
	uint32_t line;

	(void)state;
	assert_true(script_srcline_parse(text("  uniform_int_dist.h:300"), &file, &line));
	assert_slice(file, "uniform_int_dist.h");
	assert_int_equal(line, 300);
	assert_true(script_srcline_parse(text("  libc-2.33.so[27b25]"), &file, &line));
	assert_int_equal(file.len, 0);
	assert_int_equal(line, 0);
	assert_false(script_srcline_parse(text("garbage"), &file, &line));
	assert_false(script_srcline_parse(text("  garbage"), &file, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header__every_layout),
		cmocka_unit_test(test_header__bare),
		cmocka_unit_test(test_header__refuses_other_lines),
		cmocka_unit_test(test_frame__every_layout),
		cmocka_unit_test(test_frame__refuses_other_lines),
		cmocka_unit_test(test_srcline__forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
