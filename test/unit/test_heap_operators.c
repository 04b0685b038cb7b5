/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++'s operators in a program without C++; test/live/heap_operators.sh has those with it. The
 * functions are those of the preloaded library, which no other program of ours has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "heap/operators.c"
#include "heap/operators.h"

/* What heap/preload.c has: malloc() itself takes blocks. */
void *heap_taken(void *block, size_t size)
{
	(void)block;
	fail_msg("a block of %zu bytes is taken twice", size);
	return NULL;
}

void heap_given_back(void *block)
{
	fail_msg("%p is given back twice", block);
}

int64_t heap_countdown(void)
{
	return 0;
}

static void test_operators__without_cpp(void **state)
{
	void *block = _Znwm(100, 0, 0), *empty = _Znam(0, 0, 0), *aligned;

	(void)state;
	assert_non_null(block);
	assert_non_null(empty); /* never NULL in C++ */
	_ZdlPvm(block, 100, 0);
	_ZdaPv(empty, 0, 0);
	for (size_t alignment = 32; alignment <= 4096; alignment *= 2) {
		aligned = _ZnwmSt11align_val_t(10, alignment, 0);
		assert_non_null(aligned);
		assert_int_equal((uintptr_t)aligned % alignment, 0);
		_ZdlPvSt11align_val_t(aligned, alignment, 0);
	}
	assert_null(_ZnwmRKSt9nothrow_t(SIZE_MAX / 4, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_operators__without_cpp) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
