/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gperftools' profiles: one of each kind. */
#include "format/folded/folded.h"
#include "format/format.h"
#include "text_profile.h"

/* Of 4 or 8 bytes each, in either order. */
static void put_words(struct buf *out, unsigned size, bool big_endian, const uint64_t *word,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned b = 0; b < size; b++)
			(void)buf_putc(out, (char)(word[i] >> 8 * (big_endian ? size - 1 - b : b)));
}

static void assert_bytes(const struct buf *bytes, const char *wanted)
{
	struct fold_options fold = { .addrs = true };
	struct profile *profile = profile_new(0);
	struct input *input = input_memory(bytes->data, bytes->len);
	struct buf folded = { 0 };
	struct err err = { 0 };

	assert_int_equal(format_gperftools.sniff((const uint8_t *)bytes->data, bytes->len), 3);
	assert_int_equal(format_read(&format_gperftools, input, NULL, profile, &err), 0);
	assert_int_equal(folded_write(profile, &fold, &folded, &err), 0);
	assert_string_equal(folded.data ? folded.data : "", wanted);
	buf_done(&folded);
	input_close(input);
	profile_free(profile);
}

static void test_gperftools__cpu(void **state)
{
	static const uint64_t words[] = { 0,	  3, 0, 10000,	0, 2, 2, 0x1010,
					  0x2010, 5, 1, 0x1020, 0, 1, 0 };

	(void)state;
	for (unsigned form = 0; form < 4; form++) {
		struct buf bytes = { 0 };

		put_words(&bytes, form & 1 ? 4 : 8, form & 2, words, 15);
		(void)buf_puts(&bytes, "1000-2000 r-xp 00000000 08:01 12 /bin/a\n"
				       "2000-3000 r-xp 00000100 08:01 13     /lib/b\n");
		assert_bytes(&bytes, "[a <1020>] 50000000\n[b <2010>];[a <1010>] 20000000\n");
		buf_done(&bytes);
	}
}

/* What /debug/pprof/NAME?debug=1 of a Go program gives: names behind each sample. */
static void test_gperftools__go_names(void **state)
{
	(void)state;
	assert_text("goroutine profile: total 3\n2 @ 0x10 0x20\n#\t0xf\tmain.wait+0x28\t\t/a "
		    "b/x.go:12\n"
		    "#\t0x1f\tmain.main+0x3\t/a b/x.go:20\n\n1 @ "
		    "0x30\n#\t0x2f\truntime.f+0x1\tr.go:1\n",
		    "gperftools", "goroutine", "main.main;main.wait 2\nruntime.f 1\n");
	assert_text("heap profile: 1: 64 [1: 64] @ heap/2\n1: 64 [1: 64] @ 0x10\n"
		    "#\t0xf\tmain.(*T).f+0x28\tx.go:12\n",
		    "gperftools", NULL, "main.(*T).f 64\n");
}

static void test_gperftools__java_text(void **state)
{
	(void)state;
	assert_text("--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
		    "sampling period = 1\n 7 2 @ 0x3 0x4\n 0x00000003 a.B.c (B.java:7)\n"
		    " 0x00000004 a.B.main (B.java:9)\n",
		    "gperftools", NULL, "a.B.main;a.B.c 7000\n");
	assert_text("--- heapz 1 ---\nformat = java\nresolution = bytes\n"
		    " 1048576000 1000 @ 0x3\n 0x00000003 a.B.c (B.java:7)\n",
		    "gperftools", NULL, "a.B.c 1212696643\n");
}

static void test_gperftools__java(void **state)
{
	static const uint64_t words[] = { 0, 3, 1, 1000, 0, 1, 2, 3, 4, 0, 1, 0 };
	struct buf bytes = { 0 };

	(void)state;
	put_words(&bytes, 4, false, words, 12);
	(void)buf_puts(&bytes, " 0x00000003 GC\n 0x0000004 a.B.c (B.java:7)\n");
	assert_bytes(&bytes, "a.B.c;GC 1000000\n");
	buf_done(&bytes);
}

/* Sampled allocations stand for more: 524288 of 524288 in one are 829411. */
static void test_gperftools__heap(void **state)
{
	(void)state;
	assert_text("heap profile: 1: 524288 [3: 1572864] @ heap/1048576\n"
		    "1: 524288 [3: 1572864] @ 0x10 0x20\n\n# a comment\n",
		    "gperftools", "inuse_space", "[unknown];[unknown] 829411\n");
	assert_text("heap profile: 1: 524288 [3: 1572864] @ heap/1048576\n"
		    "1: 524288 [3: 1572864] @ 0x10 0x20\n",
		    "gperftools", "alloc_space", "[unknown];[unknown] 2488234\n");
	assert_text("heap profile:   2:  30 [   2:  30] @ heapprofile\n"
		    "  1:  10 [  1:  10] @ 0x10\n  1:  20 [  1:  20] @ 0x1010\n\n"
		    "MAPPED_LIBRARIES:\n1000-2000: /bin/a\n",
		    "gperftools", "space", "[a] 20\n[unknown] 10\n");
}

static void test_gperftools__contention(void **state)
{
	(void)state;
	assert_text("--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
		    "  40 2 @ 0x10 0x20\n",
		    "gperftools", "delay", "[unknown];[unknown] 2000\n");
	assert_text("--- mutex:\ncycles/second=1000000000\n7 2 @ 0x10\n", "gperftools", "delay",
		    "[unknown] 7\n");
}

static void test_gperftools__threads(void **state)
{
	(void)state;
	assert_text("--- threadz 1 ---\n\n--- Thread 7f7 (name: main/1) stack: ---\n"
		    "  PC:  0x00bc8f1c: helper(arg *)\n  0x0040be31: main\n"
		    "--- Thread 7f8 (name: worker/2) stack: ---\n  [same as previous thread]\n"
		    "--- Memory map: ---\n  00400000-00fcb000: /bin/a\n",
		    "gperftools", "threads",
		    "main;main;helper(arg *) 1\nworker;main;helper(arg *) 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gperftools__cpu),
		cmocka_unit_test(test_gperftools__java),
		cmocka_unit_test(test_gperftools__go_names),
		cmocka_unit_test(test_gperftools__java_text),
		cmocka_unit_test(test_gperftools__heap),
		cmocka_unit_test(test_gperftools__contention),
		cmocka_unit_test(test_gperftools__threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
