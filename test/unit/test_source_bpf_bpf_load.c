/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/bpf/bpf_load: a refusal is explained, remembered, and not tried again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <cmocka.h>

#include "base/err.h"
#include "bpf/probe.skel.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"

static void test_bpf_refusal_reason__is_the_last_line_that_is_no_statistics(void **state)
{
	char reason[64];

	(void)state;
	bpf_refusal_reason("arg#0 reference type\nR0 !read_ok\nverification time 17 usec\n"
			   "stack depth 0\nprocessed 1 insns (limit 1000000)\n",
			   reason, sizeof(reason));
	assert_string_equal(reason, "R0 !read_ok");
	bpf_refusal_reason("verification time 17 usec\nprocessed 1 insns\n", reason,
			   sizeof(reason));
	assert_string_equal(reason, "");
}

/* The probe, whole or with code that no verifier takes. */
static int load_probe(bool broken, struct err *err)
{
	/* r0 = r9, which was never set */
	const struct bpf_insn bad = { .code = BPF_ALU64 | BPF_MOV | BPF_X, .src_reg = 9 };
	struct probe_bpf *probe = probe_bpf__open();
	int code;

	assert_non_null(probe);
	if (broken)
		*(struct bpf_insn *)bpf_program__insns(probe->progs.probe) = bad;
	code = bpf_load(probe->skeleton, "loading", err);
	probe_bpf__destroy(probe);
	return code;
}

static void keep_refusal(const char *text)
{
	struct probe_bpf *probe = probe_bpf__open();

	assert_non_null(probe);
	bpf_refusal_keep(probe->skeleton, text);
	probe_bpf__destroy(probe);
}

static void test_bpf_refusal_lasts__when_it_took_long(void **state)
{
	(void)state;
	assert_true(
		bpf_refusal_lasts("BPF program is too large\nverification time 9000000 usec\n"));
	assert_false(bpf_refusal_lasts("missing btf func_info\nverification time 17 usec\n"));
	assert_false(bpf_refusal_lasts("R0 !read_ok\n"));
}

static void test_bpf_load__remembers_what_was_refused(void **state)
{
	char folder[] = "/tmp/test_bpf_load.XXXXXX", command[64];
	struct err err = { 0 }, again = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
	bpf_be_quiet();
	if (load_probe(false, &err))
		skip(); /* no BPF for this user */
	assert_int_not_equal(load_probe(true, &err), 0);
	assert_non_null(strstr(err.msg, "verifier rejects probe: R9 !read_ok"));
	assert_int_equal(load_probe(false, &again),
			 0); /* that was not long ago, and took no time */
	keep_refusal("probe: R9 !read_ok");
	assert_int_not_equal(load_probe(false, &again), 0); /* it would be taken */
	assert_non_null(strstr(again.msg, "verifier rejects probe: R9 !read_ok"));
	assert_non_null(strstr(again.hint, "not tried again"));
	(void)snprintf(command, sizeof(command), "rm -r %s/cupel", folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(load_probe(false, &err), 0);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bpf_refusal_reason__is_the_last_line_that_is_no_statistics),
		cmocka_unit_test(test_bpf_refusal_lasts__when_it_took_long),
		cmocka_unit_test(test_bpf_load__remembers_what_was_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
