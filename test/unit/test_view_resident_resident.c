/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text and JSON of what resident memory is made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "profile/profile.h"
#include "profile/resident.h"
#include "view/resident/resident_view.h"
#include "view/stack_line.h"

static void add(struct profile *p, const char *function, enum resident_kind kind, uint64_t bytes)
{
	const struct frame frame = { .function = strtab_puts(p->strings, function) };
	const struct profile_sample sample = {
		.event = profile_event(p, RESIDENT_EVENT, "bytes"),
		.stack = profile_stack_push(p, STACK_EMPTY, profile_frame(p, &frame)),
		.thread = profile_thread(p, 1, 1, "app"),
		.stop = STACK_STOP_ROOT,
		.weight = bytes,
		.count = 1,
		.addr = kind,
	};

	profile_add(p, &sample);
}

static struct profile *make(struct resident *ret)
{
	struct profile *p = profile_new(PROFILE_KEEP_ADDR);

	*ret = (struct resident){ .total = 8 << 20,
				  .counted = 4 << 20,
				  .swapped = 1 << 20,
				  .swapped_known = 1 << 19,
				  .faults = 12 };
	ret->bytes[RESIDENT_ANONYMOUS] = 6 << 20;
	ret->bytes[RESIDENT_FILE] = 2 << 20;
	vec_push(&ret->mapping,
		 ((struct resident_mapping){ RESIDENT_FILE, "/lib/\033x", 2 << 20 }));
	add(p, "parse\033", RESIDENT_ANONYMOUS, 5 << 20);
	add(p, "parse\033", RESIDENT_HUGE, 1 << 20);
	add(p, "[file] /lib/x", RESIDENT_FILE, 2 << 20);
	return p;
}

static void test_resident_text__tables(void **state)
{
	struct resident resident;
	struct profile *p = make(&resident);
	const struct resident_view view = {
		.profile = p, .resident = &resident, .pid = 7, .lost = 3
	};
	struct buf out = { 0 };

	(void)state;
	resident_text(&view, &out);
	assert_non_null(
		strstr(out.data, "resident         8.00 MiB 100.0 %  of process 7, 12 page"));
	assert_non_null(strstr(out.data, "6.00 MiB  75.0 %  anonymous"));
	assert_non_null(strstr(out.data, "0 B     0.0 %  unaccounted"));
	assert_non_null(strstr(out.data, "4.00 MiB, 50.00 % less"));
	assert_non_null(strstr(out.data, "1.00 MiB, 50.0 % with a known stack"));
	assert_non_null(strstr(out.data, "6.00 MiB  75.0 %  anonymous       parse?\n"));
	assert_non_null(strstr(out.data, "2.00 MiB  25.0 %  /lib/?x\n"));
	assert_non_null(strstr(out.data, "3 page faults were lost"));
	assert_null(strchr(out.data, '\033'));
	assert_null(strstr(out.data, "[file]")); /* not among the stacks */
	buf_done(&out);
	profile_free(p);
	resident_done(&resident);
}

static void test_resident_json__members(void **state)
{
	struct resident resident;
	struct profile *p = make(&resident);
	const struct resident_view view = { .profile = p, .resident = &resident, .pid = 7 };
	struct buf out = { 0 };
	struct err err = { 0 };
	struct json json;

	(void)state;
	resident_json(&view, &out);
	assert_int_equal(json_parse(out.data, out.len, &json, &err), 0);
	assert_int_equal(json_u64(&json, json_get(&json, JSON_ROOT, "resident"), 0), 8 << 20);
	assert_non_null(strstr(out.data, "\"copy_on_write\": 0"));
	assert_non_null(strstr(out.data, "\"kind\": \"file\", \"path\": \"/lib/\\u001bx\""));
	json_done(&json);
	buf_done(&out);
	profile_free(p);
	resident_done(&resident);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resident_text__tables),
		cmocka_unit_test(test_resident_json__members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
