/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that answers each message with its bytes, until it ends. */
#include "session/reader_child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/byte_queue.h"
#include "base/err.h"
#include "base/fd.h"

#define ECHO ((uint32_t)BYTE_QUEUE_MESSAGE)

struct owner {
	struct reader_child child;
	uint64_t sum, frames;
};

static bool echo(void *context, const struct byte_queue_frame *frame, const void *data)
{
	if (frame->kind == BYTE_QUEUE_END)
		return false;
	return !byte_queue_send(*(int *)context, ECHO, data, frame->len);
}

static void run(void *context, int socket)
{
	struct byte_queue *queue = byte_queue_new(1 << 20);

	assert_string_equal(context, "the context");
	byte_queue_carry(queue, socket, echo, &socket);
}

static bool receive(void *context, int socket)
{
	struct owner *owner = context;
	struct byte_queue_frame frame;
	uint64_t value;

	if (fd_read_full(socket, &frame, sizeof(frame)) != (ssize_t)sizeof(frame) ||
	    frame.kind != ECHO || frame.len != sizeof(value) ||
	    fd_read_full(socket, &value, sizeof(value)) != (ssize_t)sizeof(value))
		return false;
	(void)pthread_mutex_lock(&owner->child.lock);
	owner->sum += value;
	owner->frames++;
	(void)pthread_cond_broadcast(&owner->child.answered);
	(void)pthread_mutex_unlock(&owner->child.lock);
	return true;
}

static void open_child(struct owner *owner)
{
	const struct reader_child_options options = { .run = run,
						      .context = (void *)(uintptr_t) "the context",
						      .receive = receive,
						      .owner = owner };
	struct err err = { 0 };

	memset(owner, 0, sizeof(*owner));
	assert_int_equal(reader_child_open(&owner->child, &options, &err), 0);
}

static void test_reader_child__answers(void **state)
{
	struct owner owner;

	(void)state;
	open_child(&owner);
	for (uint64_t i = 1; i <= 1000; i++)
		assert_int_equal(byte_queue_message(owner.child.queue, ECHO, &i, sizeof(i)), 0);
	(void)pthread_mutex_lock(&owner.child.lock);
	while (owner.frames < 1000 && !owner.child.gone)
		(void)pthread_cond_wait(&owner.child.answered, &owner.child.lock);
	assert_int_equal(owner.sum, 500500);
	assert_false(owner.child.gone);
	(void)pthread_mutex_unlock(&owner.child.lock);
	byte_queue_end(owner.child.queue);
	reader_child_join(&owner.child);
	assert_true(owner.child.gone);
	reader_child_close(&owner.child);
}

static void test_reader_child__ends(void **state)
{
	struct owner owner;

	(void)state;
	open_child(&owner); /* closed while the child waits */
	reader_child_close(&owner.child);
	open_child(&owner); /* a frame of the wrong size ends it */
	(void)byte_queue_message(owner.child.queue, ECHO, "x", 1);
	reader_child_join(&owner.child);
	assert_true(owner.child.gone);
	reader_child_close(&owner.child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader_child__answers),
		cmocka_unit_test(test_reader_child__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
