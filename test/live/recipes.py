# SPDX-License-Identifier: GPL-2.0-or-later
"""Applies each recipe of CONTRIBUTING.md to a copy of the tree and builds the result.

A recipe may change only the files in its list in CONTRIBUTING.md, at most as many as in LIMITS. The
addition must work, and the checks of tools/ must pass on the result. A recipe without an example here
is an error, and so is an example without a recipe. The recipes are applied in memory; the copy and its
build stay in build-recipes/, so a second run builds only the changes.
"""
import os
import re
import subprocess
import sys

from tree_copy import TOP, read_tree, write_tree

SCRATCH = os.path.join(TOP, "build-recipes")
TREE = os.path.join(SCRATCH, "tree")
BUILD = os.path.join(SCRATCH, "build")
LIMITS = {"A command": 5, "An option": 1, "A tool that watches": 5, "A source of events": 5, "A symbolizer": 5, "A kind of event": 2,
          "A format": 4, "A view": 5,
          "A stop reason of stacks": 2, "A program for the kernel": 2}
NOT_TRIED = {"A CPU"}  # it needs a machine
SPDX = "SPDX-License-Identifier: GPL-2.0-or-later"

COMMAND = """/* %s */
/* cupel headcount: how many samples a profile has. */
#include <stdio.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"

struct headcount_options {
	bool loud;
};

static const struct option_def headcount_rows[] = {
	{ "loud", 0, OPT_FLAG, NULL, OPT(headcount_options, loud), "say it louder" },
	{ 0 },
};

static int headcount_run(void *options, int argc, char **argv, struct err *err)
{
	const struct headcount_options *o = options;

	if (argc)
		return command_usage(err, "unexpected word '%%s'", argv[0]);
	(void)printf("%%s\\n", o->loud ? "NOBODY" : "nobody");
	return EXIT_STATUS_OK;
}

const struct command cmd_headcount = {
	.name = "headcount",
	.args = "[options] [INPUT]",
	.summary = "show how many samples a profile has",
	.options = headcount_rows,
	.options_size = sizeof(struct headcount_options),
	.run = headcount_run,
};
""" % SPDX

MAN = """.\\" %s
.Dd $Mdocdate$
.Dt CUPEL-HEADCOUNT 1
.Os
.Sh NAME
.Nm cupel-headcount
.Nd show how many samples a profile has
.Sh OPTIONS
.\\" OPTIONS
.Sh EXAMPLES
.Dl $ cupel headcount
""" % SPDX

BATS = """#!/usr/bin/env bats
# %s

@test "headcount: empty" {
	run "$CUPEL" headcount
	[ "$status" -eq 0 ]
	[ "$output" = nobody ]
}
""" % SPDX

TOOL = """/* %s */
/* cupel forks: how many tasks are made. */
#include "base/err.h"
#include "command/command.h"
#include "command/tool/tool.h"
#include "event/event.h"
#include "event/machine.h"

static void take(struct tool_run *run, const struct event *event)
{
	const struct tool_options *o = run->options;
	uint64_t forks = event->machine->value[MACHINE_FORKS];

	tool_map_add(run, event->time_ns, forks);
	(void)buf_printf(&run->out, o->json ? "{\\"forks\\":%%llu}\\n" : "%%llu\\n",
			 (unsigned long long)forks);
}

static const struct tool forks = {
	.source = "machine",
	.tracing = "Counting new tasks",
	.map = { .title = "New tasks", .thing = "seconds", .unit_ns = 1 },
	.map_column_ns = 1000000000,
	.take = take,
};

static int forks_run(void *options, int argc, char **argv, struct err *err)
{
	if (argc)
		return command_usage(err, "unexpected argument '%%s'", argv[0]);
	return tool_main(&forks, options, (struct option_words){ argc, argv }, err);
}

const struct command cmd_forks = {
	.name = "forks",
	.args = "[options]",
	.summary = "show how many tasks are made",
	.options = tool_list_rows,
	.options_size = sizeof(struct tool_options),
	.run = forks_run,
};
""" % SPDX

TOOL_BATS = """#!/usr/bin/env bats
# %s

@test "forks: text, JSON and a heat map" {
	cd "$BATS_TEST_TMPDIR"
	run "$CUPEL" forks -d 300ms
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Counting new tasks... Hit Ctrl-C to end." ]
	[[ ${lines[1]} =~ ^[0-9]+$ ]]
	run "$CUPEL" forks -d 300ms --json --heatmap forks.svg
	[[ $output =~ ^..forks.:[0-9]+.$ ]]
	grep -q "New tasks" forks.svg
}
""" % SPDX

SYMBOLIZER = """/* %s */
/* Names of modules that begin with "//echo". */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "proc/module.h"
#include "symbol/registry.h"
#include "symbol/symbolizer.h"

static const struct symbolizer_ops *ops(void);

static int echo_open(struct symbolizer **ret, const struct module *module,
		     const struct symbol_options *options, struct err *err)
{
	(void)options;
	(void)err;
	*ret = NULL;
	if (strncmp(module->path, "//echo", 6) == 0) {
		*ret = mem_zalloc(sizeof(**ret));
		(*ret)->ops = ops();
	}
	return 0;
}

static bool echo_resolve(struct symbolizer *symbolizer, uint64_t offset, struct symbol *ret)
{
	(void)symbolizer;
	*ret = (struct symbol){ .start = offset, .end = offset + 1, .count = 1 };
	ret->frame[0].name = "echo";
	return true;
}

static void echo_close(struct symbolizer *symbolizer)
{
	free(symbolizer);
}

const struct symbolizer_ops symbolizer_echo = {
	.name = "echo",
	.open = echo_open,
	.resolve = echo_resolve,
	.close = echo_close,
};

static const struct symbolizer_ops *ops(void)
{
	return &symbolizer_echo;
}
""" % SPDX

SYMBOLIZER_TEST = """/* %s */
/* symbol/echo: modules that begin with "//echo" have a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proc/module.h"
#include "symbol/symbolizer.h"

static void test_echo(void **state)
{
	const struct symbol_options options = { .demangle = true };
	struct module_table *modules = module_table_new();
	struct module *module = module_table_named(modules, MODULE_JIT, "//echo", 0);
	struct symbolizer *symbolizer = symbolizer_open(module, &options);
	struct symbol symbol;

	(void)state;
	assert_true(symbolizer_resolve(symbolizer, 4, &symbol));
	assert_string_equal("echo", symbol.frame[0].name);
	symbolizer_close(symbolizer);
	module_table_free(modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_echo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
""" % SPDX

SOURCE = """/* %s */
/* Page faults of processes and of what they fork. snapshot() and stop() deliver an EVENT_READ for
 * each process, with the count since the start as value. Of struct source_options it reads
 * pids and program. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "source/id_list.h"
#include "source/source.h"

extern const struct source_ops source_page_faults;

struct page_faults {
	struct source source; /* first */
	struct id_list pid;
	VEC(int) fd; /* by process */
};

static struct page_faults *self_of(struct source *source)
{
	return (struct page_faults *)source;
}

static void page_faults_close(struct source *source)
{
	struct page_faults *self = self_of(source);

	for (size_t i = 0; i < self->fd.count; i++)
		fd_close(&self->fd.item[i]);
	vec_done(&self->fd);
	vec_done(&self->pid);
	free(self);
}

static int open_counters(struct page_faults *self, const struct source_options *options,
			 struct err *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.disabled = 1,
					.inherit = 1,
					.exclude_kernel = 1 };
	int code = id_list_parse(options->pids, "process", &self->pid, err);

	if (!code && options->program)
		vec_push(&self->pid, options->program);
	for (size_t i = 0; !code && i < self->pid.count; i++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, self->pid.item[i], -1, -1,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			code = err_errno(err, "counting page faults of process %%d",
					 self->pid.item[i]);
		else
			vec_push(&self->fd, fd);
	}
	return code;
}

static int page_faults_open(struct source **ret, const struct source_options *options,
			    struct err *err)
{
	struct page_faults *self = mem_zalloc(sizeof(*self));
	int code = open_counters(self, options, err);

	self->source = (struct source){ .ops = &source_page_faults, .fd = -1 };
	if (code)
		page_faults_close(&self->source);
	else
		*ret = &self->source;
	return code;
}

static int page_faults_start(struct source *source, struct err *err)
{
	struct page_faults *self = self_of(source);

	for (size_t i = 0; i < self->fd.count; i++)
		if (ioctl(self->fd.item[i], PERF_EVENT_IOC_ENABLE, 0))
			return err_errno(err, "counting page faults");
	return 0;
}

static int page_faults_snapshot(struct source *source, struct sink *sink, struct err *err)
{
	struct page_faults *self = self_of(source);
	int code = 0;

	for (size_t i = 0; !code && i < self->fd.count; i++) {
		const uint32_t pid = (uint32_t)self->pid.item[i];
		uint64_t count;
		const struct event event = { .type = EVENT_READ,
					     .pid = pid,
					     .tid = pid,
					     .cpu = UINT32_MAX,
					     .read = { &count, sizeof(count) } };

		if (read(self->fd.item[i], &count, sizeof(count)) != (ssize_t)sizeof(count))
			return err_errno(err, "reading page faults");
		code = sink->event(sink, &event, err);
	}
	return code;
}

const struct source_ops source_page_faults = {
	.name = "page_faults",
	.help = "page faults of processes, counted",
	.open = page_faults_open,
	.start = page_faults_start,
	.snapshot = page_faults_snapshot,
	.stop = page_faults_snapshot,
	.close = page_faults_close,
};
""" % SPDX

SOURCE_TEST = """/* %s */
/* source/page_faults: pages that a process touches the first time are counted, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "event/event.h"
#include "source/source.h"

#define PAGES ((size_t)300)

struct counted {
	struct sink sink; /* first */
	uint64_t faults;
};

static int take(struct sink *sink, const struct event *event, struct err *err)
{
	(void)err;
	assert_int_equal(EVENT_READ, event->type);
	assert_int_equal(getpid(), event->pid);
	memcpy(&((struct counted *)sink)->faults, event->read.values, sizeof(uint64_t));
	return 0;
}

static void touch(size_t pages)
{
	size_t bytes = pages * 4096;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	(void)madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
	(void)munmap(memory, bytes);
}

static void test_page_faults__are_counted(void **state)
{
	struct counted counted = { .sink.event = take };
	struct source_options options = { 0 };
	struct source *source;
	struct err err = { 0 };
	char pids[16];

	(void)state;
	(void)snprintf(pids, sizeof(pids), "%%d", (int)getpid());
	options.pids = pids;
	if (source_find("page_faults")->open(&source, &options, &err)) {
		assert_non_null(strstr(err.msg, "counting page faults"));
		return; /* not allowed here */
	}
	touch(PAGES); /* not started yet */
	assert_int_equal(0, source->ops->start(source, &err));
	assert_int_equal(0, source_snapshot(source, &counted.sink, &err));
	assert_true(counted.faults < PAGES);
	touch(PAGES);
	assert_int_equal(0, source->ops->stop(source, &counted.sink, &err));
	assert_in_range(counted.faults, PAGES, 2 * PAGES);
	source_close(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_faults__are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
""" % SPDX

FORMAT = """/* %s */
/* tally: how many samples each event has. */
#include "base/buf.h"
#include "base/err.h"
#include "format/format.h"
#include "profile/profile.h"

static int tally_write(const struct profile *profile, const struct format_write_options *options,
		       struct buf *ret, struct err *err)
{
	(void)options;
	(void)err;
	return buf_printf(ret, "%%zu stacks\\n", (size_t)profile->samples.count);
}

const struct format_ops format_tally = {
	.name = "tally",
	.suffix = ".tally",
	.help = "how many stacks there are",
	.write = tally_write,
};
""" % SPDX

VIEW = """/* %s */
#include "view/headcount.h"

#include "base/buf.h"
#include "profile/profile.h"

void headcount_view(const struct profile *profile, const struct headcount_view_options *options,
		    struct buf *ret)
{
	(void)buf_printf(ret, "%%zu%%s\\n", (size_t)profile->samples.count,
			 options->loud ? "!" : "");
}
""" % SPDX

VIEW_HEADER = """/* %s */
/* How many stacks a profile has. Pure function. */
#ifndef VIEW_HEADCOUNT_H
#define VIEW_HEADCOUNT_H

#include <stdbool.h>

struct buf;
struct profile;

struct headcount_view_options {
	bool loud;
};

void headcount_view(const struct profile *profile, const struct headcount_view_options *options,
		    struct buf *ret);

#endif
""" % SPDX

COMMAND_OF_VIEW = """	struct headcount_view_options view = { .loud = o->loud };
	struct load_options load = { 0 };
	struct profile *profile;
	struct buf out = { 0 };
	int r;

	if (!argc) {
		(void)printf("%s\\n", o->loud ? "NOBODY" : "nobody");
		return EXIT_STATUS_OK;
	}
	if (session_load(argv[0], &load, &profile, err))
		return -1;
	headcount_view(profile, &view, &out);
	profile_free(profile);
	r = command_write_output(NULL, &out, err);
	buf_done(&out);
	return r ? -1 : EXIT_STATUS_OK;
"""

BPF = """/* %s */
#include "bpf/kernel.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

__u64 seen;

SEC("perf_event")
int notice(void *context)
{
	(void)context;
	__sync_fetch_and_add(&seen, 1);
	return 0;
}
""" % SPDX


tree = read_tree()  # as the recipes leave it; write_tree() puts it into TREE


def path_of(name):
    return os.path.join(TREE, name)


def read(name):
    return tree[name][0].decode()


def write(name, text):
    tree[name] = (text.encode(), tree[name][1] if name in tree else 0o644)


def insert(name, before, text):
    """Inserts a line before the first one that contains `before`."""
    old = read(name)
    at = old.index(before)
    at = old.rfind("\n", 0, at) + 1
    write(name, old[:at] + text + old[at:])


def append(name, text):
    write(name, read(name) + text)


def replace(name, old, new):
    text = read(name)
    if old not in text:
        raise AssertionError("%s: nothing to replace in it: %s" % (name, old))
    write(name, text.replace(old, new, 1))


def run(*words, **options):
    """The output of a command, which must succeed, or with fails=True must fail."""
    fails = options.pop("fails", False)
    result = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=TREE,
                            env=dict(os.environ, CUPEL=os.path.join(BUILD, "cupel")), check=False)
    if (result.returncode != 0) != fails:
        print(result.stdout[-4000:])
        raise AssertionError("%s: status %d" % (" ".join(words), result.returncode))
    return result.stdout


def ninja(*targets, **options):
    return run("ninja", "-C", BUILD, "--quiet", *targets, **options)


def cupel(*words):
    return run(os.path.join(BUILD, "cupel"), *words)


def a_command():
    write("src/command/headcount.c", COMMAND.replace("\tbool loud;\n", "\tbool unused;\n")
          .replace('\t{ "loud", 0, OPT_FLAG, NULL, OPT(headcount_options, loud), "say it louder" },\n', "")
          .replace('"%s\\n", o->loud ? "NOBODY" : "nobody"', '"nobody\\n"')
          .replace("\tconst struct headcount_options *o = options;\n\n", "\t(void)options;\n"))
    insert("src/command/meson.build", "'heatmap.c'", "  'headcount.c',\n")
    insert("src/command/commands.def", "COMMAND(heatmap)", "COMMAND(headcount)\n")
    write("doc/man/cupel-headcount.1.in", MAN)
    write("test/command/headcount.bats", BATS)
    return {"name": "headcount", "built": ["cupel", "doc/man/cupel-headcount.1"]}


def check_command():
    assert "headcount" in cupel("help")
    run("bats", "test/command/headcount.bats")


def an_option():
    write("src/command/headcount.c", COMMAND)
    return {"name": "headcount", "built": ["cupel", "doc/man/cupel-headcount.1"]}


def check_option():
    assert cupel("headcount", "--loud") == "NOBODY\n"
    assert "--loud" in cupel("headcount", "--help")
    with open(os.path.join(BUILD, "doc/man/cupel-headcount.1")) as page:
        assert "say it louder" in page.read()


def a_tool():
    write("src/command/tool/forks.c", TOOL)
    insert("src/command/tool/meson.build", "'interval.c'", "  'forks.c',\n")
    insert("src/command/commands.def", "COMMAND(heatmap)", "COMMAND(forks)\n")
    write("doc/man/cupel-forks.1.in", MAN.replace("HEADCOUNT", "FORKS").replace("headcount", "forks")
          .replace("show how many samples a profile has", "show how many tasks are made").replace("$ cupel forks", "$ cupel forks -d 1"))
    write("test/command/forks.bats", TOOL_BATS)
    return {"name": "forks", "built": ["cupel", "doc/man/cupel-forks.1"]}


def check_tool():
    run("bats", "test/command/forks.bats")


def a_source():
    write("src/source/page_faults.c", SOURCE)
    insert("src/source/meson.build", "'run_queue.c'", "  'page_faults.c',\n")
    insert("src/source/source.c", "X(run_delay)", "\tX(page_faults) \\\n")
    write("test/unit/test_source_page_faults.c", SOURCE_TEST)
    insert("test/unit/meson.build", "'source_run_queue'", "  'source_page_faults',\n")
    return {"name": "page_faults", "built": ["test/unit/test_source_page_faults"]}


def check_source():
    run(os.path.join(BUILD, "test/unit/test_source_page_faults"))


def a_symbolizer():
    write("src/symbol/echo.c", SYMBOLIZER)
    insert("src/symbol/meson.build", "'process_file.c'", "  'echo.c',\n")
    insert("src/symbol/symbolizers.def", "SYMBOLIZER(elf)", "SYMBOLIZER(echo)\n")
    write("test/unit/test_symbol_echo.c", SYMBOLIZER_TEST)
    insert("test/unit/meson.build", "'symbol_chain'", "  'symbol_echo',\n")
    return {"name": "echo", "built": ["test/unit/test_symbol_echo"]}


def check_symbolizer():
    run(os.path.join(BUILD, "test/unit/test_symbol_echo"))


def a_format():
    write("src/format/tally.c", FORMAT)
    insert("src/format/meson.build", "'schedstat_read.c'", "  'tally.c',\n")
    append("src/format/formats.def", "FORMAT(tally)\n")
    write("test/golden/tally/two/args", "convert --format tally -o - input.folded\n")
    write("test/golden/tally/two/input.folded", "a;b 1\na;c 2\n")
    write("test/golden/tally/two/expected", "2 stacks\n")
    return {"name": "tally", "built": ["cupel"]}


def check_format():
    run("test/golden/run", path_of("test/golden/tally/two"))
    assert "tally" in cupel("convert", "--help") + cupel("convert", "--list")


def a_view():
    write("src/view/headcount.c", VIEW)
    write("src/view/headcount.h", VIEW_HEADER)
    insert("src/view/meson.build", "'top.c'", "  'headcount.c',\n")
    replace("src/command/headcount.c", COMMAND[COMMAND.index("\n\tif (argc)"):COMMAND.index("}\n\nconst struct command")],
            COMMAND_OF_VIEW)
    replace("src/command/headcount.c", '#include "base/err.h"\n', '#include "base/buf.h"\n#include "base/err.h"\n')
    replace("src/command/headcount.c", '#include "command/option/option.h"\n',
            '#include "command/option/option.h"\n#include "profile/profile.h"\n'
            '#include "session/load/load.h"\n#include "session/recording.h"\n'
            '#include "view/headcount.h"\n')
    write("test/golden/headcount/two/args", "headcount --loud input.folded\n")
    write("test/golden/headcount/two/input.folded", "a;b 1\na;c 2\n")
    write("test/golden/headcount/two/expected", "2!\n")
    return {"name": "headcount", "built": ["cupel"], "COMMAND": "headcount"}


def check_view():
    run("test/golden/run", path_of("test/golden/headcount/two"))


def a_stop_reason():
    replace("src/event/stop.h", '\tX(DEPTH, "depth"', '\tX(MOON, "moon", "the moon was full", "wait a week") \\\n'
            '\tX(DEPTH, "depth"')
    insert("doc/unwinding.md", "| `depth` |", "| `moon` | the moon was full | wait a week |\n")
    return {"name": "moon", "built": ["cupel"]}


STOP_OBJECT = "src/libcupel.a.p/event_stop.c.o"


def does_not_build(name, text, target):
    """The output of a failing build with this text in the file, which is then restored with its time."""
    old, time = read(name), os.stat(path_of(name)).st_mtime_ns
    with open(path_of(name), "w") as file:
        file.write(text)
    said = ninja(target, fails=True)
    with open(path_of(name), "w") as file:
        file.write(old)
    os.utime(path_of(name), ns=(time, time))
    ninja(target)
    return said


def check_stop_reason():
    """A stop reason without its row in the docs or without advice must not build."""
    page = read("doc/unwinding.md").replace("| `moon` | the moon was full | wait a week |\n", "")
    said = does_not_build("doc/unwinding.md", page, "src/event/stop_documented.h" if os.path.exists(
        os.path.join(BUILD, "src/event/stop_documented.h")) else "src/stop_documented.h")
    assert "has no row for `moon`" in said, said
    header = read("src/event/stop.h").replace(', "wait a week")', ")")
    does_not_build("src/event/stop.h", header, STOP_OBJECT)


def a_kind():
    replace("src/event/kind.h", "\tX(OTHER,", "\tX(MOON, EVENT_UNIT_COUNT) \\\n\tX(OTHER,")
    insert("src/event/kind.c", '{ "cpu-clock"', '\t{ "moon", EVENT_KIND_MOON },\n')
    return {"name": "moon", "built": ["cupel"]}


def check_kind():
    """Builds only, because no recording has this kind."""


def a_program():
    write("src/bpf/noticed.bpf.c", BPF)
    insert("src/bpf/meson.build", "'off_cpu',", "  'noticed',\n")
    return {"name": "noticed", "built": ["src/bpf/noticed.skel.h"]}


def check_program():
    with open(os.path.join(BUILD, "src/bpf/noticed.skel.h")) as skeleton:
        assert "struct noticed_bpf" in skeleton.read()


RECIPES = [
    ("A command", a_command, check_command),
    ("An option", an_option, check_option),
    ("A tool that watches", a_tool, check_tool),
    ("A source of events", a_source, check_source),
    ("A symbolizer", a_symbolizer, check_symbolizer),
    ("A format", a_format, check_format),
    ("A view", a_view, check_view),
    ("A stop reason of stacks", a_stop_reason, check_stop_reason),
    ("A kind of event", a_kind, check_kind),
    ("A program for the kernel", a_program, check_program),
]


def listed_files():
    """The files of each recipe in CONTRIBUTING.md."""
    text = read("CONTRIBUTING.md")
    text = text[text.index("## Recipes"):]
    result = {}
    for name, body in re.findall(r"^\*\*([^*]+)\.\*\*(.*?)(?=^\*\*|\Z)", text, re.M | re.S):
        files = re.search(r"^Files: (.*?)\.\s*$", body, re.M | re.S)
        result[name] = re.findall("`([^`]+)`", files.group(1)) if files else None
    return result


def touched(before, after):
    """The names of files that differ; a golden case counts as one."""
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return {re.sub("^(test/golden/[^/]+/).*", r"\1", name) for name in names}


def main():
    before = dict(tree)
    recipes = listed_files()
    failed = 0
    tried = {name for name, _, _ in RECIPES}
    for name in set(recipes) - tried - NOT_TRIED:
        print("FAIL: %s: no example here" % name)
        failed += 1
    built = []
    for name, apply, _ in RECIPES:
        if not recipes.get(name):
            print("FAIL: %s: no list of files in CONTRIBUTING.md" % name)
            failed += 1
            continue
        made = apply()
        after = dict(tree)
        want = {file.replace("NAME", made["name"]).replace("COMMAND", made.get("COMMAND", "")) for file in recipes[name]}
        got = touched(before, after)
        if got != want or len(got) > LIMITS[name]:
            print("FAIL: %s: touches %s, the recipe says %s, at most %d" %
                  (name, sorted(got), sorted(want), LIMITS[name]))
            failed += 1
        built += made["built"]
        before = after
        print("%s: %d files" % (name, len(got)))
    write_tree(tree, TREE)
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        run("meson", "setup", "-Dbuildtype=plain", "-Dwerror=true", BUILD, TREE)
    ninja(*sorted(set(built)))
    for name, _, check in RECIPES:
        try:
            check()
        except AssertionError as error:
            print("FAIL: %s: %s" % (name, error))
            failed += 1
    for tool in ("check-tests", "check-layers", "check-licence", "check-sizes"):
        run(os.path.join(TREE, "tools", tool))
    return 1 if failed else 0


sys.exit(main())
