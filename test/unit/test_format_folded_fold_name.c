/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in folded text: what is cut and what stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "format/folded/fold_name.h"
#include "format/folded/folded.h"
#include "format/format.h"

static const char *const tidy[][2] = {
	{ "main", "main" },
	{ "f(int, char*)", "f" },
	{ "std::function<int (int, int)>::operator()(int, int) const",
	  "std::function<int (int, int)>::operator()" },
	{ "a::operator<(a const&, a const&)", "a::operator<" },
	{ "a::operator<<(std::ostream&)", "a::operator<<" },
	{ "a::operator->() const", "a::operator->" },
	{ "a::operator new(unsigned long)", "a::operator new" },
	{ "binary_operator(int)", "binary_operator" },
	{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
	{ "f(int)::{lambda(int)#1}::operator()(int) const", "f::{lambda(int)#1}::operator()" },
	{ "net/http.(*Client).Do", "net/http.(*Client).Do" },
	{ "<a::B as c::D<fn(e) -> f>>::g", "<a::B as c::D<fn(e) -> f>>::g" },
	{ "x<y(z", "x<y" },
	{ "(only arguments)", "(only arguments)" },
	{ "", "" },
};

static void test_drop_arguments__keeps_what_makes_the_name(void **state)
{
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(tidy) / sizeof(tidy[0]); i++) {
		buf_clear(&text);
		fold_drop_arguments(tidy[i][0], strlen(tidy[i][0]), &text);
		assert_string_equal(text.data ? text.data : "", tidy[i][1]);
	}
	buf_done(&text);
}

static void assert_name(const struct profile *profile, frame_id frame, struct fold_options options,
			bool java, const char *wanted)
{
	struct buf text = { 0 };

	fold_frame_name(profile, frame, &options, java, &text);
	assert_string_equal(text.data, wanted);
	buf_done(&text);
}

static frame_id add(struct profile *profile, const char *name, const char *module,
		    enum frame_kind kind)
{
	struct frame frame = { .function = strtab_puts(profile->strings, name),
			       .module = module ? profile_module(profile, module, "") : 0,
			       .kind = kind,
			       .pc = 0x7f12 };

	return profile_frame(profile, &frame);
}

static void test_frame_name__three_ways(void **state)
{
	struct profile *p = profile_new(0);
	frame_id f = add(p, "a;b::operator()('x', \"y\")", "/bin/x", FRAME_USER);

	(void)state;
	assert_name(p, f, (struct fold_options){ 0 }, false, "a:b::operator()");
	assert_name(p, f, (struct fold_options){ .names = FOLD_NAMES_PERL }, false,
		    "a:b::operator");
	assert_name(p, f, (struct fold_options){ .names = FOLD_NAMES_WHOLE }, false,
		    "a:b::operator()('x', \"y\")");
	profile_free(p);
}

static void test_frame_name__java(void **state)
{
	struct profile *p = profile_new(0);
	frame_id f = add(p, "Lorg/x/Y;::z(Lorg/x/A;)V", "/tmp/perf-1.map", FRAME_JIT);

	(void)state;
	assert_name(p, f, (struct fold_options){ 0 }, true, "org/x/Y:::z");
	assert_name(p, f, (struct fold_options){ .jit = true }, false, "Lorg/x/Y:::z_[j]");
	profile_free(p);
}

static void test_frame_name__unknown(void **state)
{
	struct profile *p = profile_new(0);
	frame_id known = add(p, "", "/lib/libc.so.6", FRAME_USER);
	frame_id kernel = add(p, "", "[kernel.kallsyms]", FRAME_KERNEL);
	frame_id nowhere = add(p, "", NULL, FRAME_KERNEL);
	struct fold_options all = { .kernel = true, .addrs = true };

	(void)state;
	assert_name(p, known, (struct fold_options){ 0 }, false, "[libc.so.6]");
	assert_name(p, known, all, false, "[libc.so.6 <7f12>]");
	assert_name(p, kernel, all, false, "[[kernel.kallsyms] <7f12>]_[k]");
	assert_name(p, nowhere, (struct fold_options){ .kernel = true }, false, "[unknown]");
	profile_free(p);
}

static void test_frame_name__cannot_break_a_line(void **state)
{
	struct profile *p = profile_new(0);

	(void)state;
	assert_name(p, add(p, "a\nb\rc", "/x", FRAME_USER), (struct fold_options){ 0 }, false,
		    "a?b?c");
	assert_name(p, add(p, "", "/x\n;y", FRAME_USER), (struct fold_options){ 0 }, false,
		    "[x?:y]");
	profile_free(p);
}

static void test_root_name__ids(void **state)
{
	struct profile *p = profile_new(0);
	thread_id both = profile_thread(p, 1, 2, "a b;c");
	thread_id half = profile_thread(p, UINT32_MAX, 2, "x");
	struct fold_options tid = { .tid = true }, pid = { .pid = true };
	struct buf text = { 0 };

	(void)state;
	fold_root_name(p, both, &tid, &text);
	(void)buf_putc(&text, ' ');
	fold_root_name(p, half, &tid, &text);
	(void)buf_putc(&text, ' ');
	fold_root_name(p, half, &pid, &text);
	assert_string_equal(text.data, "a_b:c-1/2 x-?/2 x-?");
	buf_done(&text);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drop_arguments__keeps_what_makes_the_name),
		cmocka_unit_test(test_frame_name__three_ways),
		cmocka_unit_test(test_frame_name__java),
		cmocka_unit_test(test_frame_name__unknown),
		cmocka_unit_test(test_frame_name__cannot_break_a_line),
		cmocka_unit_test(test_root_name__ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
