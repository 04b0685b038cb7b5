// SPDX-License-Identifier: GPL-2.0-or-later
/* session/probe: expressions are compiled to fetch programs, which run here over the registers and
 * memory of a live process that is stopped at the place, and give what the program has there. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/err.h"
#include "bpf/arch/registers.h"
#include "session/probe/debug_info.h"
#include "session/probe/fetch_expression.h"
#include "session/probe/tracepoint_fields.h"

/* The other half of bpf/fetch.bpf.h: registers are in an array, memory is another process's. */
static pid_t target;
static uint64_t target_registers[64];

static int get_memory(void *to, size_t size, uint64_t address)
{
	struct iovec mine = { to, size }, theirs = { (void *)(uintptr_t)address, size };

	return process_vm_readv(target, &mine, 1, &theirs, 1, 0) == (ssize_t)size ? 0 : -1;
}

static long get_string(char *to, size_t size, uint64_t address)
{
	for (size_t len = 0; len < size; len++) {
		if (get_memory(to + len, 1, address + len))
			return -1;
		if (!to[len])
			return (long)len + 1;
	}
	to[size - 1] = '\0';
	return (long)size;
}

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define FETCH_GET_REGISTER(run, index, ret) (*(ret) = target_registers[(index)&63], 0)
#define FETCH_GET_MEMORY(of_kernel, to, size, address) \
	((void)(of_kernel), get_memory(to, size, address))
#define FETCH_GET_STRING(of_kernel, to, size, address) \
	((void)(of_kernel), get_string(to, size, address))
#define FETCH_GET_SPECIAL(run, which) special(run, (uint64_t)(which))

static uint64_t entry_value[FETCH_VALUES];
static uint8_t record[64]; /* of a tracepoint */

static uint64_t special(const struct fetch_run *run, uint64_t which)
{
	(void)run;
	if (which == FETCH_CONTEXT)
		return (uint64_t)(uintptr_t)record;
	return which >= FETCH_ENTRY ? entry_value[which - FETCH_ENTRY] : which + 100;
}

#include "bpf/fetch_step.h"

static const char source_c[] =
	"#include <stdint.h>\n"
	"enum color { RED = -1, GREEN = 7 };\n"
	"struct point { int x, y; };\n"
	"struct shape {\n"
	"	const char *name;\n"
	"	struct point at;\n"
	"	unsigned low : 3, high : 9;\n"
	"	int bits : 5;\n"
	"	union { int whole; short part; };\n"
	"	short grid[3][4];\n"
	"	char tag[8];\n"
	"	struct shape *next;\n"
	"	unsigned char byte;\n"
	"	_Bool yes;\n"
	"	double real;\n"
	"};\n"
	"int64_t total = -77;\n"
	"__attribute__((noinline)) int work(struct shape *s, unsigned char n, enum color c,\n"
	"				    struct point p, int8_t small, struct shape *nothing)\n"
	"{\n"
	"	total += s->at.x + n + c + p.x + small + (nothing != 0);\n"
	"	__asm__ volatile(\"\" : : \"r\"(s) : \"memory\"); /* all of it is stored */\n"
	"	return (int)total;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct shape second = { .name = \"second\", .at = { -3, 4 } };\n"
	"	struct shape s = { \"first\", { 5, -6 }, 5, 300, -7, { 0x12345678 },\n"
	"		{ { 0 }, { 1, 2, 3, 4 }, { 5, 6, 7, -8 } }, \"tagged\", &second, 250, 1, "
	"1.5 };\n"
	"	return work(&s, 200, RED, (struct point){ 11, -12 }, -5, 0) == argc;\n"
	"}\n";

static const char *const compilers[] = {
	"gcc -gdwarf-4 -O0",
	"gcc -gdwarf-5 -O1",
	"gcc -gdwarf-5 -O2 -no-pie",
	"clang -gdwarf-5 -O1",
	"clang -gdwarf-4 -O0",
	"gcc -gdwarf-5 -gsplit-dwarf -O1",
	"gcc -g -O1 -fcf-protection=full -fno-omit-frame-pointer",
};

struct fixture {
	char dir[40], path[64];
	struct debug_info info;
	struct debug_places places;
	struct fetch_scope scope;
};

static bool build(struct fixture *f, const char *compiler)
{
	char command[512];
	FILE *file;

	*f = (struct fixture){ .dir = "/tmp/cupel-fetch-XXXXXX" };
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

static void read_registers(void)
{
	struct iovec where = { target_registers, sizeof(target_registers) };

	assert_int_equal(ptrace(PTRACE_GETREGSET, target, NT_PRSTATUS, &where), 0);
}

/* The address of the program's first mapping. */
static uint64_t load_address(void)
{
	char path[64];
	unsigned long start = 0;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)target);
	maps = fopen(path, "r");
	assert_non_null(maps);
	assert_int_equal(fscanf(maps, "%lx", &start), 1);
	(void)fclose(maps);
	return start;
}

/* Starts the program and runs it to the address. Single steps need no breakpoint's bytes. */
static void stop_at(const struct fixture *f, uint64_t address)
{
	const uint64_t first = address < 0x400000 ? 0 : 0x400000;
	int status;

	target = fork();
	if (!target) {
		(void)ptrace(PTRACE_TRACEME, 0, 0, 0);
		(void)execl(f->path, f->path, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(target, &status, 0), target);
	address += load_address() - first;
#if defined(__x86_64__)
	{
		long word = ptrace(PTRACE_PEEKTEXT, target, address, 0);

		assert_int_equal(ptrace(PTRACE_POKETEXT, target, address, (word & ~0xffL) | 0xcc),
				 0);
		assert_int_equal(ptrace(PTRACE_CONT, target, 0, 0), 0);
		assert_int_equal(waitpid(target, &status, 0), target);
		assert_true(WIFSTOPPED(status));
		read_registers();
		target_registers[16]--;
		assert_int_equal(target_registers[16], address);
	}
#else
	do {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, target, 0, 0), 0);
		assert_int_equal(waitpid(target, &status, 0), target);
		assert_true(WIFSTOPPED(status));
		read_registers();
	} while (target_registers[32] != address);
#endif
}

static void end(struct fixture *f)
{
	(void)kill(target, SIGKILL);
	(void)waitpid(target, NULL, 0);
	debug_places_done(&f->places);
	debug_info_done(&f->info);
}

static void start(struct fixture *f, const char *place)
{
	struct err err = { 0 };

	if (debug_info_open(f->path, &f->info, &err) ||
	    debug_info_find(&f->info, place, &f->places, &err))
		fail_msg("%s", err.msg);
	f->scope.place.info = &f->info;
	f->scope.place.function = &f->places.list.item[0].function;
	f->scope.place.address = f->places.list.item[0].address;
	stop_at(f, f->places.list.item[0].address);
}

static struct fetch_result run(const struct fetch_code *code)
{
	struct fetch_run run = { 0 };

	for (uint32_t i = 0; i < code->program.count; i++)
		if (fetch_take_step(&run, &code->program.step[i], false))
			break;
	return run.result;
}

static void gives(const struct fixture *f, const char *compiler, const char *expression,
		  const char *wanted)
{
	struct fetch_code code = { 0 };
	struct fetch_output output;
	struct fetch_result result;
	struct buf text = { 0 };
	struct err err = { 0 };

	if (fetch_compile(&f->scope, expression, &code, &output, &err))
		fail_msg("%s: %s", compiler, err.msg);
	result = run(&code);
	fetch_put(&output, &result, &text);
	if (strcmp(text.data, wanted) != 0)
		fail_msg("%s: %s is %s, not %s", compiler, expression, text.data, wanted);
	buf_done(&text);
}

static void refuses(const struct fetch_scope *scope, const char *expression, const char *message,
		    const char *hint)
{
	struct fetch_code code = { 0 };
	struct fetch_output output;
	struct err err = { 0 };

	assert_int_not_equal(fetch_compile(scope, expression, &code, &output, &err), 0);
	if (!strstr(err.msg, message) || !strstr(err.hint, hint))
		fail_msg("%s: %s / %s", expression, err.msg, err.hint);
}

static const char *const values[][2] = {
	{ "n", "200" },
	{ "c", "RED" },
	{ "small", "-5" },
	{ "p.x", "11" },
	{ "p.y", "-12" },
	{ "s->name", "\"first\"" },
	{ "s->at.x", "5" },
	{ "s->at.y", "-6" },
	{ "s.at.y", "-6" },
	{ "s->low", "5" },
	{ "s->high", "300" },
	{ "s->bits", "-7" },
	{ "s->whole:x32", "0x12345678" },
	{ "s->part", "22136" },
	{ "s->grid[1][2]", "3" },
	{ "s->grid[2][n - 197]", "-8" },
	{ "s->tag", "\"tagged\"" },
	{ "s->tag[1]", "'a'" },
	{ "s->next->name", "\"second\"" },
	{ "(*s->next).at.x", "-3" },
	{ "s->byte", "250" },
	{ "s->yes", "1" },
	{ "s->real", "1.5" },
	{ "*s->name", "'f'" },
	{ "s->name[2]", "'r'" },
	{ "nothing", "0x0" },
	{ "nothing->at.x", "(unreadable)" },
	{ "nothing->name", "(unreadable)" },
	{ "total", "-77" },
	{ "total + 7 * small", "-112" },
	{ "s->at.x > s->at.y && n != 3", "1" },
	{ "small < 0 || 0", "1" },
	{ "(unsigned char)small", "251" },
	{ "small:u8", "251" },
	{ "small:x16", "0xfffb" },
	{ "-small / 2", "2" },
	{ "small % 3", "-2" },
	{ "~small & 0xff", "4" },
	{ "n >> 3 << 1 ^ 1", "51" },
	{ "!nothing", "1" },
	{ "n == 'A' + 135", "1" },
	{ "$pid", "100" },
};

static void test_fetch__values_are_those_of_the_program(void **state)
{
	size_t built = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct fixture f;

		if (build(&f, compilers[i])) {
			start(&f, "work");
			/* at -O0 parameters are in memory only after the prologue */
			if (strstr(compilers[i], "-O0")) {
				gives(&f, compilers[i], "s->name", "\"first\"");
				gives(&f, compilers[i], "n", "200");
				gives(&f, compilers[i], "c", "RED");
				refuses(&f.scope, "p.x", "not stored yet", "probe -L");
				end(&f);
				start(&f, "work:3");
			}
			for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
				gives(&f, compilers[i], values[v][0], values[v][1]);
			end(&f);
			built++;
		}
		clean(&f);
	}
	assert_true(built >= 4);
}

static void test_fetch__bad_expressions_have_a_reason(void **state)
{
	struct fixture f;

	(void)state;
	assert_true(build(&f, "gcc -g -O1"));
	start(&f, "work");
	refuses(&f.scope, "smal", "no such variable", "did you mean 'small'?");
	refuses(&f.scope, "s->nam", "no member 'nam'", "did you mean 'name'?");
	refuses(&f.scope, "n->x", "no member 'x'", "");
	refuses(&f.scope, "p", "is a struct", "");
	refuses(&f.scope, "*n", "is no pointer", "");
	refuses(&f.scope, "s->real + 1", "floating-point", "");
	refuses(&f.scope, "(int)s->real", "floating-point", "");
	refuses(&f.scope, "retval", "only a return probe", "");
	refuses(&f.scope, "n +", "expected a name", "");
	refuses(&f.scope, "n)", "expected the end", "");
	refuses(&f.scope, "n:u33", "unknown type 'u33'", "");
	refuses(&f.scope, "arg9", "first 6 arguments", "");
	f.scope.place.at_return = true;
	refuses(&f.scope, "n", "only retval", "");
	end(&f);
	clean(&f);
}

static void test_fetch__works_without_debug_info(void **state)
{
	const struct fetch_parameter parameters[] = { { "size", "size_t" },
						      { "fd", "int" },
						      { NULL, NULL } };
	struct fetch_scope scope = { .parameter = parameters, .parameters = 3 };
	struct fixture f = { .scope = scope };
	static const uint8_t order[] = FETCH_ARGUMENTS, words[] = FETCH_REGISTERS;

	(void)state;
	memset(target_registers, 0, sizeof(target_registers));
	for (size_t i = 0; i < sizeof(order); i++)
		target_registers[words[order[i]]] = 1000 + i;
	target_registers[words[order[1]]] = 0x1fffffffe; /* the upper half means nothing */
	gives(&f, "none", "size", "1000");
	gives(&f, "none", "fd", "-2");
	gives(&f, "none", "arg3", "1002");
	gives(&f, "none", "(char)arg4", "-21");
	gives(&f, "none", "size > 999 && fd < 0", "1");
	refuses(&scope, "sise", "no such variable", "did you mean 'size'?");
	f.scope = (struct fetch_scope){ .place = { .at_return = true }, .result_type = "int" };
	target_registers[words[FETCH_RESULT]] = 0xffffffff;
	gives(&f, "none", "$retval", "-1");
	gives(&f, "none", "retval:x64", "0xffffffffffffffff");
}

static void test_fetch__conditions_drop_results(void **state)
{
	struct fetch_scope scope = { 0 };

	(void)state;
	for (int wanted = 0; wanted < 2; wanted++) {
		struct fetch_code code = { 0 };
		struct fetch_result result;
		struct fetch_output output;
		struct err err = { 0 };

		assert_int_equal(fetch_compile_condition(&scope,
							 wanted ? "$pid == 100" : "$pid < 100",
							 &code, &err),
				 0);
		assert_int_equal(fetch_compile(&scope, "$tid", &code, &output, &err), 0);
		result = run(&code);
		assert_int_equal(result.dropped, !wanted);
		assert_int_equal(result.value[0], wanted ? 101 : 0);
	}
}

static void test_fetch__returns_ask_their_beginning(void **state)
{
	const struct fetch_parameter parameter[] = { { "n", "int" }, { "text", "char *" } };
	struct fetch_entered entered = {
		.scope = { .parameter = parameter, .parameters = 2, .at_entry = true }
	};
	struct fetch_scope scope = { .parameter = parameter, .parameters = 2, .entered = &entered };
	struct fetch_code code = { 0 };
	struct fetch_output output[2];
	struct fetch_result result;
	struct err err = { 0 };

	(void)state;
	scope.place.at_return = true;
	assert_int_equal(fetch_compile(&scope, "$entry(n * 2) + 1", &code, &output[0], &err), 0);
	assert_int_equal(fetch_compile(&scope, "$entry(text)", &code, &output[1], &err), 0);
	assert_true(entered.needed);
	assert_int_equal(entered.code.values, 2);
	assert_int_equal(output[1].as, FETCH_AS_STRING);
	target = getpid();
	entry_value[0] = 41;
	entry_value[1] = (uint64_t)(uintptr_t) "kept";
	result = run(&code);
	assert_int_equal(result.value[0], 42);
	assert_string_equal(result.text, "kept");
	code = (struct fetch_code){ 0 };
	assert_int_equal(fetch_compile(&scope, "$latency", &code, &output[0], &err), 0);
	assert_int_equal(run(&code).value[0], 100 + FETCH_LATENCY);
	for (unsigned i = 0; i < FETCH_ENTRY_MAX; i++) {
		code = (struct fetch_code){ 0 };
		if (fetch_compile(&scope, "$entry(n)", &code, &output[0], &err))
			break;
	}
	assert_int_equal(err.code, -E2BIG);
	scope.entered = NULL;
	code = (struct fetch_code){ 0 };
	assert_int_not_equal(fetch_compile(&scope, "$entry(n)", &code, &output[0], &err), 0);
}

static void test_fetch__fields_of_tracepoints(void **state)
{
	char format[] = "name: some\nID: 7\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
			"\tfield:short small;\toffset:16;\tsize:2;\tsigned:1;\n"
			"\tfield:__data_loc char[] path;\toffset:20;\tsize:4;\tsigned:0;\n"
			"\tfield:__rel_loc char[] more;\toffset:24;\tsize:4;\tsigned:0;\n"
			"\tfield:const char * user;\toffset:32;\tsize:8;\tsigned:0;\n"
			"\tfield:u8 wide[16];\toffset:40;\tsize:16;\tsigned:0;\n"
			"\tfield:no offset;\tsize:1;\n\nprint fmt: \"\"\n";
	static const struct {
		const char *expression, *wanted;
	} cases[] = {
		{ "args->comm", "\"work\"" }, { "args->small", "-3" },
		{ "args.small + 1", "-2" },   { "args->path", "\"at\"" },
		{ "args->more", "\"to\"" },   { "args->user", "\"theirs\"" },
	};
	struct tracepoint_fields fields = { 0 };
	const struct fetch_scope scope = { .fields = &fields };
	const uint64_t user = (uint64_t)(uintptr_t) "theirs";
	const uint32_t path = 56 | 3u << 16, more = 32 | 3u << 16;
	const int16_t small = -3;
	struct fetch_output output;
	struct fetch_code code = { 0 };
	struct err err = { 0 };

	(void)state;
	target = getpid();
	memcpy(record + 8, "work", 5);
	memcpy(record + 16, &small, sizeof(small));
	memcpy(record + 20, &path, sizeof(path));
	memcpy(record + 24, &more, sizeof(more)); /* from behind the field: 60 */
	memcpy(record + 32, &user, sizeof(user));
	memcpy(record + 56, "at", 3);
	memcpy(record + 60, "to", 3);
	tracepoint_fields_parse(format, &fields);
	assert_int_equal(fields.item.count, 7);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fetch_result result;
		struct buf text = { 0 };

		code = (struct fetch_code){ 0 };
		if (fetch_compile(&scope, cases[i].expression, &code, &output, &err))
			fail_msg("%s: %s", cases[i].expression, err.msg);
		result = run(&code);
		fetch_put(&output, &result, &text);
		assert_string_equal(text.data, cases[i].wanted);
		buf_done(&text);
	}
	code = (struct fetch_code){ 0 };
	assert_int_not_equal(fetch_compile(&scope, "args->wide", &code, &output, &err), 0);
	code = (struct fetch_code){ 0 };
	assert_int_equal(fetch_compile(&scope, "args->smal", &code, &output, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "small"));
	tracepoint_fields_done(&fields);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fetch__values_are_those_of_the_program),
		cmocka_unit_test(test_fetch__bad_expressions_have_a_reason),
		cmocka_unit_test(test_fetch__works_without_debug_info),
		cmocka_unit_test(test_fetch__conditions_drop_results),
		cmocka_unit_test(test_fetch__returns_ask_their_beginning),
		cmocka_unit_test(test_fetch__fields_of_tracepoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
