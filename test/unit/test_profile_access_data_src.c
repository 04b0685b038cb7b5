/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources of data in perf's words; test/live/mem_perf.sh compares them with stock perf's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "profile/access/data_src.h"

static const char *text_of(union perf_mem_data_src src, enum data_src_part part)
{
	static char text[DATA_SRC_TEXT];

	return data_src_text(src.val, part, text, sizeof(text));
}

static void test_data_src__has_words(void **state)
{
	const union perf_mem_data_src load = { .mem_op = PERF_MEM_OP_LOAD,
					       .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3,
					       .mem_snoop = PERF_MEM_SNOOP_HITM,
					       .mem_dtlb = PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1,
					       .mem_lock = PERF_MEM_LOCK_LOCKED,
					       .mem_blk = PERF_MEM_BLK_DATA | PERF_MEM_BLK_ADDR };
	const union perf_mem_data_src far = { .mem_op = PERF_MEM_OP_STORE,
					      .mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE,
					      .mem_remote = 1,
					      .mem_hops = 2,
					      .mem_snoopx = PERF_MEM_SNOOPX_PEER };
	const union perf_mem_data_src none = { .val = 0 };

	(void)state;
	assert_string_equal("LOAD", text_of(load, DATA_SRC_OPERATION));
	assert_string_equal("L3 hit", text_of(load, DATA_SRC_LEVEL));
	assert_string_equal("HitM", text_of(load, DATA_SRC_SNOOP));
	assert_string_equal("L1 hit", text_of(load, DATA_SRC_TLB));
	assert_string_equal("Yes", text_of(load, DATA_SRC_LOCKED));
	assert_string_equal(" Data Addr", text_of(load, DATA_SRC_BLOCKED));
	assert_string_equal("STORE", text_of(far, DATA_SRC_OPERATION));
	assert_string_equal("Remote node, same socket Any cache", text_of(far, DATA_SRC_LEVEL));
	assert_string_equal("Peer", text_of(far, DATA_SRC_SNOOP));
	assert_string_equal("N/A", text_of(none, DATA_SRC_LEVEL));
	assert_string_equal(" N/A", text_of(none, DATA_SRC_BLOCKED));
}

static void test_data_src__bits_make_the_text(void **state)
{
	char of_all[DATA_SRC_TEXT], of_bits[DATA_SRC_TEXT];
	uint64_t value = 0x243f6a8885a308d3;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		value = value * 6364136223846793005ull + 1442695040888963407ull;
		for (unsigned part = 0; part < DATA_SRC_PARTS; part++) {
			enum data_src_part which = (enum data_src_part)part;

			(void)data_src_text(value, which, of_all, sizeof(of_all));
			(void)data_src_text(data_src_bits(value, which), which, of_bits,
					    sizeof(of_bits));
			assert_string_equal(of_all, of_bits);
		}
	}
}

static void test_data_src__fits_any_size(void **state)
{
	char text[12];

	(void)state;
	for (size_t size = 1; size <= sizeof(text); size++) {
		memset(text, 'x', sizeof(text));
		(void)data_src_text(UINT64_MAX, DATA_SRC_LEVEL, text, size);
		assert_true(strnlen(text, size) < size);
		for (size_t i = size; i < sizeof(text); i++)
			assert_int_equal('x', text[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_src__has_words),
		cmocka_unit_test(test_data_src__bits_make_the_text),
		cmocka_unit_test(test_data_src__fits_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
