/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command/async_output: a reader that does not read blocks no writer, gets all text in order, the
 * last screen, and a line about what was too much. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/async_output.h"

#define PIPE_BYTES 4096

struct channel {
	int end[2];
	struct async_output *output;
	struct err err;
};

static void open_channel(struct channel *channel)
{
	channel->err = (struct err){ 0 };
	assert_int_equal(pipe2(channel->end, O_CLOEXEC), 0);
	assert_true(fcntl(channel->end[1], F_SETPIPE_SZ, PIPE_BYTES) > 0);
	assert_int_equal(
		async_output_open(channel->end[1], "a pipe", &channel->output, &channel->err), 0);
}

/* Bytes of one letter, more than the pipe holds. */
static struct buf block(char letter, size_t len)
{
	struct buf text = { 0 };

	(void)buf_pad(&text, letter, len);
	(void)buf_putc(&text, '\n');
	return text;
}

/* Until `last` was read. */
static void read_until(const struct channel *channel, const char *last, struct buf *ret)
{
	while (!ret->data || !strstr(ret->data, last)) {
		char bytes[4096];
		ssize_t len = read(channel->end[0], bytes, sizeof(bytes));

		assert_true(len > 0);
		(void)buf_append(ret, bytes, (size_t)len);
		(void)buf_putc(ret, '\0');
		ret->len--;
	}
}

/* The thread writes the first one, and waits. */
static void fill(struct channel *channel)
{
	struct buf text = block('a', (size_t)3 * PIPE_BYTES);
	struct pollfd item = { .fd = channel->end[1], .events = POLLOUT };

	assert_int_equal(async_output_put(channel->output, &text, &channel->err), 0);
	buf_done(&text);
	while (poll(&item, 1, 0) == 1)
		(void)usleep(1000);
}

static void test_async_output__the_last_screen_comes(void **state)
{
	struct buf got = { 0 };
	struct channel channel;

	(void)state;
	open_channel(&channel);
	fill(&channel);
	for (char letter = 'b'; letter <= 'z'; letter++) {
		struct buf screen = block(letter, PIPE_BYTES);

		assert_int_equal(async_output_show(channel.output, &screen, &channel.err), 0);
		buf_done(&screen);
	}
	read_until(&channel, "zzz\n", &got);
	assert_non_null(strstr(got.data, "a\nz"));
	assert_int_equal(got.len, 3 * PIPE_BYTES + 1 + PIPE_BYTES + 1);
	assert_int_equal(async_output_close(channel.output, &channel.err), 0);
	buf_done(&got);
	(void)close(channel.end[0]);
	(void)close(channel.end[1]);
}

static void test_async_output__too_much_text_is_counted(void **state)
{
	struct buf text = block('b', (size_t)300 << 10), end = { 0 }, got = { 0 };
	struct channel channel;

	(void)state;
	open_channel(&channel);
	fill(&channel);
	for (int i = 0; i < 5; i++)
		assert_int_equal(async_output_put(channel.output, &text, &channel.err), 0);
	(void)buf_puts(&end, "end\n");
	read_until(&channel, "b\n", &got);
	buf_clear(&got);
	assert_int_equal(async_output_put(channel.output, &end, &channel.err), 0);
	read_until(&channel, "end\n", &got);
	assert_non_null(strstr(got.data, "[ 2 skipped: the output was not read ]\nend\n"));
	assert_int_equal(async_output_close(channel.output, &channel.err), 0);
	buf_done(&text);
	buf_done(&end);
	buf_done(&got);
	(void)close(channel.end[0]);
	(void)close(channel.end[1]);
}

static void test_async_output__failures_are_reported(void **state)
{
	struct buf text = block('a', 10);
	struct channel channel;
	int code = 0;

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	open_channel(&channel);
	(void)close(channel.end[0]);
	while (!code)
		code = async_output_put(channel.output, &text, &channel.err);
	assert_int_equal(code, -EPIPE);
	assert_string_equal(channel.err.msg, "a pipe: Broken pipe");
	assert_int_equal(async_output_close(channel.output, &channel.err), -EPIPE);
	buf_done(&text);
	(void)close(channel.end[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_async_output__the_last_screen_comes),
		cmocka_unit_test(test_async_output__too_much_text_is_counted),
		cmocka_unit_test(test_async_output__failures_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
