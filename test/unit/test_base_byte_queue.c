/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/byte_queue: bytes arrive in order, whatever the sizes; a full queue waits; a closed one
 * takes nothing. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/byte_queue.h"

#define MOST  1000u
#define TOTAL 200000u

static void *put_all(void *context)
{
	struct byte_queue *queue = context;
	uint8_t bytes[701];

	for (uint32_t at = 0; at < TOTAL;) {
		uint32_t step = 1 + at % sizeof(bytes);

		if (step > TOTAL - at)
			step = TOTAL - at;
		for (uint32_t i = 0; i < step; i++)
			bytes[i] = (uint8_t)((at + i) % 251);
		if (byte_queue_put(queue, bytes, step))
			break;
		at += step;
	}
	byte_queue_end(queue);
	return NULL;
}

static void test_bytes_arrive_in_order(void **state)
{
	struct byte_queue *queue = byte_queue_new(MOST);
	pthread_t writer;
	uint8_t bytes[333];
	uint32_t at = 0;
	ssize_t n;

	(void)state;
	assert_int_equal(pthread_create(&writer, NULL, put_all, queue), 0);
	while ((n = byte_queue_get(queue, bytes, 1 + at % sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], at++ % 251);
	assert_int_equal(n, 0);
	assert_int_equal(at, TOTAL);
	assert_int_equal(pthread_join(writer, NULL), 0);
	byte_queue_free(queue);
}

/* Larger than the queue: it goes through when nothing else is there. */
static void test_one_large_piece(void **state)
{
	struct byte_queue *queue = byte_queue_new(MOST);
	static char large[3 * MOST];
	char back[sizeof(large)];

	(void)state;
	memset(large, 'x', sizeof(large));
	assert_int_equal(byte_queue_put(queue, large, sizeof(large)), 0);
	assert_int_equal(byte_queue_get(queue, back, sizeof(back)), sizeof(large));
	assert_memory_equal(back, large, sizeof(large));
	byte_queue_free(queue);
}

static void test_closed_queue_frees_who_waits(void **state)
{
	struct byte_queue *queue = byte_queue_new(MOST);
	pthread_t writer;

	(void)state;
	assert_int_equal(pthread_create(&writer, NULL, put_all, queue), 0);
	byte_queue_close(queue);
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_int_equal(byte_queue_put(queue, "x", 1), -EPIPE);
	byte_queue_free(queue);
}

struct taken {
	struct byte_queue *queue;
	_Atomic size_t bytes;
};

static void *take_all(void *context)
{
	struct taken *taken = context;
	uint8_t bytes[100];
	ssize_t n;

	while ((n = byte_queue_get(taken->queue, bytes, sizeof(bytes))) > 0)
		taken->bytes += (size_t)n;
	return NULL;
}

static void test_wait_until_all_is_read(void **state)
{
	struct taken taken = { .queue = byte_queue_new(MOST) };
	uint8_t bytes[777] = { 0 };
	pthread_t reader;

	(void)state;
	assert_int_equal(pthread_create(&reader, NULL, take_all, &taken), 0);
	for (size_t i = 1; i <= 100; i++) {
		assert_int_equal(byte_queue_put(taken.queue, bytes, sizeof(bytes)), 0);
		byte_queue_wait(taken.queue);
		assert_int_equal(taken.bytes, i * sizeof(bytes));
	}
	byte_queue_end(taken.queue);
	assert_int_equal(pthread_join(reader, NULL), 0);
	byte_queue_close(taken.queue);
	byte_queue_wait(taken.queue); /* nobody will read */
	byte_queue_free(taken.queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_arrive_in_order),
		cmocka_unit_test(test_one_large_piece),
		cmocka_unit_test(test_wait_until_all_is_read),
		cmocka_unit_test(test_closed_queue_frees_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
