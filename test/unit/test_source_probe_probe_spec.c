/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source/probe/probe_spec: what users write for places in programs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "source/probe/probe_spec.h"

static struct probe_spec spec;

static void parse(const char *text)
{
	struct err err = { 0 };

	probe_spec_done(&spec);
	assert_int_equal(probe_spec_parse(text, &spec, &err), 0);
}

static void refuse(const char *text)
{
	struct err err = { 0 };

	assert_int_equal(probe_spec_parse(text, &spec, &err), -EINVAL);
	assert_true(err.msg[0]);
}

static void test_spec__functions_of_binaries(void **state)
{
	(void)state;
	parse("c:malloc");
	assert_int_equal(spec.kind, PROBE_ENTRY);
	assert_string_equal(spec.binary, "c");
	assert_string_equal(spec.function, "malloc");
	parse("probe:/usr/bin/bash:readline+0x10");
	assert_string_equal(spec.binary, "/usr/bin/bash");
	assert_string_equal(spec.function, "readline");
	assert_int_equal(spec.offset, 16);
	parse("p:c:free");
	assert_string_equal(spec.function, "free");
	parse("uretprobe:c:malloc");
	assert_int_equal(spec.kind, PROBE_RETURN);
	parse("c:malloc%return");
	assert_int_equal(spec.kind, PROBE_RETURN);
	assert_string_equal(spec.function, "malloc");
	parse("./a.out:0x1234");
	assert_true(spec.has_address);
	assert_int_equal(spec.address, 0x1234);
	parse("./a.out:file.c:12");
	assert_string_equal(spec.source, "file.c:12");
	assert_null(spec.function);
}

static void test_spec__paths_with_colons(void **state)
{
	char folder[] = "/tmp/probe_spec:XXXXXX", path[64], text[96];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/a:b", folder);
	(void)snprintf(text, sizeof(text), "p:%s:ns::f", path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	parse(text);
	assert_string_equal(spec.binary, path);
	assert_string_equal(spec.function, "ns::f");
	assert_int_equal(remove(path), 0);
	parse(text); /* without the file, up to the first one */
	assert_string_equal(spec.binary, "/tmp/probe_spec");
	assert_int_equal(rmdir(folder), 0);
}

static void test_spec__places_of_the_source(void **state)
{
	static const char *const places[] = { "work:3", "ns::work:3", "work;sum*", "a.c;*x = 1",
					      "work@dir/a.c" };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "probe:/a.out:%s", places[i]);
		parse(text);
		assert_string_equal(spec.source, places[i]);
		assert_null(spec.function);
	}
	parse("c:memcpy@@GLIBC_2.14");
	assert_string_equal(spec.function, "memcpy@@GLIBC_2.14");
	parse("c:ns::f");
	assert_null(spec.source);
}

static void test_spec__names_of_other_languages(void **state)
{
	(void)state;
	parse("./a.out:ns::Class::method(int)");
	assert_string_equal(spec.binary, "./a.out");
	assert_string_equal(spec.function, "ns::Class::method(int)");
	parse("a.out:operator+");
	assert_string_equal(spec.function, "operator+");
	parse("a.out:main.run+2");
	assert_string_equal(spec.function, "main.run");
	assert_int_equal(spec.offset, 2);
}

static void test_spec__static_probes_and_tracepoints(void **state)
{
	(void)state;
	parse("usdt:libc.so.6:memory_malloc_retry");
	assert_int_equal(spec.kind, PROBE_USDT);
	assert_null(spec.provider);
	parse("u:/bin/x:lib:name");
	assert_string_equal(spec.provider, "lib");
	assert_string_equal(spec.function, "name");
	parse("t:sched:sched_*");
	assert_int_equal(spec.kind, PROBE_TRACEPOINT);
	assert_string_equal(spec.binary, "sched");
	assert_string_equal(spec.function, "sched_*");
	assert_true(probe_is_glob(spec.function));
}

static void test_spec__functions_of_the_kernel(void **state)
{
	(void)state;
	parse("vfs_read");
	assert_null(spec.binary);
	parse("p::vfs_read");
	assert_null(spec.binary);
	assert_string_equal(spec.function, "vfs_read");
	parse("kretprobe:vfs_read");
	assert_int_equal(spec.kind, PROBE_RETURN);
	probe_spec_done(&spec);
}

static void test_spec__refuses(void **state)
{
	(void)state;
	refuse("");
	refuse("c:");
	refuse("t:sched");
	refuse("u:name");
	refuse("u::name");
	refuse("uretprobe:c:malloc+4");
	refuse("c:a.c:12%return");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spec__functions_of_binaries),
		cmocka_unit_test(test_spec__paths_with_colons),
		cmocka_unit_test(test_spec__places_of_the_source),
		cmocka_unit_test(test_spec__names_of_other_languages),
		cmocka_unit_test(test_spec__static_probes_and_tracepoints),
		cmocka_unit_test(test_spec__functions_of_the_kernel),
		cmocka_unit_test(test_spec__refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
