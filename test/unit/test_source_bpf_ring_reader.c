/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/ring_reader: a drain delivers what was there when it began, and comes back although
 * reading brings more. */
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/bpf/ring_reader.h"

#define BYTES 256

struct fake {
	struct ring_view view;
	unsigned long consumer, producer;
	uint8_t data[2 * BYTES];
	uint32_t taken[64];
	size_t count;
	int more; /* to write while reading */
};

/* The second half of the data shows the first again. */
static void put(struct fake *fake, uint32_t flags, uint32_t value)
{
	uint32_t word[4] = { sizeof(value) | flags, 0, value, 0 };
	size_t at = fake->producer & (BYTES - 1);

	memcpy(fake->data + at, word, sizeof(word));
	memcpy(fake->data + (at + BYTES) % (2 * BYTES), word, sizeof(word));
	fake->producer += sizeof(word);
}

static void take(void *context, void *data, size_t len)
{
	struct fake *fake = context;

	assert_int_equal(sizeof(uint32_t), len);
	memcpy(&fake->taken[fake->count++], data, len);
	if (fake->more) {
		fake->more--;
		put(fake, 0, 1000);
	}
}

static void open_fake(struct fake *fake)
{
	*fake = (struct fake){ 0 };
	fake->view =
		(struct ring_view){ fake, BYTES, &fake->consumer, &fake->producer, fake->data };
}

static void test_ring_reader__ends_where_it_began(void **state)
{
	struct fake fake;

	(void)state;
	open_fake(&fake);
	put(&fake, 0, 1);
	put(&fake, 0, 2);
	fake.more = 8;
	assert_int_equal(2, ring_view_drain(&fake.view, take));
	assert_int_equal(2, fake.taken[1]);
	assert_int_equal(2, ring_view_drain(&fake.view, take)); /* those that reading brought */
	assert_int_equal(1000, fake.taken[2]);
	assert_int_equal(fake.consumer + 32, fake.producer);
}

static void test_ring_reader__skips_discarded_and_waits_for_busy(void **state)
{
	struct fake fake;

	(void)state;
	open_fake(&fake);
	put(&fake, BPF_RINGBUF_DISCARD_BIT, 1);
	put(&fake, 0, 2);
	put(&fake, BPF_RINGBUF_BUSY_BIT, 3);
	put(&fake, 0, 4);
	assert_int_equal(1, ring_view_drain(&fake.view, take));
	assert_int_equal(2, fake.taken[0]);
	fake.producer -= 32;
	put(&fake, 0, 3); /* it is written now */
	fake.producer += 16;
	assert_int_equal(2, ring_view_drain(&fake.view, take));
	assert_int_equal(3, fake.taken[1]);
	assert_int_equal(4, fake.taken[2]);
}

static void test_ring_reader__goes_round(void **state)
{
	struct fake fake;

	(void)state;
	open_fake(&fake);
	for (uint32_t i = 0; i < 50; i++) {
		put(&fake, 0, i);
		assert_int_equal(1, ring_view_drain(&fake.view, take));
		assert_int_equal(i, fake.taken[i]);
	}
}

static void test_ring_reader__refuses_what_is_no_ring(void **state)
{
	struct ring_reader *reader = ring_reader_new(take);
	struct err err = { 0 };

	(void)state;
	assert_true(ring_reader_fd(reader) >= 0);
	assert_int_not_equal(0, ring_reader_add(reader, ring_reader_fd(reader), NULL, &err));
	assert_int_equal(0, ring_reader_drain(reader));
	ring_reader_free(reader);
	ring_reader_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring_reader__ends_where_it_began),
		cmocka_unit_test(test_ring_reader__skips_discarded_and_waits_for_busy),
		cmocka_unit_test(test_ring_reader__goes_round),
		cmocka_unit_test(test_ring_reader__refuses_what_is_no_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
