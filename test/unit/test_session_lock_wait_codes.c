/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of HotSpot by name, and the child that looks at code: of this process, which has no
 * such library. */
#include "session/lock/wait_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/ledger_account.h"
#include "unwind/rule.h"

static void test_wait_codes__names(void **state)
{
	static const struct {
		const char *function;
		enum wait_verdict verdict;
	} known[] = {
		{ "ObjectMonitor::EnterI(JavaThread*)", WAIT_CODE_LOCK },
		{ "ObjectMonitor::enter_internal(JavaThread*)", WAIT_CODE_LOCK },
		{ "ObjectMonitor::ReenterI(JavaThread*, ObjectWaiter*)", WAIT_CODE_LOCK },
		{ "ObjectMonitor::wait(long, bool, JavaThread*)", WAIT_CODE_OTHER },
		{ "Parker::park(bool, long)", WAIT_CODE_OTHER },
		{ "Monitor::wait_without_safepoint_check(long)", WAIT_CODE_OTHER },
		{ "os::PlatformEvent::park()", WAIT_CODE_CALLER },
		{ "pthread_cond_wait", WAIT_CODE_CALLER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(wait_code_verdict(known[i].function), known[i].verdict);
}

static void test_wait_codes__own_process(void **state)
{
	struct ledger_code question = { .tgid = (uint32_t)getpid() };
	struct wait_codes *codes;
	struct wait_code code;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(wait_codes_start(&codes, &err), 0);
	wait_codes_find(codes, &question, &code);
	assert_int_equal(code.verdict, WAIT_CODE_OTHER);
	question.pc = (uint64_t)(uintptr_t)__builtin_return_address(0);
	wait_codes_find(codes, &question, &code);
	assert_int_equal(code.verdict, WAIT_CODE_CALLER);
	assert_int_not_equal(code.rule.cfa, UNWIND_NONE);
	question.pc = 16; /* mapped nowhere */
	wait_codes_find(codes, &question, &code);
	assert_int_equal(code.verdict, WAIT_CODE_OTHER);
	wait_codes_free(codes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_codes__names),
		cmocka_unit_test(test_wait_codes__own_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
