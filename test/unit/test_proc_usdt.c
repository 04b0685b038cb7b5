/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/usdt: notes of static probes, and notes that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proc/elf_file.h"
#include "proc/usdt.h"

static const struct elf_file shape = { .is_64 = true };

struct note {
	uint32_t name_len, desc_len, type;
	char name[8];
	uint64_t address, base, semaphore;
	char text[20];
} __attribute__((packed));

static struct note probe(uint64_t address)
{
	struct note note = { .name_len = 8,
			     .desc_len = 24 + 17,
			     .type = 3,
			     .name = "stapsdt",
			     .address = address,
			     .semaphore = 7 };

	memcpy(note.text, "pro\0name\0-4@%edi", 17);
	return note;
}

static size_t parse(const void *data, size_t len, struct usdt_list *ret)
{
	*ret = (struct usdt_list){ 0 };
	usdt_parse(&shape, data, len, ret);
	return ret->probe.count;
}

static void test_usdt__probes_in_order(void **state)
{
	const struct note notes[] = { probe(0x1000), probe(0x2000) };
	struct usdt_list list;

	(void)state;
	assert_int_equal(parse(notes, sizeof(notes), &list), 2);
	assert_string_equal(list.probe.item[0].provider, "pro");
	assert_string_equal(list.probe.item[0].name, "name");
	assert_string_equal(list.probe.item[1].arguments, "-4@%edi");
	assert_int_equal(list.probe.item[1].address, 0x2000);
	assert_int_equal(list.probe.item[1].semaphore, 7);
	assert_int_equal(list.malformed, 0);
	usdt_done(&list);
	/* the padding of the last is missing */
	assert_int_equal(parse(notes, sizeof(notes) - 3, &list), 2);
	usdt_done(&list);
}

static void test_usdt__lies_are_skipped(void **state)
{
	struct note notes[] = { probe(1), probe(2), probe(3) };
	struct usdt_list list;

	(void)state;
	memset(notes[0].text, 'x', sizeof(notes[0].text)); /* no end of the strings */
	notes[1].type = 4;				   /* of something else */
	assert_int_equal(parse(notes, sizeof(notes), &list), 1);
	assert_int_equal(list.probe.item[0].address, 3);
	assert_int_equal(list.malformed, 1);
	usdt_done(&list);
	notes[2].desc_len = UINT32_MAX;
	assert_int_equal(parse(notes, sizeof(notes), &list), 0);
	assert_int_equal(list.malformed, 2);
	usdt_done(&list);
	notes[0].name_len = UINT32_MAX - 1;
	assert_int_equal(parse(notes, sizeof(notes), &list), 0);
	usdt_done(&list);
	for (size_t len = 0; len < sizeof(notes[0]); len++) {
		assert_int_equal(parse(notes, len, &list), 0);
		usdt_done(&list);
	}
}

static void test_usdt__none_without_the_section(void **state)
{
	struct elf_file empty = { .is_64 = true };
	struct usdt_list list;

	(void)state;
	usdt_read(&empty, &list);
	assert_int_equal(list.probe.count, 0);
	usdt_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usdt__probes_in_order),
		cmocka_unit_test(test_usdt__lies_are_skipped),
		cmocka_unit_test(test_usdt__none_without_the_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
