/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/elf_unpack: all forms of compressed sections come out whole; lies about sizes and damaged
 * bytes are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "proc/elf_file.h"
#include "proc/elf_unpack.h"

static const char text[] = "call frames call frames call frames call frames call frames";

struct packed {
	uint8_t bytes[512];
	struct elf_file elf;
	struct elf_section section;
};

/* header_len bytes of header are in place; appends the compressed text. */
static void finish(struct packed *p, size_t header_len, bool zstd)
{
	uLongf len = sizeof(p->bytes) - header_len;

	if (zstd)
		len = ZSTD_compress(p->bytes + header_len, len, text, sizeof(text), 1);
	else
		assert_int_equal(Z_OK, compress(p->bytes + header_len, &len, (const uint8_t *)text,
						sizeof(text)));
	p->elf = (struct elf_file){ .data = p->bytes, .len = sizeof(p->bytes), .is_64 = true };
	p->section = (struct elf_section){ .name = ".debug_frame",
					   .type = SHT_PROGBITS,
					   .flags = SHF_COMPRESSED,
					   .size = header_len + len };
}

static void make(struct packed *p, uint32_t type, uint64_t size)
{
	Elf64_Chdr header = { .ch_type = type, .ch_size = size };

	memcpy(p->bytes, &header, sizeof(header));
	finish(p, sizeof(header), type == 2);
}

static int unpack(const struct packed *p)
{
	const uint8_t *data;
	void *owned = NULL;
	size_t len;
	int code = elf_section_contents(&p->elf, &p->section, &data, &len, &owned);

	if (!code) {
		assert_int_equal(sizeof(text), len);
		assert_memory_equal(text, data, len);
	}
	free(owned);
	return code;
}

static void test_elf_unpack__zlib_zstd_and_zdebug(void **state)
{
	struct packed p;

	(void)state;
	make(&p, ELFCOMPRESS_ZLIB, sizeof(text));
	assert_int_equal(0, unpack(&p));
	make(&p, 2, sizeof(text));
	assert_int_equal(0, unpack(&p));
	memcpy(p.bytes, "ZLIB\0\0\0\0\0\0\0", 11);
	p.bytes[11] = sizeof(text);
	finish(&p, 12, false);
	p.section.flags = 0;
	p.section.name = ".zdebug_frame";
	assert_int_equal(0, unpack(&p));
}

static void test_elf_unpack__plain_sections_stay_in_place(void **state)
{
	struct packed p = { .section = { .name = "", .type = SHT_PROGBITS, .size = sizeof(text) } };
	const uint8_t *data;
	void *owned;
	size_t len;

	(void)state;
	memcpy(p.bytes, text, sizeof(text));
	p.elf = (struct elf_file){ .data = p.bytes, .len = sizeof(p.bytes), .is_64 = true };
	assert_int_equal(0, elf_section_contents(&p.elf, &p.section, &data, &len, &owned));
	assert_ptr_equal(p.bytes, data);
	assert_null(owned);
	p.section.type = SHT_NOBITS;
	assert_int_equal(-ENODATA, unpack(&p));
}

static void test_elf_unpack__refuses_lies(void **state)
{
	struct packed p;

	(void)state;
	make(&p, ELFCOMPRESS_ZLIB, sizeof(text) + 1);
	assert_int_equal(-EBADMSG, unpack(&p));
	make(&p, ELFCOMPRESS_ZLIB, UINT64_MAX);
	assert_int_equal(-EBADMSG, unpack(&p));
	make(&p, ELFCOMPRESS_ZLIB, 0);
	assert_int_equal(-EBADMSG, unpack(&p));
	make(&p, 77, sizeof(text));
	assert_int_equal(-EBADMSG, unpack(&p));
	make(&p, ELFCOMPRESS_ZLIB, sizeof(text));
	p.bytes[30] ^= 0xff;
	assert_int_equal(-EBADMSG, unpack(&p));
	p.section.size = 10;
	assert_int_equal(-EBADMSG, unpack(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf_unpack__zlib_zstd_and_zdebug),
		cmocka_unit_test(test_elf_unpack__plain_sections_stay_in_place),
		cmocka_unit_test(test_elf_unpack__refuses_lies),
	};

	return cmocka_run_group_tests_name("proc/elf_unpack", tests, NULL, NULL);
}
