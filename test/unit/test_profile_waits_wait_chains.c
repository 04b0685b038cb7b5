/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile/wait_chains: a wait is divided among what its waker did meanwhile, level by level, and no
 * nanosecond is lost or counted twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/waits/wait_chains.h"

#define SUM PROFILE_NO_CPU

struct scene {
	struct profile *profile;
	thread_id alfa, bravo, charlie, swapper;
};

static stack_id stack(struct profile *p, const char *frames)
{
	stack_id ret = STACK_EMPTY;

	for (; *frames; frames++) {
		struct frame frame = { .function = strtab_intern(p->strings, frames, 1) };

		ret = profile_stack_push(p, ret, profile_frame(p, &frame));
	}
	return ret;
}

static void add(struct profile *p, const char *event, thread_id thread,
		const struct profile_sample *sample)
{
	struct profile_sample copy = *sample;

	copy.thread = thread;
	copy.event = profile_event(p, event, "ns");
	copy.count = 1;
	profile_add(p, &copy);
}

/* The thread waited in `frames` until to_ns, when the waker stood in `by`. */
static void wait_for(struct profile *p, thread_id thread, const char *frames, uint64_t from_ns,
		     uint64_t to_ns, uint32_t cpu, thread_id waker, const char *by)
{
	struct profile_sample sample = { .time_ns = to_ns, .weight = to_ns - from_ns, .cpu = cpu };

	if (by) {
		sample.stack = stack(p, by);
		add(p, "wakeup-time", waker, &sample);
	}
	sample.stack = stack(p, frames);
	add(p, "offcpu-time", thread, &sample);
}

static struct scene scene_new(void)
{
	struct profile *p = profile_new(PROFILE_KEEP_TIME | PROFILE_KEEP_CPU);

	return (struct scene){ p, profile_thread(p, 1, 11, "alfa"),
			       profile_thread(p, 1, 12, "bravo"),
			       profile_thread(p, 1, 13, "charlie"),
			       profile_thread(p, 0, 0, "swapper") };
}

static void check(struct scene *s, const struct wait_chains_options *options, size_t wakeups,
		  const char *expected)
{
	struct fold_options fold = { .event = WAIT_CHAINS_EVENT, .names = FOLD_NAMES_WHOLE };
	struct buf folded = { 0 };
	struct err err = { 0 };

	assert_int_equal(wait_chains_add(s->profile, options), wakeups);
	assert_int_equal(folded_write(s->profile, &fold, &folded, &err), 0);
	assert_string_equal(folded.data ? folded.data : "", expected);
	assert_int_equal(
		s->profile->events.item[profile_event(s->profile, WAIT_CHAINS_EVENT, "ns")].weight,
		s->profile->events.item[profile_event(s->profile, "offcpu-time", "ns")].weight);
	buf_done(&folded);
	profile_free(s->profile);
}

static void test_levels(void **state)
{
	struct wait_chains_options options = { 0 };
	struct scene s = scene_new();
	struct profile *p = s.profile;

	(void)state;
	/* alfa waits for bravo, which waited for charlie first, which slept before it computed */
	wait_for(p, s.charlie, "cs", 1000, 1300, 0, s.swapper, "T");
	wait_for(p, s.bravo, "br", 900, 1600, 1, s.charlie, "cw");
	wait_for(p, s.alfa, "ar", 1100, 2000, 0, s.bravo, "bw");
	check(&s, &options, 3,
	      "alfa;a;r;woken by bravo;w;b 400\n"
	      "alfa;a;r;woken by bravo;w;b;meanwhile waited: bravo;b;r;woken by charlie;w;c 300\n"
	      "alfa;a;r;woken by bravo;w;b;meanwhile waited: bravo;b;r;woken by charlie;w;c;"
	      "meanwhile waited: charlie;c;s;woken by an interrupt;T 200\n"
	      "bravo;b;r;woken by charlie;w;c 400\n"
	      "bravo;b;r;woken by charlie;w;c;meanwhile waited: charlie;c;s;woken by an "
	      "interrupt;T "
	      "300\n"
	      "charlie;c;s;woken by an interrupt;T 300\n");
}

static void test_one_level(void **state)
{
	struct wait_chains_options one = { .levels = 1, .with_tids = true };
	struct scene s = scene_new();

	(void)state;
	wait_for(s.profile, s.bravo, "b", 0, 50, 0, s.charlie, "c");
	wait_for(s.profile, s.alfa, "a", 0, 100, 0, s.bravo, "b");
	check(&s, &one, 2, "alfa;a;woken by bravo-12;b 100\nbravo;b;woken by charlie-13;c 50\n");
}

/* Sums have no times; a wait without an end has no waker. */
static void test_sums(void **state)
{
	struct wait_chains_options options = { 0 };
	struct scene s = scene_new();

	(void)state;
	wait_for(s.profile, s.bravo, "b", 20, 50, SUM, s.charlie, "c");
	wait_for(s.profile, s.charlie, "c", 0, 40, 0, s.swapper, NULL);
	wait_for(s.profile, s.alfa, "a", 0, 100, 0, s.bravo, "b");
	check(&s, &options, 2,
	      "alfa;a;woken by bravo;b 100\nbravo;b;woken by charlie;c 30\ncharlie;c 40\n");
}

/* Clocks of CPUs that do not agree: each seems to have waited for the other at once, and waits of
 * one thread overlap. */
static void test_circle(void **state)
{
	struct wait_chains_options options = { 0 }, two = { .levels = 2 };
	struct scene s = scene_new();

	(void)state;
	wait_for(s.profile, s.alfa, "a", 0, 100, 0, s.bravo, "b");
	wait_for(s.profile, s.bravo, "b", 0, 90, 0, s.alfa, "a");
	wait_for(s.profile, s.bravo, "b", 30, 100, 0, s.charlie, "c");
	check(&s, &options, 3,
	      "alfa;a;woken by bravo;b;meanwhile waited: bravo;b;woken by alfa;a;"
	      "cycle: again alfa 30\n"
	      "alfa;a;woken by bravo;b;meanwhile waited: bravo;b;woken by charlie;c 70\n"
	      "bravo;b;woken by alfa;a 90\n"
	      "bravo;b;woken by charlie;c 70\n");
	s = scene_new();
	wait_for(s.profile, s.alfa, "a", 0, 100, 0, s.bravo, "b");
	wait_for(s.profile, s.bravo, "b", 0, 90, 0, s.charlie, "c");
	check(&s, &two, 2,
	      "alfa;a;woken by bravo;b 10\n"
	      "alfa;a;woken by bravo;b;meanwhile waited: bravo;b;woken by charlie;c;"
	      "not followed further: charlie 90\n"
	      "bravo;b;woken by charlie;c 90\n");
}

static void test_nothing(void **state)
{
	struct wait_chains_options options = { 0 };
	struct scene s = scene_new();

	(void)state;
	check(&s, &options, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),	cmocka_unit_test(test_one_level),
		cmocka_unit_test(test_sums),	cmocka_unit_test(test_circle),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
