/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers of threads that were stopped in a system call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/syscall.h>

#include "session/heap/remote_arch.h"

static struct user_regs_struct in_call(long number, int64_t result)
{
	return (struct user_regs_struct){
		.orig_rax = (uint64_t)number, .rax = (uint64_t)result, .rip = 0x1002, .cs = 0x33
	};
}

static void test_arch__interrupted_calls_are_made_again(void **state)
{
	static const int64_t again[] = { -512, -513, -514 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct user_regs_struct regs = in_call(SYS_read, again[i]);

		remote_arch_restart(&regs);
		assert_int_equal(regs.rip, 0x1000);
		assert_int_equal(regs.rax, SYS_read);
		assert_int_equal(regs.orig_rax, ~0ull);
	}
	struct user_regs_struct sleep = in_call(SYS_nanosleep, -516);

	remote_arch_restart(&sleep);
	assert_int_equal(sleep.rip, 0x1000);
	assert_int_equal(sleep.rax, SYS_restart_syscall);
}

static void test_arch__others_go_on(void **state)
{
	struct user_regs_struct done = in_call(SYS_read, 5), failed = in_call(SYS_read, -4);
	struct user_regs_struct none = in_call(-1, -512);

	(void)state;
	remote_arch_restart(&done);
	remote_arch_restart(&failed);
	remote_arch_restart(&none);
	assert_int_equal(done.rip, 0x1002);
	assert_int_equal(done.rax, 5);
	assert_int_equal(failed.rip, 0x1002);
	assert_int_equal(none.rip, 0x1002);
	assert_true(remote_arch_fits(&done));
	done.cs = 0x23;
	assert_false(remote_arch_fits(&done));
}

static void test_arch__calls(void **state)
{
	const uint64_t args[6] = { 1, 2, 3, 4, 5, 6 };
	struct user_regs_struct regs = in_call(SYS_read, 0);

	(void)state;
	remote_arch_call(&regs, 0x2000, SYS_mmap, args);
	assert_int_equal(regs.rip, 0x2000);
	assert_int_equal(regs.rax, SYS_mmap);
	assert_int_equal(regs.r10, 4);
	assert_int_equal(regs.r9, 6);
	remote_arch_jump(&regs, 0x3000, 0x4000, args);
	assert_int_equal(*remote_arch_pc(&regs), 0x3000);
	assert_int_equal(regs.rsp, 0x4000);
	assert_int_equal(regs.rcx, 4);
	assert_int_equal(remote_arch_argument(&regs), 1);
	regs.rax = (uint64_t)-22;
	assert_int_equal(remote_arch_result(&regs), -22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arch__interrupted_calls_are_made_again),
		cmocka_unit_test(test_arch__others_go_on),
		cmocka_unit_test(test_arch__calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
