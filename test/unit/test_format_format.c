/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registry: detects inputs by their first bytes, outputs by name or suffix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/format.h"
#include "format/perf_script/module_kind.h"

static const char *sniff(const char *head, size_t len)
{
	const struct format_ops *format = format_sniff((const uint8_t *)head, len);

	return format ? format->name : "none";
}

static void test_sniff__distinguishes_formats(void **state)
{
	static const struct {
		const char *head, *name;
	} cases[] = {
		{ "PERFILE2 and more", "perf.data" },
		{ "# ========\n# captured on: today\n", "perf-script" },
		{ "perf 12 1.000000: 1 cycles: \n\t1 f (/x)\n\n", "perf-script" },
		{ "java 19983 cycles:\nff f (/x)\n\n", "perf-script" },
		{ "a;b;c 12\na;b 3\n", "folded" },
		{ "a 1 2\n", "folded" },
		{ "#include <stdio.h>\nint main(void)\n", "none" },
		{ "", "none" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(sniff(cases[i].head, strlen(cases[i].head)), cases[i].name);
}

static void test_find__by_name_and_suffix(void **state)
{
	(void)state;
	assert_string_equal(format_find("folded")->name, "folded");
	assert_string_equal(format_find("x/out.folded")->name, "folded");
	assert_null(format_find(".folded"));
	assert_null(format_find("x.png"));
	for (const struct format_ops *const *f = format_all(); *f; f++)
		assert_ptr_equal(format_find((*f)->name), *f);
}

static void test_module_kind__by_name_or_address(void **state)
{
	(void)state;
	assert_int_equal(module_kind("[kernel.kallsyms]", 0), FRAME_KERNEL);
	assert_int_equal(module_kind("[nf_nat]", 0), FRAME_KERNEL);
	assert_int_equal(module_kind("/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", 1),
			 FRAME_KERNEL);
	assert_int_equal(module_kind("/boot/vmlinux-6.1", 1), FRAME_KERNEL);
	assert_int_equal(module_kind("/build/vmlinux", 1), FRAME_KERNEL);
	assert_int_equal(module_kind("[guest.kernel.kallsyms]", 0), FRAME_GUEST);
	assert_int_equal(module_kind("[vdso]", 0x7fff00000000), FRAME_USER);
	assert_int_equal(module_kind("/tmp/perf-12.map", 1), FRAME_JIT);
	assert_int_equal(module_kind("/home/u/jitted-12-3.so", 1), FRAME_JIT);
	assert_int_equal(module_kind("/lib/libc.so.6", 1), FRAME_USER);
	assert_int_equal(module_kind("", 1), FRAME_USER);
	assert_int_equal(module_kind("[unknown]", 0xffffffff81000000), FRAME_KERNEL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sniff__distinguishes_formats),
		cmocka_unit_test(test_find__by_name_and_suffix),
		cmocka_unit_test(test_module_kind__by_name_or_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
