/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_queue: chunks arrive in order, once, and come back to be used again. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/record/record_queue.h"

#define CHUNK_BYTES 4096
#define ROUNDS	    1000

static void test_record_queue__last_returned_is_first_used(void **state)
{
	struct record_queue queue;
	struct record_chunk *a, *b;
	struct err err;

	(void)state;
	assert_int_equal(0, record_queue_open(&queue, CHUNK_BYTES, &err));
	a = record_queue_idle(&queue);
	b = record_queue_idle(&queue);
	assert_ptr_not_equal(a, b);
	a->round = true;
	record_queue_return(&queue, a);
	assert_ptr_equal(a, record_queue_idle(&queue));
	assert_false(a->round);
	assert_int_equal(0, a->len);
	record_queue_close(&queue);
}

struct writer {
	struct record_queue *queue;
	const char *problem;
};

static void *write_side(void *context)
{
	struct writer *writer = context;
	struct record_queue *queue = writer->queue;

	for (uint32_t expected = 0;; expected++) {
		struct record_chunk *chunk = record_queue_pop(queue);
		bool last = chunk->last;
		uint32_t value;

		memcpy(&value, chunk->data, sizeof(value));
		if (!last && (chunk->len != sizeof(value) || value != expected))
			writer->problem = "out of order";
		record_queue_return(queue, chunk);
		if (!last)
			continue;
		if (expected != ROUNDS)
			writer->problem = "lost a chunk";
		return NULL;
	}
}

/* Many more chunks than there are, so that either side has to wait for the other. */
static void test_record_queue__keeps_order_across_threads(void **state)
{
	struct record_queue queue;
	struct record_chunk *chunk;
	struct err err;
	pthread_t thread;
	struct writer writer = { .queue = &queue };

	(void)state;
	assert_int_equal(0, record_queue_open(&queue, CHUNK_BYTES, &err));
	assert_int_equal(0, pthread_create(&thread, NULL, write_side, &writer));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		chunk = record_queue_idle(&queue);
		memcpy(chunk->data, &i, sizeof(i));
		chunk->len = sizeof(i);
		record_queue_push(&queue, chunk);
	}
	chunk = record_queue_idle(&queue);
	chunk->last = true;
	record_queue_push(&queue, chunk);
	assert_int_equal(0, pthread_join(thread, NULL));
	assert_null(writer.problem);
	record_queue_close(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_queue__last_returned_is_first_used),
		cmocka_unit_test(test_record_queue__keeps_order_across_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
