/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A code object of an image of memory, taken apart by a thread at the other end of a socket; and
 * what becomes of answers that are wrong. */
#include "session/python/python_apart.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fd.h"

#define BASE  0x7f0000000000ull
#define BYTES 8192
#define TABLE 1200 /* more than is asked for at once */

static uint8_t image[BYTES];
static unsigned reads;

static uint64_t read_image(uint32_t pid, uint64_t addr, void *to, size_t len)
{
	uint64_t at = addr - BASE;

	assert_int_equal(pid, 7);
	reads++;
	if (at >= BYTES)
		return 0;
	if (len > BYTES - at)
		len = BYTES - at;
	memcpy(to, image + at, len);
	return len;
}

static bool send_bytes(void *context, const void *data, size_t len)
{
	return !fd_write_all(*(int *)context, data, len);
}

static bool receive_bytes(void *context, void *data, size_t len)
{
	return fd_read_full(*(int *)context, data, len) == (ssize_t)len;
}

static void *serve(void *context)
{
	const struct python_channel channel = { send_bytes, receive_bytes, context };

	while (python_apart_answer(&channel))
		;
	return NULL;
}

static void put(uint64_t at, uint64_t value, size_t len)
{
	memcpy(image + at, &value, len);
}

static void put_text(uint64_t at, const struct python_layout *layout, const char *text)
{
	put(at + 16, strlen(text), 8);
	put(at + 32, 1 << 2 | 0x20 | 0x40, 4);
	memcpy(image + at + layout->ascii_text, text, strlen(text));
}

/* Line 10, and one more after each instruction. */
static void put_code(const struct python_layout *layout)
{
	memset(image, 0, sizeof(image));
	put(64 + layout->code_first_line, 10, 4);
	put(64 + layout->code_file, BASE + 1024, 8);
	put(64 + layout->code_name, BASE + 2048, 8);
	put(64 + layout->code_lines, BASE + 3072, 8);
	put_text(1024, layout, "/srv/app.py");
	put_text(2048, layout, "run");
	put(3072 + 16, TABLE, 8);
	for (size_t i = 0; i < TABLE; i += 2)
		put(3072 + layout->bytes_data + i, 2 | 1 << 8, 2);
}

static void test_python_apart__reads(void **state)
{
	struct python_layout layout;
	struct python_read read = { 0 };
	struct err err = { 0 };
	pthread_t thread;
	int end[2];
	const struct python_channel channel = { send_bytes, receive_bytes, &end[0] };
	const struct python_source source = { read_image, &layout, 7 };
	bool good;

	(void)state;
	assert_int_equal(python_layout_get(0x0308, NULL, 0, &layout, &err), 0);
	put_code(&layout);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
	assert_int_equal(pthread_create(&thread, NULL, serve, &end[1]), 0);
	assert_true(python_apart_read(&channel, &source, BASE + 64, &read, &good));
	assert_true(good);
	assert_int_equal(read.name.len, 3);
	assert_memory_equal(read.name.data, "run", 3);
	assert_int_equal(read.file.len, 11);
	assert_memory_equal(read.file.data, "/srv/app.py", 11);
	assert_int_equal(read.function.identity.first_line, 10);
	for (uint32_t i = 0; i < TABLE / 2; i++)
		assert_int_equal(python_line(&read.function, i), 10 + i);
	assert_in_range(reads, 4, 6); /* not one for each number */
	python_read_done(&read);
	/* what is no code object is no error of the other side */
	assert_true(python_apart_read(&channel, &source, BASE + BYTES, &read, &good));
	assert_false(good);
	(void)close(end[0]);
	(void)pthread_join(thread, NULL);
	(void)close(end[1]);
}

static void test_python_apart__wrong_answers(void **state)
{
	/* as replies: bytes of 4 GB wanted; names of 4 GB; cut */
	static const struct {
		uint64_t word[5];
		size_t len;
	} answer[] = {
		{ { BASE, 1ull << 32 }, 80 },
		{ { 0, 0, 1ull << 32 }, 80 },
		{ { 0, 0, 0, 1ull << 32 }, 80 },
		{ { 0, 0, 0, 0, 1ull << 32 }, 80 },
		{ { 0 }, 8 },
	};
	struct python_layout layout;
	struct err err = { 0 };
	const struct python_source source = { read_image, &layout, 7 };

	(void)state;
	assert_int_equal(python_layout_get(0x0308, NULL, 0, &layout, &err), 0);
	for (size_t i = 0; i < sizeof(answer) / sizeof(answer[0]); i++) {
		char bytes[80] = { 0 };
		int end[2];
		const struct python_channel channel = { send_bytes, receive_bytes, &end[0] };
		struct python_read read = { 0 };
		bool good = true;

		memcpy(bytes, answer[i].word, sizeof(answer[i].word));
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
		assert_int_equal(fd_write_all(end[1], bytes, answer[i].len), 0);
		assert_int_equal(shutdown(end[1], SHUT_WR), 0);
		assert_false(python_apart_read(&channel, &source, BASE, &read, &good));
		assert_false(good);
		(void)close(end[0]);
		(void)close(end[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_apart__reads),
		cmocka_unit_test(test_python_apart__wrong_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
