/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/record_control: commands over descriptors and FIFOs, however they are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "session/record/record_control.h"

struct channel {
	int command[2], ack[2];
	struct record_control control;
};

static void open_channel(struct channel *channel)
{
	char spec[64];
	struct err err;

	assert_int_equal(0, pipe(channel->command));
	assert_int_equal(0, pipe(channel->ack));
	(void)snprintf(spec, sizeof(spec), "fd:%d,%d", channel->command[0], channel->ack[1]);
	assert_int_equal(0, record_control_open(&channel->control, spec, &err));
}

static void close_channel(struct channel *channel)
{
	record_control_close(&channel->control);
	for (int i = 0; i < 2; i++) {
		(void)close(channel->command[i]);
		(void)close(channel->ack[i]);
	}
}

static void send_text(const struct channel *channel, const char *text)
{
	assert_int_equal(strlen(text), write(channel->command[1], text, strlen(text)));
}

static void test_record_control__takes_commands_in_order(void **state)
{
	struct channel channel;

	(void)state;
	open_channel(&channel);
	assert_int_equal(RECORD_COMMAND_NONE, record_control_next(&channel.control));
	send_text(&channel, "enable \tpage-faults\r\ndisable\nevlist -v\nsnap");
	assert_int_equal(RECORD_COMMAND_ENABLE, record_control_next(&channel.control));
	assert_string_equal("page-faults", channel.control.argument);
	assert_int_equal(RECORD_COMMAND_DISABLE, record_control_next(&channel.control));
	assert_string_equal("", channel.control.argument);
	assert_int_equal(RECORD_COMMAND_EVLIST, record_control_next(&channel.control));
	assert_int_equal(RECORD_COMMAND_NONE, record_control_next(&channel.control));
	send_text(&channel, "shot\nping\nstop\nenabled\n");
	assert_int_equal(RECORD_COMMAND_SNAPSHOT, record_control_next(&channel.control));
	assert_int_equal(RECORD_COMMAND_PING, record_control_next(&channel.control));
	assert_int_equal(RECORD_COMMAND_STOP, record_control_next(&channel.control));
	assert_int_equal(RECORD_COMMAND_UNKNOWN, record_control_next(&channel.control));
	close_channel(&channel);
}

static void test_record_control__answers(void **state)
{
	struct channel channel;
	char answer[8];

	(void)state;
	open_channel(&channel);
	record_control_ack(&channel.control);
	assert_int_equal(4, read(channel.ack[0], answer, sizeof(answer)));
	assert_memory_equal("ack\n", answer, 4);
	close_channel(&channel);
}

static void test_record_control__survives_noise(void **state)
{
	struct channel channel;
	char noise[1000];

	(void)state;
	open_channel(&channel);
	memset(noise, 'x', sizeof(noise));
	assert_int_equal(sizeof(noise), write(channel.command[1], noise, sizeof(noise)));
	for (int i = 0; i < 8; i++)
		assert_int_equal(RECORD_COMMAND_NONE, record_control_next(&channel.control));
	send_text(&channel, "\nping\n");
	assert_int_equal(RECORD_COMMAND_UNKNOWN, record_control_next(&channel.control));
	assert_int_equal(RECORD_COMMAND_PING, record_control_next(&channel.control));
	(void)close(channel.command[1]);
	assert_int_equal(RECORD_COMMAND_NONE, record_control_next(&channel.control));
	assert_int_equal(-1, channel.control.fd);
	channel.command[1] = -1;
	close_channel(&channel);
}

static void test_record_control__refuses_other_specs(void **state)
{
	static const char *const bad[] = { "",	       "fd:",	"fd:x",	 "fd:1,",
					   "fd:1x",    "fifo:", "/fifo", "fifo:/no/such/fifo",
					   "fd:999999" };
	struct record_control control;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(record_control_open(&control, bad[i], &err) < 0);
		record_control_close(&control);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_control__takes_commands_in_order),
		cmocka_unit_test(test_record_control__answers),
		cmocka_unit_test(test_record_control__survives_noise),
		cmocka_unit_test(test_record_control__refuses_other_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
