/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc/proc: processes, threads and mappings from the record stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "proc/proc.h"

static void apply_mmap(struct proc_table *t, uint32_t pid, uint64_t start, uint64_t len,
		       uint64_t pgoff, const char *path)
{
	struct event e = { .type = EVENT_MMAP,
			   .misc = PERF_RECORD_MISC_USER,
			   .pid = pid,
			   .tid = pid,
			   .mmap = { .start = start,
				     .len = len,
				     .pgoff = pgoff,
				     .prot = PROT_EXEC,
				     .path = path } };

	proc_table_apply(t, &e);
}

static void apply_fork(struct proc_table *t, uint32_t pid, uint32_t ppid)
{
	struct event e = {
		.type = EVENT_FORK, .pid = pid, .tid = pid, .task = { .ppid = ppid, .ptid = ppid }
	};

	proc_table_apply(t, &e);
}

static void apply_comm(struct proc_table *t, uint32_t pid, const char *name, bool exec)
{
	struct event e = {
		.type = EVENT_COMM, .pid = pid, .tid = pid, .comm = { .name = name, .exec = exec }
	};

	proc_table_apply(t, &e);
}

static const struct mapping *find(struct proc_table *t, uint32_t pid, uint64_t pc)
{
	return address_space_find(proc_table_thread(t, pid, pid)->process->space, pc);
}

static void test_proc__overlapping_mappings_split_the_older(void **state)
{
	struct module_table *m = module_table_new();
	struct proc_table *t = proc_table_new(m);

	(void)state;
	apply_mmap(t, 1, 0x1000, 0x9000, 0, "/bin/a");
	apply_mmap(t, 1, 0x3000, 0x1000, 0x500, "/lib/b.so");
	assert_string_equal("/bin/a", find(t, 1, 0x2fff)->module->path);
	assert_string_equal("b.so", find(t, 1, 0x3000)->module->name);
	assert_int_equal(0x3000, find(t, 1, 0x4000)->pgoff);
	assert_int_equal(0x4000, find(t, 1, 0x9fff)->start);
	assert_null(find(t, 1, 0xa000));
	assert_null(find(t, 1, 0xfff));
	proc_table_free(t);
	module_table_free(m);
}

static void test_proc__forked_child_shares_until_it_changes(void **state)
{
	struct module_table *m = module_table_new();
	struct proc_table *t = proc_table_new(m);

	(void)state;
	apply_comm(t, 1, "parent", false);
	apply_mmap(t, 1, 0x1000, 0x1000, 0, "/bin/a");
	apply_fork(t, 2, 1);
	assert_string_equal("parent", proc_table_thread(t, 2, 2)->comm);
	assert_string_equal("/bin/a", find(t, 2, 0x1000)->module->path);
	apply_comm(t, 2, "child", true);
	assert_null(find(t, 2, 0x1000));
	apply_mmap(t, 2, 0x1000, 0x1000, 0, "/bin/b");
	assert_string_equal("/bin/a", find(t, 1, 0x1000)->module->path);
	assert_string_equal("/bin/b", find(t, 2, 0x1000)->module->path);
	proc_table_free(t);
	module_table_free(m);
}

static void test_proc__reused_pid_is_a_new_process(void **state)
{
	struct module_table *m = module_table_new();
	struct proc_table *t = proc_table_new(m);
	struct event gone = { .type = EVENT_EXIT, .pid = 7, .tid = 7 };
	uint32_t first;

	(void)state;
	apply_comm(t, 7, "old", true);
	apply_mmap(t, 7, 0x1000, 0x1000, 0, "/bin/old");
	first = proc_table_thread(t, 7, 7)->index;
	proc_table_apply(t, &gone);
	apply_fork(t, 7, 1);
	assert_int_not_equal(first, proc_table_thread(t, 7, 7)->index);
	assert_null(find(t, 7, 0x1000));
	proc_table_free(t);
	module_table_free(m);
}

static void test_proc__text_remapped_to_huge_pages_keeps_its_file(void **state)
{
	struct module_table *m = module_table_new();
	struct proc_table *t = proc_table_new(m);

	(void)state;
	apply_mmap(t, 1, 0x400000, 0x600000, 0x1000, "/bin/node");
	apply_mmap(t, 1, 0x600000, 0x200000, 0, "//anon");
	assert_string_equal("/bin/node", find(t, 1, 0x600000)->module->path);
	apply_mmap(t, 1, 0x10000000, 0x1000, 0, "//anon");
	assert_int_equal(MODULE_JIT, find(t, 1, 0x10000000)->module->kind);
	assert_int_equal(0x10000000, find(t, 1, 0x10000000)->pgoff);
	proc_table_free(t);
	module_table_free(m);
}

static void test_proc__same_file_in_many_processes_is_one_module(void **state)
{
	struct module_table *m = module_table_new();
	struct proc_table *t = proc_table_new(m);

	(void)state;
	apply_mmap(t, 1, 0x1000, 0x1000, 0, "/lib/libc.so.6");
	apply_mmap(t, 2, 0x5000, 0x1000, 0, "/lib/libc.so.6");
	assert_ptr_equal(find(t, 1, 0x1000)->module, find(t, 2, 0x5000)->module);
	apply_mmap(t, 1, 0x8000, 0x1000, 0, "//anon");
	apply_mmap(t, 2, 0x8000, 0x1000, 0, "//anon");
	assert_ptr_not_equal(find(t, 1, 0x8000)->module, find(t, 2, 0x8000)->module);
	proc_table_free(t);
	module_table_free(m);
}

static void test_proc__unknown_kernel_addresses_belong_to_the_kernel(void **state)
{
	struct module_table *m = module_table_new();
	struct proc_table *t = proc_table_new(m);
	struct event bpf = {
		.type = EVENT_KSYMBOL,
		.ksymbol = { .addr = 0xffffffffc0000000, .len = 0x100, .name = "bpf_prog_x" }
	};

	(void)state;
	assert_int_equal(MODULE_KERNEL, proc_table_kernel(t, 0xffffffff81000000)->module->kind);
	proc_table_apply(t, &bpf);
	assert_string_equal("bpf_prog_x", proc_table_kernel(t, 0xffffffffc0000010)->module->path);
	bpf.ksymbol.flags = PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	proc_table_apply(t, &bpf);
	assert_int_equal(MODULE_KERNEL, proc_table_kernel(t, 0xffffffffc0000010)->module->kind);
	proc_table_free(t);
	module_table_free(m);
}

static void apply_exit(struct proc_table *t, uint32_t pid)
{
	struct event e = { .type = EVENT_EXIT, .pid = pid, .tid = pid };

	proc_table_apply(t, &e);
}

/* Process pid executes a program and ends. */
static void live_and_die(struct proc_table *t, uint32_t pid)
{
	apply_fork(t, pid, 1);
	apply_comm(t, pid, "child", true);
	apply_mmap(t, pid, 0x4000, 0x1000, 0, "/bin/child");
	apply_exit(t, pid);
}

static void test_proc__what_ended_long_ago_is_forgotten_where_asked_for(void **state)
{
	for (int forgets = 0; forgets < 2; forgets++) {
		struct module_table *m = module_table_new();
		struct proc_table *t = proc_table_new(m);
		const struct thread *thread;

		(void)state;
		if (forgets)
			proc_table_forget_ended(t);
		apply_mmap(t, 1, 0x1000, 0x1000, 0, "/bin/parent");
		live_and_die(t, 2);
		live_and_die(t, 3);
		for (uint32_t pid = 10; pid < 20000; pid++)
			live_and_die(t, pid);
		live_and_die(t, 3); /* its number comes back */
		assert_string_equal(proc_table_thread(t, 19999, 19999)->comm, "child");
		assert_non_null(find(t, 19999, 0x4000));
		assert_string_equal(proc_table_thread(t, 3, 3)->comm, "child");
		assert_non_null(find(t, 3, 0x4000));
		assert_null(find(t, 3, 0x1000));
		assert_non_null(find(t, 1, 0x1000));
		thread = proc_table_thread(t, 2, 2);
		assert_string_equal(thread->comm, forgets ? ":2" : "child");
		assert_true((find(t, 2, 0x4000) == NULL) == (forgets == 1));
		proc_table_free(t);
		module_table_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proc__what_ended_long_ago_is_forgotten_where_asked_for),
		cmocka_unit_test(test_proc__overlapping_mappings_split_the_older),
		cmocka_unit_test(test_proc__forked_child_shares_until_it_changes),
		cmocka_unit_test(test_proc__reused_pid_is_a_new_process),
		cmocka_unit_test(test_proc__text_remapped_to_huge_pages_keeps_its_file),
		cmocka_unit_test(test_proc__same_file_in_many_processes_is_one_module),
		cmocka_unit_test(test_proc__unknown_kernel_addresses_belong_to_the_kernel),
	};

	return cmocka_run_group_tests_name("proc/proc", tests, NULL, NULL);
}
