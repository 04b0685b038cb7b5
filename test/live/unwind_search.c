/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's search in unwind tables: for every 5th byte of a binary's pages, a BPF program finds
 * the table's rule in the pool. While another thread moves the table, the program may find no rule,
 * but never a wrong one. */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "proc/elf_file.h"
#include "source/bpf/unwind_pool.h"
#include "unwind/compact/compact.h"
#include "unwind/table.h"
#include "unwind_search.h"
#include "unwind_search.skel.h"

#define SELF	4242u /* any process id */
#define BASE	0x7f0000000000u
#define STEP	5u
#define RELOADS 60u

struct test {
	struct unwind_search_bpf *program;
	struct unwind_pool *pool;
	struct compact *table;
	struct unwind_question *questions;
	uint32_t binary;
	unsigned long asked, wrong, missing;
	atomic_bool done;
};

static int load_file(struct test *test, const char *path, struct err *err)
{
	struct unwind_table *table;
	struct elf_file *elf;

	if (elf_file_open(path, &elf, err))
		return err->code;
	table = unwind_table_of_elf(elf);
	test->table = compact_build(table);
	unwind_table_close(table);
	elf_file_close(elf);
	return 0;
}

static int publish(struct test *test, struct err *err)
{
	struct unwind_range ranges[2] = {
		{ .start = 0x1000, .end = 0x2000, .kind = UNWIND_RANGE_JIT },
		{ .start = BASE,
		  .end = BASE + (uint64_t)test->table->page_count * UNWIND_PAGE_BYTES,
		  .to_offset = test->table->first - BASE },
	};
	const struct unwind_pool_maps maps = {
		.shards = bpf_map__fd(test->program->maps.unwind_shards),
		.binaries = bpf_map__fd(test->program->maps.unwind_binaries),
		.spaces = bpf_map__fd(test->program->maps.unwind_spaces),
		.processes = bpf_map__fd(test->program->maps.unwind_processes),
	};
	const struct unwind_pool_space given = { ranges, 2, 0, 0 };
	uint32_t space;

	if (unwind_pool_open(&maps, 64u << 20, &test->pool, err))
		return err->code;
	if (unwind_pool_add_binary(test->pool, &test->binary) ||
	    unwind_pool_load(test->pool, test->binary, test->table))
		return err_set(err, -ENOSPC, "the table finds no place");
	ranges[1].binary = test->binary;
	if (unwind_pool_add_space(test->pool, &given, &space) ||
	    unwind_pool_set_process(test->pool, SELF, space))
		return err_set(err, -ENOSPC, "the process finds no place");
	return 0;
}

static int run(struct test *test, struct err *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);

	if (bpf_prog_test_run_opts(bpf_program__fd(test->program->progs.unwind_search), &options))
		return err_errno(err, "running the program");
	return 0;
}

static void check(struct test *test, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct unwind_question *question = &test->questions[i];
		uint64_t offset = question->pc - BASE + test->table->first;
		struct unwind_rule want = compact_rule(test->table, offset, question->returns);

		test->asked++;
		if (question->answer == UNWIND_ANSWER_NO_TABLE)
			test->missing++;
		else if (question->answer != UNWIND_ANSWER_RULE ||
			 memcmp(&want, &question->rule, sizeof(want)))
			test->wrong++;
	}
}

/* Every STEP-th byte, alternately as an interrupted instruction and as a return address. */
static int ask_all(struct test *test, struct err *err)
{
	uint64_t end = BASE + (uint64_t)test->table->page_count * UNWIND_PAGE_BYTES, pc = BASE;

	while (pc < end) {
		uint32_t count = 0;

		for (; pc < end && count < UNWIND_QUESTIONS; pc += STEP, count++)
			test->questions[count] = (struct unwind_question){ .pc = pc,
									   .tgid = SELF,
									   .returns = count & 1 };
		if (run(test, err))
			return err->code;
		check(test, count);
	}
	return 0;
}

static void *keep_moving(void *context)
{
	struct test *test = context;

	for (unsigned i = 0; i < RELOADS; i++)
		if (unwind_pool_load(test->pool, test->binary, test->table))
			break;
	atomic_store(&test->done, true);
	return NULL;
}

static uint32_t answer_to(struct test *test, uint32_t tgid, uint64_t pc, struct err *err)
{
	test->questions[0] = (struct unwind_question){ .pc = pc, .tgid = tgid };
	return run(test, err) ? 0 : test->questions[0].answer;
}

static int check_edges(struct test *test, struct err *err)
{
	if (answer_to(test, SELF + 1, BASE, err) != UNWIND_ANSWER_NO_SPACE ||
	    answer_to(test, SELF, BASE - 1, err) != UNWIND_ANSWER_NO_RANGE ||
	    answer_to(test, SELF, 0x1800, err) != UNWIND_ANSWER_RULE ||
	    test->questions[0].rule.cfa != UNWIND_FP)
		return err_set(err, -EINVAL, "the edges are not where they should be");
	unwind_pool_drop_process(test->pool, SELF);
	if (answer_to(test, SELF, BASE, err) != UNWIND_ANSWER_NO_SPACE)
		return err_set(err, -EINVAL, "the process is still there");
	return 0;
}

static int test_all(struct test *test, const char *path, struct err *err)
{
	pthread_t mover;

	if (load_file(test, path, err) || publish(test, err) || ask_all(test, err))
		return err->code;
	printf("%s: %lu asked, %lu wrong, %lu missing", path, test->asked, test->wrong,
	       test->missing);
	if (test->wrong || test->missing)
		return err_set(err, -EINVAL, "%s: not all was found", path);
	if (pthread_create(&mover, NULL, keep_moving, test))
		return err_errno(err, "thread");
	while (!atomic_load(&test->done) && !ask_all(test, err))
		;
	(void)pthread_join(mover, NULL); /* it is ours */
	printf("; while it moved %lu times: %lu asked, %lu wrong, %lu missing\n",
	       (unsigned long)RELOADS, test->asked, test->wrong, test->missing);
	if (test->wrong)
		return err_set(err, -EINVAL, "%s: wrong rules while tables move", path);
	return err->code ? err->code : check_edges(test, err);
}

int main(int argc, char **argv)
{
	struct test test = { 0 };
	struct err err = { 0 };
	int code = 1;

	test.program = unwind_search_bpf__open_and_load();
	if (!test.program) {
		printf("the kernel does not load the program: %s\n", strerror(errno));
		return 77;
	}
	test.questions = mmap(NULL, UNWIND_QUESTIONS * sizeof(*test.questions),
			      PROT_READ | PROT_WRITE, MAP_SHARED,
			      bpf_map__fd(test.program->maps.questions), 0);
	if (test.questions != MAP_FAILED && argc == 2)
		code = test_all(&test, argv[1], &err) ? 1 : 0;
	if (code)
		printf("%s\n", err.msg);
	compact_free(test.table);
	unwind_pool_close(test.pool);
	unwind_search_bpf__destroy(test.program);
	return code;
}
