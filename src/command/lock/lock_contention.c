/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel lock contention: contention of the kernel's locks in perf lock contention's layout, of a
 * recording, or summed up in the kernel (-b). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/lock/lock_input.h"
#include "command/lock/lock_live.h"
#include "command/option/accepted.h"
#include "command/output.h"
#include "command/reader.h"
#include "profile/profile.h"
#include "view/lock/contention_view.h"

struct lock_contention {
	struct lock_input in;
	const char *lock;
	unsigned key;
	uint64_t entries, duration_ns;
	const char *separator;
	bool bpf, everybody, threads, addresses, owner, cgroup, verbose;
	struct output_options output;
};

#define FIELD(name) OPT(lock_contention, name)

static const struct option_def lock_contention_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", FIELD(in.path), "recording to read, - = stdin" },
	{ "use-bpf", 'b', OPT_FLAG, NULL, FIELD(bpf), "watch and sum up in the kernel" },
	{ "all-cpus", 'a', OPT_FLAG, NULL, FIELD(everybody), "watch all threads (-b)" },
	{ "pid", 'p', OPT_STR, "LIST", FIELD(in.pids), "only these processes" },
	{ "tid", 0, OPT_STR, "LIST", FIELD(in.tids), "only these threads" },
	{ "cpu", 'C', OPT_STR, "LIST", FIELD(in.cpus), "only on these CPUs, of recordings" },
	{ "duration", 0, OPT_DURATION, "TIME", FIELD(duration_ns), "watch this long (-b)" },
	{ "threads", 't', OPT_FLAG, NULL, FIELD(threads), "a row for each thread" },
	{ "lock-addr", 'l', OPT_FLAG, NULL, FIELD(addresses), "a row for each lock" },
	{ "lock-owner", 'o', OPT_FLAG, NULL, FIELD(owner), "a row for each owner (-b)" },
	{ "lock-cgroup", 0, OPT_FLAG, NULL, FIELD(cgroup), "a row for each cgroup (-b)" },
	{ "type-filter", 'Y', OPT_STR, "LIST", FIELD(in.filter.types),
	  "only these types, such as spinlock, mutex, rwsem, rwsem:R" },
	{ "lock-filter", 'L', OPT_STR, "LIST", FIELD(lock),
	  "only these locks, by address or by name" },
	{ "callstack-filter", 'S', OPT_STR, "LIST", FIELD(in.filter.functions),
	  "only waits with one of these functions in their stack" },
	{ "key", 'k', OPT_CHOICE, "KEY", FIELD(key), "order of the rows", .choices = LOCK_ORDERS },
	{ "entries", 'E', OPT_UINT, "N", FIELD(entries), "show this many rows" },
	{ "field-separator", 'x', OPT_STR, "SEP", FIELD(separator),
	  "print values in ns with this between them" },
	{ "stack-skip", 0, OPT_UINT, "N", FIELD(in.skip),
	  "functions at the top of stacks to skip, of recordings (default 3)" },
	{ "time", 0, OPT_STR, "FROM,TO", FIELD(in.time), "only this part of the recording" },
	{ "verbose", 'v', OPT_FLAG, NULL, FIELD(verbose), "print the stack of each row" },
	{ "kallsyms", 0, OPT_STR, "FILE", FIELD(in.symbol.kallsyms_path), "symbols of the kernel" },
	{ .type = OPT_INCLUDE, .include = accepted_lock_contention_rows },
	/* those of output_option_rows, but perf's -o is --lock-owner */
	{ "json", 0, OPT_FLAG, NULL, FIELD(output.json), "print JSON" },
	{ "output", 0, OPT_OUTPUT, "FILE", FIELD(output.path),
	  "write to FILE instead of standard output" },
	{ .type = OPT_END },
};

static void lock_contention_defaults(void *options)
{
	struct lock_contention *o = options;

	o->in.symbol = (struct symbol_options){ .demangle = true, .symfs = "" };
	o->in.skip = LOCK_SKIPPED;
}

static int check(const struct lock_contention *o, bool watches, struct err *err)
{
	if (o->threads + o->addresses + o->owner + o->cgroup > 1)
		return command_usage(err, "only one of -t, -l, -o and --lock-cgroup may be given");
	if (!watches && (o->owner || o->cgroup))
		return command_usage(err, "recordings have no owners and cgroups: use -b");
	if (watches && o->in.path)
		return command_usage(err, "-i reads a recording: it cannot be combined with -b, "
					  "-a and a program");
	return 0;
}

/* Names of locks are known when the rows are: those of other locks go. */
static void select_names(const struct lock_contention *o, struct contention *contention,
			 struct profile *profile)
{
	size_t kept = 0;

	if (!o->lock || !contention->row.count || isdigit((unsigned char)o->lock[0]))
		return;
	for (size_t i = 0; i < contention->row.count; i++) {
		const char *name = profile_string(profile, contention->row.item[i].name);
		size_t len = strcspn(name, "+");

		if (len && strncmp(o->lock, name, len) == 0 && o->lock[len] == '\0')
			contention->row.item[kept++] = contention->row.item[i];
	}
	contention->row.count = kept;
}

static int show(const struct lock_contention *o, struct contention *contention,
		struct profile *profile, struct err *err)
{
	const struct option_words *words = command_words();
	const struct contention_view view = { .profile = profile,
					      .contention = contention,
					      .entries = o->entries,
					      .stacks = o->verbose,
					      .width = command_terminal_width(o->output.path),
					      .separator = o->separator,
					      .words = (const char *const *)words->argv,
					      .word_count = (size_t)words->argc };
	struct buf out = { 0 };

	select_names(o, contention, profile);
	contention_sort(contention, lock_order(o->key, CONTENTION_WAIT_TOTAL));
	(o->output.json ? contention_json : contention_text)(&view, &out);
	return command_end_output(0, o->output.path, &out, err);
}

/* Of version 2; a thread that has ended is in none. */
static string_id cgroup_of(struct profile *profile, uint32_t tid)
{
	char path[64], line[4096];
	FILE *file;
	string_id ret = strtab_puts(profile->strings, "unknown");

	(void)snprintf(path, sizeof(path), "/proc/%u/cgroup", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "0::", 3) == 0) {
			line[strcspn(line, "\n")] = '\0';
			ret = strtab_puts(profile->strings, line + 3);
		}
	if (file)
		(void)fclose(file);
	return ret;
}

static int watch(struct lock_contention *o, struct contention *contention, char **program,
		 struct err *err)
{
	struct lock_live live = { .choice = { .kernel = true },
				  .pids = o->in.pids,
				  .tids = o->in.tids,
				  .duration_ns = o->duration_ns,
				  .everybody = o->everybody,
				  .addresses = true };
	int code = lock_live_watch(&live, program, err);

	if (!code) {
		contention_fill_sums(contention, live.profile, &o->in.filter, cgroup_of);
		lock_input_name(contention, live.profile);
		code = show(o, contention, live.profile, err);
	}
	return lock_live_done(&live, code, err);
}

static int read_file(struct lock_contention *o, const struct option_words *words,
		     struct contention *contention, struct err *err)
{
	struct profile *profile = NULL;
	int code;

	reader_begin(command_words(), o->output.path != NULL);
	code = lock_input_read(&o->in, words, contention, &profile, err);
	if (!code)
		code = show(o, contention, profile, err);
	profile_free(profile);
	return code > 0 ? code : code ? -1 : EXIT_STATUS_OK;
}

static int lock_contention_run(void *options, int argc, char **argv, struct err *err)
{
	struct lock_contention *o = options;
	const struct option_words words = { argc, argv };
	bool watches = o->bpf || o->everybody;
	struct contention contention = { .by = o->threads     ? CONTENTION_BY_THREAD
					       : o->addresses ? CONTENTION_BY_LOCK
					       : o->owner     ? CONTENTION_BY_OWNER
					       : o->cgroup    ? CONTENTION_BY_CGROUP
							      : CONTENTION_BY_CALLER };
	int status = check(o, watches, err);

	if (status)
		return status;
	if (o->lock && isdigit((unsigned char)o->lock[0]))
		o->in.filter.locks = o->lock;
	else if (o->lock && !o->addresses)
		return command_usage(err, "-L with names: use -l as well");
	status = watches ? watch(o, &contention, argc ? argv : NULL, err)
			 : read_file(o, &words, &contention, err);
	contention_done(&contention);
	return status;
}

const struct command cmd_lock_contention = {
	.name = "lock contention",
	.args = "[options] [FILE | -- program arguments]",
	.summary = "show contention of the kernel's locks by caller, thread or lock",
	.options = lock_contention_rows,
	.options_size = sizeof(struct lock_contention),
	.defaults = lock_contention_defaults,
	.run = lock_contention_run,
	.takes_program = true,
};
