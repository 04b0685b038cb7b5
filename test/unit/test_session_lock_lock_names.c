/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks in variables of this program have their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/sink.h"
#include "proc/scan.h"
#include "profile/lock/lock_table.h"
#include "profile/profile.h"
#include "session/capture.h"
#include "session/lock/lock_names.h"

char variable_with_a_lock[64];
static char static_variable[256]; /* not initialised: it is in no file */

struct apply {
	struct sink sink;
	struct capture *capture;
};

static int apply(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	proc_table_apply(((struct apply *)sink)->capture->procs, event);
	return 0;
}

static void test_lock_names__variables(void **state)
{
	uint64_t address[] = { (uintptr_t)variable_with_a_lock + 8, (uintptr_t)static_variable,
			       (uintptr_t)&address, 16 };
	const uint32_t pid = (uint32_t)getpid();
	struct profile *p = profile_new(0);
	struct lock_table table = { 0 };
	struct capture capture = { 0 };
	struct apply to = { { .event = apply }, &capture };
	struct err err = { 0 };

	(void)state;
	capture_open(&capture);
	assert_int_equal(scan_process((pid_t)pid, &(struct scan_options){ 0 }, &to.sink, &err), 0);
	for (size_t i = 0; i < 4; i++) {
		vec_push(&p->objects,
			 ((struct profile_object){ .address = address[i], .pid = pid }));
		vec_push(&table.row,
			 ((struct lock_row){
				 .address = address[i], .pid = pid, .kind = LOCK_KIND_MUTEX }));
	}
	vec_push(&table.row, ((struct lock_row){ .address = 1, .kind = LOCK_KIND_KERNEL }));
	lock_names_keep(p, &capture, "");
	lock_names_find(&table, p);
	assert_string_equal(profile_string(p, table.row.item[0].name), "variable_with_a_lock+0x8");
	assert_string_equal(profile_string(p, table.row.item[1].name), "static_variable");
	assert_string_equal(profile_string(p, table.row.item[2].name), "");
	assert_string_equal(profile_string(p, table.row.item[3].name), "");
	assert_string_equal(profile_string(p, table.row.item[4].name), "");
	lock_table_done(&table);
	capture_close(&capture);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lock_names__variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
