// SPDX-License-Identifier: GPL-2.0-or-later
/* session/probe: what perf probe -L and -V show of programs compiled here with each DWARF version,
 * with split debug info, and by both compilers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "session/probe/debug_info.h"
#include "session/probe/show_source.h"
#include "symbol/dwarf/dwarf_type.h"
#include "symbol/dwarf/dwarf_variable.h"

static const char source_c[] =
	"typedef unsigned long count_t;\n"
	"enum color { RED = -1, GREEN = 7 };\n"
	"struct point { int x, y; };\n"
	"struct shape {\n"
	"	const char *name;\n"
	"	struct point at;\n"
	"	unsigned low : 3, high : 9;\n"
	"	union { int whole; float part; };\n"
	"	short grid[3][4];\n"
	"};\n"
	"int total;\n"
	"__attribute__((noinline)) int work(struct shape *s, count_t n, enum color c,\n"
	"				    const char *const text[])\n"
	"{\n"
	"	int sum = s->at.x;\n"
	"	for (count_t i = 0; i < n; i++)\n"
	"		sum += s->grid[i % 3][1] + text[0][i];\n"
	"	total += sum + c;\n"
	"	return sum;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct shape s = { .name = argv[0], .at = { 5, 6 } };\n"
	"	return work(&s, argc, GREEN, (const char *const *)argv) == 3;\n"
	"}\n";

struct fixture {
	char dir[40], path[64];
	struct debug_info info;
};

static bool build(struct fixture *f, const char *compiler)
{
	char command[512];
	FILE *file;

	(void)snprintf(f->dir, sizeof(f->dir), "%s", "/tmp/cupel-show-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof(f->path), "%s/shape.c", f->dir);
	file = fopen(f->path, "w");
	assert_non_null(file);
	(void)fputs(source_c, file);
	(void)fclose(file);
	(void)snprintf(f->path, sizeof(f->path), "%s/shape", f->dir);
	(void)snprintf(command, sizeof(command), "cd %s && %s -o shape shape.c 2>/dev/null", f->dir,
		       compiler);
	return !system(command);
}

static void clean(struct fixture *f)
{
	char command[96];

	(void)snprintf(command, sizeof(command), "rm -r %s", f->dir);
	assert_int_equal(system(command), 0);
}

static void open_info(struct fixture *f)
{
	struct err err = { 0 };

	if (debug_info_open(f->path, &f->info, &err))
		fail_msg("%s", err.msg);
}

static const char *const compilers[] = {
	"gcc -gdwarf-4 -O0",
	"gcc -gdwarf-5 -O1",
	"gcc -gdwarf-5 -gsplit-dwarf -O1",
	"gcc -gdwarf-4 -gsplit-dwarf -O1",
	"clang -gdwarf-5 -O1",
	"clang -gdwarf-4 -O0",
};

static void has(const struct buf *text, const char *what)
{
	if (!text->data || !strstr(text->data, what))
		fail_msg("no '%s' in:\n%s", what, text->data ? text->data : "");
}

static void test_show__variables_at_the_entry_have_their_types(void **state)
{
	size_t built = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct fixture f;
		struct buf text = { 0 };
		struct err err = { 0 };

		if (build(&f, compilers[i])) {
			open_info(&f);
			assert_int_equal(show_variables(&f.info, "work", true, &text, &err), 0);
			has(&text, "Available variables at work\n\t@<work+0>\n");
			has(&text, "\t\tchar**\ttext\n");
			has(&text, "\t\tcount_t\tn\n");
			has(&text, "\t\tenum color\tc\n");
			has(&text, "\t\tint\ttotal\n");
			has(&text, "\t\tstruct shape*\ts\n");
			buf_done(&text);
			debug_info_done(&f.info);
			built++;
		}
		clean(&f);
	}
	assert_true(built >= 4);
}

static bool take(void *context, const struct dwarf_variable *variable)
{
	struct dwarf_die *die = context;

	if (!strcmp(variable->name, "s"))
		*die = variable->die;
	return true;
}

static void check_member(const struct dwarf_type *shape, const char *name, uint64_t offset,
			 enum dwarf_kind kind)
{
	struct dwarf_member member;

	assert_true(dwarf_type_member(shape, name, &member));
	assert_int_equal(member.offset, offset);
	assert_int_equal(member.type.kind, kind);
}

static void check_shape(const struct dwarf_type *shape)
{
	struct dwarf_member member;
	struct dwarf_type element;

	check_member(shape, "name", 0, DWARF_POINTER);
	check_member(shape, "at", 8, DWARF_STRUCT);
	check_member(shape, "whole", 20, DWARF_SIGNED);
	check_member(shape, "part", 20, DWARF_FLOAT);
	check_member(shape, "grid", 24, DWARF_ARRAY);
	assert_false(dwarf_type_member(shape, "x", &member));
	assert_true(dwarf_type_member(shape, "grid", &member));
	assert_int_equal(dwarf_type_elements(&member.type), 12);
	assert_int_equal(member.type.size, 24);
	assert_true(dwarf_type_target(&member.type, &element));
	assert_int_equal(element.size, 2);
	assert_true(dwarf_type_member(shape, "high", &member));
	assert_int_equal(member.bit_size, 9);
	assert_int_equal(member.offset * 8 + member.bit_shift, 16 * 8 + 3);
}

static void test_type__members_are_where_the_compiler_put_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct dwarf_type pointer, shape;
		struct dwarf_die die = { 0 };
		struct debug_places places;
		struct err err = { 0 };
		struct fixture f;

		if (build(&f, compilers[i])) {
			open_info(&f);
			assert_int_equal(debug_info_find(&f.info, "work", &places, &err), 0);
			assert_int_equal(places.list.count, 1);
			dwarf_variable_each(&places.list.item[0].function,
					    places.list.item[0].address, false, take, &die);
			debug_places_done(&places);
			dwarf_type_of(&die, &pointer);
			assert_int_equal(pointer.kind, DWARF_POINTER);
			assert_true(dwarf_type_target(&pointer, &shape));
			assert_int_equal(shape.size, 48);
			check_shape(&shape);
			debug_info_done(&f.info);
		}
		clean(&f);
	}
}

static void test_show__lines_with_code_have_numbers(void **state)
{
	struct fixture f;
	struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(build(&f, "gcc -gdwarf-5 -O0"));
	open_info(&f);
	assert_int_equal(show_lines(&f.info, "main", NULL, &text, &err), 0);
	has(&text, "<main@/tmp/cupel-show-");
	has(&text, "/shape.c:0>\n      0  int main(int argc, char **argv)\n         {\n"
		   "      2  \tstruct shape s = {");
	buf_clear(&text);
	assert_int_equal(show_lines(&f.info, "shape.c:16-17", NULL, &text, &err), 0);
	has(&text, "/shape.c:16>\n     16  \tfor (count_t i = 0; i < n; i++)\n     17  \t\tsum +=");
	buf_clear(&text);
	assert_int_equal(show_lines(&f.info, "work:4+1", NULL, &text, &err), 0);
	has(&text, "shape.c:4>\n      4  \tfor (count_t i = 0; i < n; i++)\n");
	assert_null(strstr(text.data, "sum +="));
	buf_done(&text);
	debug_info_done(&f.info);
	clean(&f);
}

static void fails(const struct fixture *f, const char *place, const char *message, const char *hint)
{
	struct debug_places at;
	struct err err = { 0 };

	assert_int_not_equal(debug_info_find(&f->info, place, &at, &err), 0);
	if (!strstr(err.msg, message) || !strstr(err.hint, hint))
		fail_msg("%s: %s / %s", place, err.msg, err.hint);
}

static void test_find__says_what_is_wrong(void **state)
{
	struct fixture f;

	(void)state;
	assert_true(build(&f, "gcc -g -O0"));
	open_info(&f);
	fails(&f, "wrok", "no function 'wrok'", "did you mean 'work'?");
	fails(&f, "work:77", "no code begins at this line", "-L work");
	fails(&f, "shap.c:3", "no code begins at shap.c:3", "'shape.c'");
	fails(&f, "work+x", "invalid place", "");
	debug_info_done(&f.info);
	clean(&f);
}

static void test_open__needs_debug_info(void **state)
{
	struct debug_info info;
	struct err err = { 0 };
	struct fixture f;

	(void)state;
	assert_true(build(&f, "gcc -O0"));
	assert_int_not_equal(debug_info_open(f.path, &info, &err), 0);
	assert_non_null(strstr(err.msg, "no debug info"));
	clean(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_show__variables_at_the_entry_have_their_types),
		cmocka_unit_test(test_type__members_are_where_the_compiler_put_them),
		cmocka_unit_test(test_show__lines_with_code_have_numbers),
		cmocka_unit_test(test_find__says_what_is_wrong),
		cmocka_unit_test(test_open__needs_debug_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
