/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel version: which cupel this is and what it was built with. */
#include <libdeflate.h>
#include <lzma.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <zlib.h>
#include <zstd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/version.h"
#include "source/bpf/bpf_probe.h"
#include "unwind/arch/arch.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

struct version_options {
	bool build_options;
};

static const struct option_def version_rows[] = {
	{ "build-options", 0, OPT_FLAG, NULL, OPT(version_options, build_options),
	  "show build options and what this machine supports" },
	{ 0 },
};

void version_print(void)
{
	(void)printf("cupel version %s\n", CUPEL_VERSION);
}

static void print_row(const char *name, const char *value)
{
	(void)printf("%12s: %s\n", name, value);
}

/* Whether that works here; for people, so the reason is on the same line. */
static void print_ability(const char *name, int code, const struct err *err)
{
	if (code == 0)
		print_row(name, "yes");
	else
		(void)printf("%12s: no (%s)\n", name, err->msg);
}

static void print_bpf(void)
{
	static const char *const name[BPF_PARTS] = {
		[BPF_WHOLE_STACKS] = "whole stacks",
		[BPF_OFF_CPU] = "off-cpu",
		[BPF_LEDGER] = "wall",
	};
	struct err err = { 0 };
	int code = bpf_probe(&err);

	print_ability("bpf", code, &err);
	for (enum bpf_part part = 0; !code && part < BPF_PARTS; part++) {
		struct err why = { 0 };

		print_ability(name[part], bpf_probe_part(part, &why), &why);
	}
}

/* Parts of perf that its scripts ask for, in its words. */
static void print_absent(void)
{
	static const char *const names[] = { "libbfd", "libperl", "libpython" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		print_row(names[i], "[ OFF ]");
}

static void print_build_options(void)
{
	struct utsname machine = { 0 };

	(void)uname(&machine); /* on failure the row is empty */
	print_row("compiler", COMPILER);
	print_row("libbpf", libbpf_version_string());
	print_row("zlib", zlibVersion());
	print_row("libdeflate", LIBDEFLATE_VERSION_STRING);
	print_row("zstd", ZSTD_versionString());
	print_row("lzma", lzma_version_string());
	print_row("machine", machine.machine);
	print_row("kernel", machine.release);
	print_bpf();
	if (ARCH_STACK_GAPS[0])
		print_row("gaps", ARCH_STACK_GAPS);
	print_absent();
}

static int version_run(void *options, int argc, char **argv, struct err *err)
{
	const struct version_options *o = options;

	if (argc)
		return command_usage(err, "unexpected argument '%s'", argv[0]);
	version_print();
	if (o->build_options)
		print_build_options();
	return EXIT_STATUS_OK;
}

const struct command cmd_version = {
	.name = "version",
	.args = "[options]",
	.summary = "show the version and build options",
	.options = version_rows,
	.options_size = sizeof(struct version_options),
	.run = version_run,
};
