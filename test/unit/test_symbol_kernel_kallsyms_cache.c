/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/kernel/kallsyms_cache: the list of this kernel is kept, read again, and thrown away when
 * it is of another boot; BPF programs are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kallsyms_cache.h"

static void test_data_and_bpf_programs_are_left_out(void **state)
{
	struct buf text = { 0 };

	(void)state;
	(void)buf_puts(&text, "ffffffff81000000 T _text\nffffffff82000000 D data\nffffffffc0000000 "
			      "t bpf_prog_1\t[bpf]\n"
			      "ffffffffc0010000 t other\t[ext4]\nffffffffc0020000 t last\t[bpf]");
	kallsyms_keep_functions(&text);
	assert_string_equal(text.data, "ffffffff81000000 T _text\n"
				       "ffffffffc0010000 t other\t[ext4]\n");
	buf_done(&text);
}

static void replace(const char *path, const char *from, const char *to)
{
	char command[512];

	(void)snprintf(command, sizeof(command), "sed -i 's/%s/%s/' %s", from, to, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

static bool has(const struct kallsyms *kallsyms, const char *name)
{
	for (size_t i = 0; i < kallsyms->ranges.count; i++)
		if (!strcmp(kallsyms->text + kallsyms->ranges.item[i].name, name))
			return true;
	return false;
}

static void test_one_boot_is_kept(void **state)
{
	char home[] = "/tmp/kallsyms_cache_XXXXXX", path[128];
	struct kallsyms kallsyms;
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(home));
	assert_int_equal(setenv("XDG_CACHE_HOME", home, 1), 0);
	(void)snprintf(path, sizeof(path), "%s/cupel/kernel/kallsyms", home);
	kallsyms_keep_running();
	if (access(path, F_OK)) { /* addresses are hidden from us, and nothing is kept */
		assert_true(kallsyms_read_running(&kallsyms, &err) < 0);
		skip();
	}
	/* now the answer shows that it is the file that is read */
	replace(path, "\\x00schedule\\x00", "\\x00schedulf\\x00");
	assert_int_equal(kallsyms_read_running(&kallsyms, &err), 0);
	assert_true(has(&kallsyms, "schedulf"));
	assert_false(has(&kallsyms, "schedule"));
	kallsyms_done(&kallsyms);
	replace(path, "^# functions", "# functiont");
	assert_int_equal(kallsyms_read_running(&kallsyms, &err), 0);
	assert_false(has(&kallsyms, "schedulf"));
	assert_true(has(&kallsyms, "schedule"));
	kallsyms_done(&kallsyms);
	(void)snprintf(path, sizeof(path), "rm -r %s", home);
	assert_int_equal(system(path), 0);
}

static void test_a_packed_table_is_checked(void **state)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81001000 t one\n"
				   "ffffffffc0010000 t other\t[ext4]\n";
	struct kallsyms kallsyms, again;
	struct range *range;
	struct buf packed = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(kallsyms_parse(strdup(text), strlen(text), &kallsyms, &err), 0);
	kallsyms_pack(&kallsyms, &packed);
	assert_true(kallsyms_unpack(packed.data, packed.len, &again));
	assert_int_equal(again.ranges.count, 3);
	assert_int_equal(again.text_start, 0xffffffff81000000);
	assert_int_equal(again.modules, kallsyms.modules);
	assert_memory_equal(again.ranges.item, kallsyms.ranges.item, 3 * sizeof(*range));
	assert_true(has(&again, "_text") && has(&again, "one") && has(&again, "other"));
	kallsyms_done(&again);
	for (size_t len = 0; len < packed.len; len++)
		assert_false(kallsyms_unpack(packed.data, len, &again));
	assert_true(kallsyms_unpack(packed.data, packed.len, &again));
	range = again.ranges.item; /* in the packed bytes */
	assert_ptr_equal(kallsyms_find(&again, range[1].start + 5), &range[1]);
	assert_null(kallsyms_find(&again, range[0].start - 1));
	assert_null(kallsyms_find(&again, UINT64_MAX));
	range[1].name = 4000; /* outside of the text */
	assert_null(kallsyms_find(&again, range[1].start + 5));
	range[1].name = 0;
	range[1].end = range[1].start; /* empty */
	assert_null(kallsyms_find(&again, range[1].start + 5));
	kallsyms_done(&again);
	kallsyms_done(&kallsyms);
	buf_done(&packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_and_bpf_programs_are_left_out),
		cmocka_unit_test(test_a_packed_table_is_checked),
		cmocka_unit_test(test_one_boot_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
