/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel script: a recording as text, in the shape of perf script. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/output.h"
#include "profile/redact.h"
#include "session/load/load_meta.h"
#include "session/script/script.h"
#include "session/script/script_learn.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/load_options.h"
#include "command/option/accepted.h"
#include "command/option/option.h"
#include "command/reader.h"
#include "format/perf_data/perf_data.h"
#include "session/recording.h"
#include "symbol/code/disassembler.h"

#define DEFAULT_MAX_STACK 127

struct script_command {
	struct script_options script;
	struct option_list fields;
	const char *input;
	uint64_t max_stack;
	unsigned verbose;
	bool header, header_only, show_info, no_inline, no_demangle, per_event;
};

#define OPT_SCRIPT(field) OPT(script_command, field)

static const struct option_def script_rows[] = {
	{ "input", 'i', OPT_STR, "FILE", OPT_SCRIPT(input),
	  "recording to read (default perf.data, - for stdin)" },
	{ "fields", 'F', OPT_LIST, "FIELDS", OPT_SCRIPT(fields),
	  "fields to print, comma-separated; +FIELD and -FIELD change the default, TYPE: limits "
	  "them to hw, sw, trace, raw or break events" },
	{ "hide-call-graph", 'G', OPT_FLAG, NULL, OPT_SCRIPT(script.no_chain),
	  "print no call chains" },
	{ "max-stack", 0, OPT_UINT, "N", OPT_SCRIPT(max_stack), "print at most N frames" },
	{ "ns", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.ns), "print times in nanoseconds" },
	{ "reltime", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.reltime),
	  "print times since the first sample" },
	{ "deltatime", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.deltatime),
	  "print times since the sample before" },
	{ "header", 0, OPT_FLAG, NULL, OPT_SCRIPT(header), "print the recording's header first" },
	{ "header-only", 0, OPT_FLAG, NULL, OPT_SCRIPT(header_only), "print only the header" },
	{ "show-info", 'I', OPT_FLAG, NULL, OPT_SCRIPT(show_info),
	  "include topology and caches in the header" },
	{ "stop-bt", 0, OPT_STR, "LIST", OPT_SCRIPT(script.stop_frames),
	  "end call chains at these functions" },
	{ "dump-raw-trace", 'D', OPT_FLAG, NULL, OPT_SCRIPT(script.dump),
	  "also print the bytes of all records" },
	{ "per-event-dump", 0, OPT_FLAG, NULL, OPT_SCRIPT(per_event),
	  "write each event's samples to a separate file: FILE.EVENT.dump" },
	{ "Filters", 0, OPT_GROUP, NULL, 0, NULL },
	{ "comms", 'c', OPT_STR, "LIST", OPT_SCRIPT(script.filter.comms), "only these commands" },
	{ "pid", 0, OPT_STR, "LIST", OPT_SCRIPT(script.filter.pids), "only these processes" },
	{ "tid", 0, OPT_STR, "LIST", OPT_SCRIPT(script.filter.tids), "only these threads" },
	{ "cpu", 'C', OPT_STR, "LIST", OPT_SCRIPT(script.filter.cpus), "only these CPUs" },
	{ "time", 0, OPT_STR, "RANGE", OPT_SCRIPT(script.filter.time),
	  "only this time range: start,stop or 10%/2 or 10%-20%" },
	{ "symbols", 'S', OPT_STR, "LIST", OPT_SCRIPT(script.symbols), "only these functions" },
	{ "dsos", 0, OPT_STR, "LIST", OPT_SCRIPT(script.dsos), "only these modules" },
	{ "Other records", 0, OPT_GROUP, NULL, 0, NULL },
	{ "show-task-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_tasks),
	  "print names, starts and ends of threads" },
	{ "show-mmap-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_mmaps), "print mappings" },
	{ "show-switch-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_switches),
	  "print context switches" },
	{ "show-lost-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_lost),
	  "print where events were lost" },
	{ "show-namespace-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_namespaces),
	  "print namespaces" },
	{ "show-cgroup-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_cgroups),
	  "print control groups" },
	{ "show-bpf-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_bpf),
	  "print loading and unloading of BPF programs and kernel symbols" },
	{ "show-round-events", 0, OPT_FLAG, NULL, OPT_SCRIPT(script.show_rounds),
	  "print the ends of the recorder's rounds" },
	{ "Symbols", 0, OPT_GROUP, NULL, 0, NULL },
	{ "no-inline", 0, OPT_FLAG, NULL, OPT_SCRIPT(no_inline), "do not show inlined functions" },
	{ "no-demangle", 0, OPT_FLAG, NULL, OPT_SCRIPT(no_demangle),
	  "print symbols as they are in the file" },
	{ "symfs", 0, OPT_STR, "DIR", OPT_SCRIPT(script.replay.symbol.symfs),
	  "look for binaries under this directory" },
	{ "kallsyms", 0, OPT_STR, "FILE", OPT_SCRIPT(script.replay.symbol.kallsyms_path),
	  "kernel symbols (default /proc/kallsyms)" },
	{ "vmlinux", 'k', OPT_STR, "FILE", OPT_SCRIPT(script.replay.symbol.vmlinux_path),
	  "kernel image with symbols" },
	{ "verbose", 'v', OPT_COUNT, NULL, OPT_SCRIPT(verbose), "be more verbose" },
	{ .type = OPT_INCLUDE, .include = trust_option_rows },
	{ .type = OPT_INCLUDE,
	  .include = redact_option_rows,
	  .offset = OPT_SCRIPT(script.redaction) },
	{ .type = OPT_INCLUDE, .include = accepted_reader_rows },
	{ .type = OPT_INCLUDE, .include = accepted_script_rows },
	{ .type = OPT_INCLUDE, .include = refused_script_rows },
	{ 0 },
};

static void script_defaults(void *options)
{
	struct script_command *c = options;

	c->max_stack = DEFAULT_MAX_STACK;
	script_fields_init(&c->script.fields);
}

static int write_out(struct script_output *output, struct buf *text, struct err *err)
{
	int code = command_write_output(NULL, text, err);

	(void)output;
	if (!code && reader_is_left())
		code = err_set(err, -ECANCELED, "standard output: the pager has been left");
	return code;
}

static bool prints(const struct script_fields *fields, uint64_t wanted)
{
	for (unsigned kind = 0; kind < SCRIPT_KINDS; kind++)
		if (fields->kind[kind].fields & wanted)
			return true;
	return false;
}

static void set_symbol_options(struct script_command *c)
{
	struct replay_options *replay = &c->script.replay;

	replay->max_stack = (uint32_t)c->max_stack;
	replay->progress = !isatty(STDOUT_FILENO);
	replay->late_names = true;
	replay->symbol.demangle = !c->no_demangle;
	replay->symbol.inlines = !c->no_inline;
	replay->symbol.lines = prints(&c->script.fields, SCRIPT_FIELD(SRCLINE));
	replay->no_symbols = !prints(&c->script.fields, SCRIPT_FIELD(SYM) | SCRIPT_FIELD(SRCLINE) |
								SCRIPT_FIELD(BRSTACKSYM) |
								SCRIPT_FIELD(TRACE)) &&
			     !c->script.symbols;
	if (!replay->symbol.symfs)
		replay->symbol.symfs = "";
}

static void report_damage(const char *name, const struct perf_data_stats *stats, bool verbose)
{
	recording_warn_damage(name, stats);
	if (stats->unknown_records && verbose)
		command_warn("%s: %llu records of unknown types skipped", name,
			     (unsigned long long)stats->unknown_records);
	recording_warn_lost(name, stats);
}

static int print_header(const struct script_command *c, struct recording *recording,
			struct err *err)
{
	struct buf text = { 0 };
	int failed = recording_header_text(recording, c->show_info, &text, err);

	if (!failed)
		failed = command_write_output(NULL, &text, err);
	buf_done(&text);
	return failed;
}

static int print_recording(struct script_command *c, struct recording *recording, struct err *err)
{
	struct script_output output = { .write = write_out };
	struct perf_data *data;
	int code;

	if (recording_data(recording, &data, err) ||
	    ((c->header || c->header_only) && print_header(c, recording, err)))
		return err->code;
	if (c->header_only)
		return 0;
	set_symbol_options(c);
	c->script.name = recording_name(recording);
	code = session_script(data, &c->script, &output, err);
	(void)reader_end_page(); /* before the warnings; a terminal takes what it held */
	if (code) {
		buf_done(&output.missing);
		return reader_is_left() ? 0 : code;
	}
	if (output.missing.len)
		command_warn("%s: functions have no names: %s", recording_name(recording),
			     output.missing.data);
	buf_done(&output.missing);
	report_damage(recording_name(recording), perf_data_stats(data), c->verbose);
	/* counts are no samples; a dump has printed them */
	return !c->script.dump && !perf_data_stats(data)->samples && load_meta_is_counted(data)
		       ? load_meta_no_samples(data, recording_name(recording), err)
		       : 0;
}

struct file_output {
	struct script_output output;
	int fd;
	uint64_t bytes;
};

static int write_file(struct script_output *output, struct buf *text, struct err *err)
{
	struct file_output *file = (struct file_output *)output;
	int code;

	text_tidy_lines(text->data, text->len);
	file->bytes += text->len;
	code = fd_write_all(file->fd, text->data, text->len);
	return code ? err_set(err, code, "cannot write: %s", strerror(-code)) : 0;
}

/* Part of a dump is none: it is dropped, and err says why already. */
static int close_dump(const char *path, const struct file_output *file, int failed, struct err *err)
{
	struct err ignored = { 0 };

	if (!failed)
		return reader_close_output(path, file->fd, true, err);
	(void)reader_close_output(path, file->fd, false, &ignored);
	return failed;
}

/* Writes the samples of one event to a separate file; reads the recording once for each. */
static int dump_event(struct script_command *c, const char *input, const char *event,
		      struct err *err)
{
	struct file_output output = { .output.write = write_file };
	struct recording *recording = NULL;
	struct buf path = { 0 };
	struct perf_data *data;
	int failed = recording_open(input, &recording, err);

	if (failed)
		return failed;
	(void)buf_printf(&path, "%s.%s.dump", recording_name(recording), event);
	for (size_t i = path.len - strlen(event) - 5; i < path.len; i++)
		if (path.data[i] == '/')
			path.data[i] = '_'; /* of "cpu/cycles/" */
	failed = recording_data(recording, &data, err);
	if (!failed)
		output.fd = reader_open_output(path.data, err);
	if (!failed && output.fd < 0)
		failed = output.fd;
	if (!failed) {
		c->script.filter.event = event;
		failed = session_script(data, &c->script, &output.output, err);
		failed = close_dump(path.data, &output, failed, err);
	}
	if (!failed)
		command_say("wrote %.3f MB to %s", (double)output.bytes / 1e6, path.data);
	recording_close(recording);
	buf_done(&path);
	buf_done(&output.output.missing);
	return failed;
}

static int dump_events(struct script_command *c, struct recording *recording, struct err *err)
{
	const char *input = c->input;
	const struct event_set *events;
	struct perf_data *data;

	if (input && strcmp(input, "-") == 0)
		return err_set(err, -EINVAL, "%s: --per-event-dump needs a file",
			       recording_name(recording));
	if (recording_data(recording, &data, err))
		return err->code;
	set_symbol_options(c);
	events = perf_data_events(data);
	for (size_t i = 0; i < events->desc.count; i++)
		if (dump_event(c, input, events->desc.item[i]->name, err))
			return err->code;
	return 0;
}

/* With pseudonyms it is read twice. */
static int open_input(const struct script_command *c, struct recording **ret_base,
		      struct recording **ret, struct err *err)
{
	int code = recording_open(c->input, ret_base, err);

	*ret = *ret_base;
	if (code || !c->script.redaction)
		return code;
	code = script_learn(*ret_base, c->script.redaction, err);
	return code ? code : recording_again(*ret_base, ret, err);
}

static int script_run(void *options, int argc, char **argv, struct err *err)
{
	struct script_command *c = options;
	struct recording *base = NULL, *recording = NULL;
	int failed;

	if (command_take_input(&(struct option_words){ argc, argv }, c->input, &c->input, err))
		return EXIT_STATUS_USAGE;
	for (size_t i = 0; i < c->fields.count; i++)
		if (script_fields_parse(&c->script.fields, c->fields.item[i], err))
			return EXIT_STATUS_USAGE;
	if (c->script.redaction && (c->header || c->header_only || c->script.dump))
		return command_usage(err, "--redact cannot be combined with --header, "
					  "--header-only and -D");
	if (prints(&c->script.fields, SCRIPT_FIELD(INSN) | SCRIPT_FIELD(INSNLEN)) &&
	    disassembler_load(err)) /* which the sandbox would not let us do */
		return -1;
	reader_begin(command_words(), c->per_event);
	failed = open_input(c, &base, &recording, err);
	if (!failed)
		failed = c->per_event ? dump_events(c, recording, err)
				      : print_recording(c, recording, err);
	if (recording != base)
		recording_close(recording);
	recording_close(base);
	return failed ? -1 : EXIT_STATUS_OK;
}

static void script_done(void *options)
{
	redaction_free(((struct script_command *)options)->script.redaction);
}

/* The same under perf's name. */
const struct command cmd_sched_script = {
	.name = "sched script",
	.args = "[options] [FILE]",
	.summary = "print a recording as text, event by event",
	.options = script_rows,
	.options_size = sizeof(struct script_command),
	.defaults = script_defaults,
	.run = script_run,
	.done = script_done,
};

const struct command cmd_script = {
	.name = "script",
	.args = "[options] [FILE]",
	.summary = "print a recording as text, sample by sample",
	.options = script_rows,
	.options_size = sizeof(struct script_command),
	.defaults = script_defaults,
	.run = script_run,
	.done = script_done,
};
