/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/store/profile_send, format/otlp/otlp_write: addresses, and that what is written is read
 * back. test/command/push_to.bats reads it with another reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "format/otlp/otlp_read.h"
#include "format/otlp/otlp_write.h"
#include "profile/profile.h"
#include "session/store/profile_send.h"
#include "store/label_set.h"

#define UNIX_NS ((uint64_t)1700000000 * 1000000000)

static stack_id push(struct profile *p, stack_id parent, const char *name, bool inlined)
{
	struct frame frame = { .module = profile_module(p, "/bin/x", "abcd"),
			       .function = strtab_puts(p->strings, name),
			       .file = strtab_puts(p->strings, "x.c"),
			       .offset = 16,
			       .line = 7,
			       .inlined = inlined };

	return profile_stack_push(p, parent, profile_frame(p, &frame));
}

static struct profile *make(uint64_t second_weight)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME);
	struct profile_sample sample = { .event = profile_event(p, "cpu-clock", "ns"),
					 .thread = profile_thread(p, 5, 6, "comm"),
					 .cpu = PROFILE_NO_CPU,
					 .time_ns = 1000,
					 .weight = 100,
					 .count = 1 };

	sample.stack = push(p, push(p, STACK_EMPTY, "main", false), "inner", true);
	profile_add(p, &sample);
	sample.stack = push(p, sample.stack, "leaf", false);
	sample.weight = second_weight;
	sample.count = 2;
	sample.time_ns = 2000;
	profile_add(p, &sample);
	p->meta.first_ns = 1000;
	return p;
}

struct seen {
	struct buf folded;
	uint64_t samples, first_ns;
	uint32_t tid;
	size_t modules;
};

static int look_at(void *context, const struct profile *profile,
		   const struct otlp_attribute *attributes, size_t count, struct err *err)
{
	struct seen *seen = context;

	assert_int_equal(count, 1);
	assert_string_equal(attributes[0].name, "service.name");
	assert_string_equal(attributes[0].value, "a \"b");
	seen->samples = profile_sample_count(profile);
	seen->first_ns = profile->samples.item[0].time_ns;
	seen->tid = profile->threads.item[profile->samples.item[0].thread.v].tid;
	seen->modules = profile->modules.count;
	assert_string_equal(profile->modules.item[1].build_id, "abcd");
	return format_folded.write(profile, &(struct format_write_options){ 0 }, &seen->folded,
				   err);
}

static void read_back(uint64_t second_weight, struct seen *ret)
{
	const struct otlp_attribute service = { "service.name", "a \"b" };
	const struct otlp_write_options write = { &service, 1, (int64_t)UNIX_NS };
	const struct otlp_options read = { UNIX_NS, UNIX_NS, UNIX_NS + 5000, look_at, ret };
	struct profile *p = make(second_weight);
	struct buf message = { 0 };
	struct err err = { 0 };

	*ret = (struct seen){ 0 };
	otlp_write(p, &write, &message);
	assert_int_equal(otlp_read((const uint8_t *)message.data, message.len, &read, &err), 0);
	assert_true(ret->first_ns == UNIX_NS + 1000);
	assert_int_equal(ret->tid, 6);
	assert_int_equal(ret->modules, 2);
	buf_done(&message);
	profile_free(p);
}

static void test_otlp_write__is_read_back(void **state)
{
	struct seen seen;

	(void)state;
	read_back(200, &seen); /* one period: counts are kept */
	assert_string_equal(seen.folded.data,
			    "comm;main;inner_[i] 100\ncomm;main;inner_[i];leaf 200\n");
	assert_int_equal(seen.samples, 3);
	buf_done(&seen.folded);
	read_back(201, &seen); /* else weights are, and counts by the mean period */
	assert_int_equal(seen.samples, 3);
	assert_string_equal(seen.folded.data,
			    "comm;main;inner_[i] 100\ncomm;main;inner_[i];leaf 201\n");
	buf_done(&seen.folded);
}

static void test_otlp_answer__says_what_was_rejected(void **state)
{
	static const uint8_t part[] = { 0x0a, 8, 0x08, 3, 0x12, 4, 'f', 'u', 'l', 'l' };
	static const uint8_t damaged[] = { 0x0a, 80, 0x08, 3 };
	struct otlp_answer said;

	(void)state;
	otlp_answer_read(part, sizeof(part), &said);
	assert_int_equal(said.rejected, 3);
	assert_string_equal(said.message, "full");
	otlp_answer_read(damaged, sizeof(damaged), &said);
	assert_int_equal(said.rejected, 0);
	otlp_answer_read(part, 0, &said);
	assert_int_equal(said.rejected, 0);
	assert_string_equal(said.message, "");
}

static void test_profile_send__addresses(void **state)
{
	static const char *const targets[][2] = {
		{ "pyroscope:http://h:1", "http://h:1/push.v1.PusherService/Push" },
		{ "parca:https://h/", "https://h/api/profiles/writeraw" },
		{ "coroot:http://h//", "http://h/v1/profiles?service.name=a%20%26b&zone=x" },
		{ "otlp:http://h", "http://h/v1development/profiles" },
	};
	struct label_set labels = { 0 };
	struct send_options options = { .labels = &labels, .clock_ns = (int64_t)UNIX_NS };
	struct send_target target;
	struct err err = { 0 };

	(void)state;
	assert_true(label_set_put(&labels, "service", "a &b"));
	assert_true(label_set_put(&labels, "zone", "x"));
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct buf url = { 0 }, body = { 0 };
		struct send_request request = { .url = &url, .body = &body };
		struct profile *p = make(200);

		assert_int_equal(send_target_parse(targets[i][0], &target, &err), 0);
		assert_int_equal(send_target_keeps_time(&target), i == 3);
		assert_int_equal(profile_send_make(&target, p, &options, &request, &err), 0);
		assert_string_equal(url.data, targets[i][1]);
		assert_true(body.len > 50);
		buf_done(&url);
		buf_done(&body);
		profile_free(p);
	}
	assert_int_not_equal(send_target_parse("otlp:h:1", &target, &err), 0);
	assert_int_not_equal(send_target_parse("http://h", &target, &err), 0);
	label_set_done(&labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_otlp_write__is_read_back),
		cmocka_unit_test(test_otlp_answer__says_what_was_rejected),
		cmocka_unit_test(test_profile_send__addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
