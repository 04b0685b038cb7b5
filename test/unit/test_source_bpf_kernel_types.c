/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/kernel_types: reads what libbpf reads, and nothing that is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>

#include "source/bpf/kernel_types.h"

static void test_kernel_types__are_those_of_libbpf(void **state)
{
	struct kernel_types types;
	struct btf *btf;
	const void *data;
	uint32_t len;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	assert_non_null(btf);
	data = btf__raw_data(btf, &len);
	assert_true(kernel_types_read(&types, data, len));
	assert_int_equal(btf__type_cnt(btf), types.count);
	for (uint32_t id = 1; id < types.count; id++) {
		const struct btf_type *want = btf__type_by_id(btf, id);
		const struct btf_type *have = kernel_types_get(&types, id);

		assert_memory_equal(want, have, sizeof(*want));
		assert_string_equal(btf__name_by_offset(btf, want->name_off),
				    kernel_types_name(&types, have->name_off));
	}
	kernel_types_done(&types);
	btf__free(btf);
}

static void test_kernel_types__damaged(void **state)
{
	struct btf *btf = btf__new_empty();
	struct kernel_types types;
	const void *data;
	uint32_t len;

	(void)state;
	assert_int_equal(1, btf__add_int(btf, "int", 4, BTF_INT_SIGNED));
	assert_int_equal(2, btf__add_struct(btf, "pair", 8));
	assert_int_equal(0, btf__add_field(btf, "a", 1, 0, 0));
	assert_int_equal(0, btf__add_field(btf, "b", 1, 32, 0));
	data = btf__raw_data(btf, &len);
	for (uint32_t cut = 0; cut <= len; cut++) {
		void *piece = malloc(cut + 1);

		assert_non_null(piece);
		memcpy(piece, data, cut);
		assert_int_equal(cut == len, kernel_types_read(&types, piece, cut));
		if (cut == len) {
			assert_int_equal(3, types.count);
			assert_null(kernel_types_get(&types, 0));
			assert_null(kernel_types_get(&types, 3));
			assert_string_equal("", kernel_types_name(&types, 1000));
			kernel_types_done(&types);
		}
		free(piece);
	}
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_types__are_those_of_libbpf),
		cmocka_unit_test(test_kernel_types__damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
