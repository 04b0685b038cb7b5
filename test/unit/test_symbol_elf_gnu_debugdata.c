/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol/gnu_debugdata: unpacks what xz packed, refuses the rest, and names hidden functions. */
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "elf_builder.h"
#include "proc/elf_file.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/gnu_debugdata.h"
#include "symbol/symbolizer.h"

static size_t pack(const void *data, size_t len, uint8_t *ret, size_t room)
{
	size_t used = 0;

	assert_int_equal(LZMA_OK, lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, data, len, ret,
							  &used, room));
	return used;
}

static void test_gnu_debugdata__names_hidden_functions(void **state)
{
	struct elf_builder inner, outer;
	struct elf_symbols *symbols;
	struct err err = { 0 };
	struct elf_file *elf;
	struct symbol symbol;
	uint8_t packed[4096];
	size_t len;

	(void)state;
	builder_start(&inner, false);
	builder_symbol(&inner, "hidden", 0, 16, ELF64_ST_INFO(STB_LOCAL, STT_FUNC));
	builder_finish(&inner);
	len = pack(inner.data, inner.len, packed, sizeof(packed));
	builder_start(&outer, false);
	(void)builder_section(&outer, ".gnu_debugdata", SHT_PROGBITS, packed, len);
	builder_finish(&outer);
	assert_int_equal(0, elf_file_parse(outer.data, outer.len, &elf, &err));
	symbols = elf_symbols_new(elf, NULL, true);
	assert_true(elf_symbols_complete(symbols));
	assert_true(elf_symbols_find(symbols, BUILDER_TEXT_ADDR + 3, &symbol));
	assert_string_equal("hidden", symbol.frame[0].name);
	elf_symbols_free(symbols);
	elf_file_close(elf);
}

static void test_gnu_debugdata__refuses_what_is_not_whole(void **state)
{
	struct elf_builder inner;
	struct elf_file *elf;
	uint8_t packed[4096];
	size_t len;

	(void)state;
	builder_start(&inner, false);
	builder_finish(&inner);
	len = pack(inner.data, inner.len, packed, sizeof(packed));
	for (size_t part = 0; part < len; part++)
		assert_false(gnu_debugdata_unpack(packed, part, &elf));
	packed[len / 2] ^= 1;
	assert_false(gnu_debugdata_unpack(packed, len, &elf));
	len = pack("no ELF file", 11, packed, sizeof(packed));
	assert_false(gnu_debugdata_unpack(packed, len, &elf));
}

/* 300 MB of zeros pack to 45 KB. */
static void test_gnu_debugdata__bombs_are_bounded(void **state)
{
	size_t len = (size_t)300 << 20, room = 1 << 20;
	void *zeros = calloc(1, len);
	uint8_t *packed = malloc(room);
	lzma_options_lzma options;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options }, { LZMA_VLI_UNKNOWN, NULL } };
	struct elf_file *elf;
	size_t used = 0;

	(void)state;
	assert_false(lzma_lzma_preset(&options, 0));
	assert_int_equal(LZMA_OK, lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE, NULL, zeros,
							    len, packed, &used, room));
	assert_false(gnu_debugdata_unpack(packed, used, &elf));
	free(packed);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gnu_debugdata__names_hidden_functions),
		cmocka_unit_test(test_gnu_debugdata__refuses_what_is_not_whole),
		cmocka_unit_test(test_gnu_debugdata__bombs_are_bounded),
	};

	return cmocka_run_group_tests_name("symbol/gnu_debugdata", tests, NULL, NULL);
}
