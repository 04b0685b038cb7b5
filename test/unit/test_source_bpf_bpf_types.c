/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/bpf_types: the few types of the kernel that a program names are as the kernel has
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include "bpf/probe.skel.h"
#include "source/bpf/bpf_types.h"

static const struct btf_type *find(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	assert_true(id > 0);
	return btf__type_by_id(btf, (uint32_t)id);
}

/* Every member of the kernel's is there, at its place. */
static void assert_same(const struct btf *kernel, const struct btf *copy, const char *name)
{
	const struct btf_type *want = find(kernel, name), *have = find(copy, name);

	assert_int_equal(want->size, have->size);
	assert_int_equal(btf_vlen(want), btf_vlen(have));
	for (uint32_t i = 0; i < btf_vlen(want); i++) {
		assert_string_equal(btf__name_by_offset(kernel, btf_members(want)[i].name_off),
				    btf__name_by_offset(copy, btf_members(have)[i].name_off));
		assert_int_equal(btf_member_bit_offset(want, i), btf_member_bit_offset(have, i));
		assert_int_equal(btf_member_bitfield_size(want, i),
				 btf_member_bitfield_size(have, i));
	}
}

/* Once made from the kernel's, once kept from then. */
static void test_bpf_types__are_the_kernels(void **state)
{
	struct probe_bpf *program = probe_bpf__open();
	char home[] = "/tmp/bpf_types_XXXXXX", path[64];
	struct btf *kernel, *copy;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		probe_bpf__destroy(program);
		skip();
	}
	assert_non_null(program);
	assert_non_null(mkdtemp(home));
	assert_int_equal(0, setenv("XDG_CACHE_HOME", home, 1));
	kernel = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	assert_non_null(kernel);
	for (int i = 0; i < 2; i++) {
		struct bpf_types types;

		assert_true(bpf_types_open(&types));
		assert_true(bpf_types_fill(&types, program->obj));
		copy = btf__parse(types.path, NULL);
		assert_non_null(copy);
		assert_true(btf__type_cnt(copy) < btf__type_cnt(kernel) / 10);
		assert_same(kernel, copy, "task_struct");
		assert_same(kernel, copy, "sched_entity"); /* held by it */
		btf__free(copy);
		bpf_types_close(&types);
		assert_int_equal(types.fd, -1);
	}
	btf__free(kernel);
	probe_bpf__destroy(program);
	for (const char *const *name = (const char *const[]){ "/cupel/bpf/probe_bpf.types",
							      "/cupel/bpf", "/cupel", "", NULL };
	     *name; name++) {
		(void)snprintf(path, sizeof(path), "%s%s", home, *name);
		(void)remove(path); /* no file: nothing is kept where the kernel is not named */
	}
	assert_int_not_equal(0, access(home, F_OK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpf_types__are_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
