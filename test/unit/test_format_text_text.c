/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports in plain text: one of each kind, and what they share. */
#include "format/text/text.h"
#include "text_profile.h"

static void test_text__numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t scale, value;
		bool good;
	} cases[] = {
		{ "12", 1, 12, true },
		{ "1,234.5", 1000, 1234500, true },
		{ "0.0157", 1000, 15, true },
		{ "", 1, 0, false },
		{ "1x", 1, 0, false },
		{ "-3", 1, 0, false },
		{ "99999999999999999999", 1, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slice s = { cases[i].text, strlen(cases[i].text) };
		uint64_t value = 0;

		assert_int_equal(text_number(s, cases[i].scale, &value), cases[i].good);
		if (cases[i].good)
			assert_int_equal(value, cases[i].value);
	}
}

/* "NAME/1000" has weights in thousandths; events of perf may have slashes of their own. */
static void test_text__event_scale(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t scale;
	} cases[] = {
		{ "samples/1000", "samples", 1000 }, { "a/b/10", "a/b", 10 },
		{ "x/1000000", "x", 1000000 },	     { "y/10000000", "y/10000000", 0 },
		{ "cpu/cycles/", "cpu/cycles/", 0 }, { "z/1", "z/1", 0 },
		{ "w/100u", "w/100u", 0 },
	};
	struct profile *profile = profile_new(0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t id = text_event(profile, cases[i].text, "");
		const struct profile_event *event = &profile->events.item[id];

		assert_string_equal(profile_string(profile, event->name), cases[i].name);
		assert_int_equal(event->scale, cases[i].scale);
	}
	profile_free(profile);
}

static void test_text__dtrace(void **state)
{
	(void)state;
	assert_text(
		"CPU     ID                    FUNCTION:NAME\n  0  64091                        "
		":tick-60s \n\n\n"
		"              genunix`a+0x20\n              unix`b+0x17a\n                3\n\n"
		"              zfs`k\n\n              app`foo->bar\n              app`main\n       "
		"         1\n",
		"dtrace", NULL, "app`main;app`foo;bar_[i];zfs`k 1\nunix`b;genunix`a 3\n");
}

static void test_text__sample(void **state)
{
	(void)state;
	assert_text("Analysis of sampling rg (pid 1) every 1 millisecond\n\nCall graph:\n"
		    "    9 Thread_1   DispatchQueue_1: main  (serial)\n"
		    "    + 9 start  (in libdyld.dylib) + 1  [0x7fff]\n"
		    "    +   4 a::b::h0123456789abcdef (.llvm.77)  (in rg) + 41  [0x1038]\n"
		    "    + ! 3 read  (in libc.dylib) + 8  [0x1]\n\nTotal number in stack:\n 5 x\n",
		    "sample", NULL,
		    "Thread_1;libdyld`start 2\nThread_1;libdyld`start;libc`read "
		    "3\nThread_1;libdyld`start;rg`a::b 4\n");
}

static void test_text__vtune(void **state)
{
	(void)state;
	assert_text("Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n main,0.5,a.exe\n"
		    "  \"f<x, y>\",0.25,b.dll\n main2,1.0,a.exe\n",
		    "call-csv", NULL,
		    "[Unknown]`Total;a.exe`main 500000000\n"
		    "[Unknown]`Total;a.exe`main2 1000000000\n"
		    "[Unknown]`Total;a.exe`main;b.dll`f<x, y> 250000000\n");
}

static void test_text__visual_studio(void **state)
{
	(void)state;
	assert_text("\xef\xbb\xbfLevel,Function Name,Number of Calls,Elapsed\n0,\"a.exe\",0,100\n"
		    "1,\"T.m(int32)\",\"1,471\",91\n2,\"T.n()\",2,3\n1,\"T.o()\",5,1\n",
		    "call-csv", NULL, "T.m(int32) 1471\nT.m(int32);T.n() 2\nT.o() 5\n");
}

static void test_text__ghc(void **state)
{
	static const char text[] =
		"\tSun Aug  6 14:52 2023 Time and Allocation Profiling Report  (Final)\n\n"
		"COST CENTRE MODULE SRC %%time %%alloc\n\nmain Main x.hs:1 100.0 100.0\n\n"
		"COST CENTRE MODULE SRC no. entries %%time %%alloc %%time %%alloc%s\n\n"
		"MAIN MAIN <built-in> 337 0 0.0 0.0 100.0 100.0%s\n"
		" main Main a b.hs:(108,1)-(120,56) 338 1 30.4 9.4 100.0 100.0%s\n";
	struct buf report = { 0 };

	(void)state;
	(void)buf_printf(&report, text, " ticks bytes", " 0 8", " 7 100");
	assert_text(report.data, "ghcprof", "ticks", "MAIN.MAIN;Main.main 7\n");
	assert_text(report.data, "ghcprof", "alloc", "MAIN.MAIN 8\nMAIN.MAIN;Main.main 100\n");
	assert_text(report.data, "ghcprof", "time", "MAIN.MAIN;Main.main 304\n");
	buf_clear(&report);
	(void)buf_printf(&report, text, "", "", "");
	assert_text(report.data, "ghcprof", "time", "MAIN.MAIN;Main.main 304\n");
	buf_done(&report);
}

static void test_text__instruments(void **state)
{
	(void)state;
	assert_text("Weight\tSelf Weight\tSymbol Names\n4.5 s  100.0%\t0 s\tstart\n4.5 s  99%\t0 "
		    "s\t main\n"
		    "846.00 ms  19%\t0 s\t  f()\n",
		    "instruments", NULL, "start;main 3654000000\nstart;main;f() 846000000\n");
	assert_text("Bytes Used\tCount\t\tSymbol Name\n  1.5 MB  100.0%\t8\t \tstart\n",
		    "instruments", NULL, "start 1572864\n");
	/* One bad line in front does not refuse the text. */
	assert_text("oops\nBytes Used\tCount\t\tSymbol Name\n  1.5 MB  100.0%\t8\t \tstart\n",
		    "instruments", NULL, "start 1572864\n");
}

static void test_text__xctrace(void **state)
{
	(void)state;
	assert_text("<?xml version=\"1.0\"?>\n<trace-query-result>\n<node><row><sample-time "
		    "id=\"1\">5</sample-time>"
		    "<thread id=\"2\" fmt=\"main  0x84 (app, pid: 7)\"/><weight id=\"9\" fmt=\"1 "
		    "ms\">1000</weight>"
		    "<backtrace id=\"10\"><frame id=\"11\" name=\"f(A&amp;, B)\" "
		    "addr=\"0x10\"><binary id=\"12\" "
		    "name=\"app\" path=\"/bin/app\"/></frame><frame id=\"13\" name=\"start\" "
		    "addr=\"0x20\"><binary "
		    "ref=\"12\"/></frame></backtrace></row>\n"
		    "<row><thread ref=\"2\"/><weight ref=\"9\"/><backtrace ref=\"10\"/></row>\n"
		    "<row><thread ref=\"2\"/><weight ref=\"9\"/><backtrace id=\"14\"><frame "
		    "ref=\"13\"/></backtrace></row>"
		    "<row><backtrace ref=\"11\"/></row></node></trace-query-result>",
		    "xctrace", NULL, "main;start 1000\nmain;start;f(A&, B) 2000\n");
}

/* Rows in front of an error count; what follows is missing. No entity is expanded. */
static void test_text__xctrace_damaged(void **state)
{
	static const char row[] =
		"<row><weight>5</weight><backtrace><frame name=\"a&#x21;\"/></backtrace>"
		"</row>";
	struct buf text = { 0 };

	(void)state;
	(void)buf_printf(&text, "<trace-query-result>%s</row>%s</trace-query-result>", row, row);
	assert_text(text.data, "xctrace", NULL, "a! 5\n");
	buf_clear(&text);
	(void)buf_printf(&text, "<trace-query-result>%s%.30s", row, row);
	assert_text(text.data, "xctrace", NULL, "a! 5\n");
	buf_clear(&text);
	(void)buf_printf(&text,
			 "<!DOCTYPE x [<!ENTITY lol \"lol\">]><trace-query-result>%s"
			 "</trace-query-result>",
			 row);
	assert_text(text.data, "xctrace", NULL, "");
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__numbers),
		cmocka_unit_test(test_text__dtrace),
		cmocka_unit_test(test_text__sample),
		cmocka_unit_test(test_text__vtune),
		cmocka_unit_test(test_text__visual_studio),
		cmocka_unit_test(test_text__ghc),
		cmocka_unit_test(test_text__instruments),
		cmocka_unit_test(test_text__xctrace),
		cmocka_unit_test(test_text__xctrace_damaged),
		cmocka_unit_test(test_text__event_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
