/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows of recording commands: perf record's names and meaning. */
#include "command/record/record_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "command/command.h"
#include "command/latency/off_cpu_options.h"
#include "command/option/accepted.h"
#include "session/record/recording_options.h"
#include "source/arch.h"
#include "source/event_spec/branch_type.h"
#include "source/sampling_budget.h"

#define MAX_STACK_BYTES 65528 /* attr.sample_stack_user is below 64 KiB and a multiple of 8 */
#define MAX_ZSTD_LEVEL	22

static int bad(struct err *err, const char *value, const char *expected)
{
	return err_set(err, -EINVAL, "invalid value '%s': expected %s", value, expected);
}

static bool parse_u64(const char *text, uint64_t *ret)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 0);
	return !*end && !errno;
}

static int add_selector(void *field, bool filter, const char *value)
{
	VEC(struct record_selector) *list = field;
	struct record_selector item = { .filter = filter, .text = value };

	vec_push(list, item);
	return 0;
}

static int set_event(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	return add_selector(field, false, value);
}

static int set_filter(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	(void)err;
	return add_selector(field, true, value);
}

static int set_budget(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	return sampling_budget_parse(value, field) ? 0 : bad(err, value, "a percentage or none");
}

static int set_frequency(void *field, const char *value, bool negated, struct err *err)
{
	struct record_frequency *frequency = field;

	(void)negated;
	frequency->max = strcmp(value, "max") == 0;
	frequency->hz = 0;
	if (frequency->max)
		return 0;
	if (option_parse_number(OPT_UINT, value, &frequency->hz, err))
		return err->code;
	return frequency->hz ? 0 : bad(err, value, "a frequency above 0");
}

static int set_g(void *field, const char *value, bool negated, struct err *err)
{
	struct record_call_graph_option *option = field;

	(void)value;
	(void)err;
	option->given = true;
	if (negated)
		option->mode = RECORDING_CALL_GRAPH_NONE;
	else if (option->mode == RECORDING_CALL_GRAPH_NONE)
		option->mode = RECORDING_CALL_GRAPH_AUTO;
	return 0;
}

static int set_call_graph(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		enum recording_call_graph mode;
	} modes[] = {
		{ "auto", RECORDING_CALL_GRAPH_AUTO },	 { "none", RECORDING_CALL_GRAPH_NONE },
		{ "no", RECORDING_CALL_GRAPH_NONE },	 { "fp", RECORDING_CALL_GRAPH_FP },
		{ "dwarf", RECORDING_CALL_GRAPH_DWARF }, { "lbr", RECORDING_CALL_GRAPH_LBR },
	};
	struct record_call_graph_option *option = field;
	size_t len = negated ? 0 : strcspn(value, ",");
	size_t found = negated ? 1 : sizeof(modes) / sizeof(modes[0]);
	uint64_t size = 0;

	for (size_t i = 0; !negated && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strlen(modes[i].name) == len && strncmp(modes[i].name, value, len) == 0)
			found = i;
	if (found == sizeof(modes) / sizeof(modes[0]))
		return bad(err, value, "one of fp, dwarf[,size], lbr, auto, none");
	if (!negated && value[len] && modes[found].mode != RECORDING_CALL_GRAPH_DWARF)
		return bad(err, value, "a size only with dwarf");
	if (!negated && value[len] &&
	    (!parse_u64(value + len + 1, &size) || size == 0 || size > MAX_STACK_BYTES))
		return err_set(err, -EINVAL, "invalid stack size '%s': expected 8 to %d bytes",
			       value + len + 1, MAX_STACK_BYTES);
	option->given = true;
	option->mode = modes[found].mode;
	option->stack_size = (uint32_t)((size + 7) & ~7ull);
	return 0;
}

static int set_max_stack(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t depth;

	(void)negated;
	if (!parse_u64(value, &depth) || depth == 0 || depth > UINT16_MAX)
		return bad(err, value, "a number of frames between 1 and 65535");
	*(uint32_t *)field = (uint32_t)depth;
	return 0;
}

static int set_branch_any(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	*(uint64_t *)field = 0;
	return negated ? 0 : branch_type_parse("any", field, err);
}

static int set_branch_filter(void *field, const char *value, bool negated, struct err *err)
{
	(void)negated;
	return branch_type_parse(value ? value : "any", field, err);
}

static int list_registers(struct err *err)
{
	char text[400];
	size_t len = 0;

	for (const struct sample_register *r = sample_registers; r->name && len < sizeof(text); r++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %s", r->name);
	return err_set(err, -EINVAL, "available registers:%s", text);
}

static int set_registers(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t mask = 0;

	*(uint64_t *)field = negated ? 0 : sample_registers_all;
	if (negated || !value)
		return 0;
	if (strcmp(value, "?") == 0)
		return list_registers(err);
	for (const char *p = value; *p;) {
		size_t len = strcspn(p, ",");
		const struct sample_register *r = sample_registers;

		while (r->name && (strlen(r->name) != len || strncasecmp(r->name, p, len) != 0))
			r++;
		if (!r->name)
			return err_set(err, -EINVAL, "unknown register '%.*s' (list them with =?)",
				       (int)len, p);
		mask |= 1ull << r->bit;
		p += len + (p[len] == ',');
	}
	*(uint64_t *)field = mask;
	return 0;
}

static int set_timestamp(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = negated; /* field is no_time */
	return 0;
}

/* perf's -m: pages, or bytes with a unit; what follows a comma is for AUX areas. */
static int set_ring(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0;
	size_t len = strcspn(value, ",");
	char text[32];

	(void)negated;
	if (len >= sizeof(text))
		return bad(err, value, "a number of pages or a size");
	memcpy(text, value, len);
	text[len] = '\0';
	if (len && isdigit((unsigned char)text[len - 1])) {
		if (!parse_u64(text, &bytes) || bytes > UINT32_MAX)
			return bad(err, value, "a number of pages");
		bytes *= page;
		if (bytes & (bytes - 1))
			return bad(err, value, "a power of two");
	} else if (option_parse_number(OPT_SIZE, text, &bytes, err)) {
		return err->code;
	}
	if (bytes == 0 || bytes > 1ull << 30)
		return bad(err, value, "a ring between one page and 1 GiB");
	*(uint64_t *)field = page;
	while (*(uint64_t *)field < bytes)
		*(uint64_t *)field *= 2;
	return 0;
}

static int set_clock(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		int id;
	} clocks[] = {
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	struct recording_clock *clock = field;
	const char *name = value;
	uint64_t id;

	(void)negated;
	if (strncasecmp(name, "CLOCK_", 6) == 0)
		name += 6;
	clock->given = true;
	if (parse_u64(name, &id) && id <= CLOCK_TAI) {
		clock->id = (int32_t)id;
		return 0;
	}
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (strcasecmp(clocks[i].name, name) == 0) {
			clock->id = clocks[i].id;
			return 0;
		}
	return bad(err, value, "a clock: mono, raw, real, boot, tai");
}

static int set_delay(void *field, const char *value, bool negated, struct err *err)
{
	struct record_delay *delay = field;

	(void)negated;
	*delay = (struct record_delay){ .disabled = strcmp(value, "-1") == 0 };
	if (delay->disabled)
		return 0;
	for (const char *p = value;; p++) {
		struct record_window window = { 0 };
		char *end;

		if (!isdigit((unsigned char)*p) || delay->count == RECORD_MAX_WINDOWS)
			return bad(err, value, "milliseconds, -1, or ranges such as 10-20,30-40");
		window.start_ms = strtoull(p, &end, 10);
		p = end;
		if (*p == '-' && isdigit((unsigned char)p[1])) {
			window.end_ms = strtoull(p + 1, &end, 10);
			p = end;
		}
		if (window.end_ms && window.end_ms <= window.start_ms)
			return bad(err, value, "a range that ends after its start");
		if (delay->count && window.start_ms < delay->window[delay->count - 1].end_ms)
			return bad(err, value, "a list of ranges in order");
		delay->window[delay->count++] = window;
		if (!*p)
			break;
		if (*p != ',' || !window.end_ms)
			return bad(err, value, "milliseconds, -1, or ranges such as 10-20,30-40");
	}
	/* Zero is no delay at all. */
	if (delay->count == 1 && !delay->window[0].start_ms && !delay->window[0].end_ms)
		delay->count = 0;
	return 0;
}

static int set_level(void *field, const char *value, bool negated, struct err *err)
{
	uint64_t level = 1;

	if (value && (!parse_u64(value, &level) || level > MAX_ZSTD_LEVEL))
		return bad(err, value, "a compression level from 0 to 22");
	*(int *)field = negated ? 0 : (int)level;
	return 0;
}

static int set_switch_output(void *field, const char *value, bool negated, struct err *err)
{
	struct record_switch_output *output = field;
	uint64_t number;
	char *unit;

	*output = (struct record_switch_output){ 0 };
	if (negated)
		return 0;
	output->mode = RECORDING_SWITCH_SIGNAL;
	if (!value || strcmp(value, "signal") == 0)
		return 0;
	if (!isdigit((unsigned char)value[0]))
		return bad(err, value, "signal, a size (10M) or a time (30s)");
	errno = 0;
	number = strtoull(value, &unit, 10);
	if (errno || number == 0 || !unit[0])
		return bad(err, value,
			   "signal, a size with B, K, M or G, or a time with s, m, h or d");
	if (strchr("BKMG", unit[0])) {
		output->mode = RECORDING_SWITCH_SIZE;
		return option_parse_number(OPT_SIZE, value, &output->size_bytes, err);
	}
	output->mode = RECORDING_SWITCH_TIME;
	if (strcmp(unit, "d") == 0) {
		output->time_ns = number * 86400 * 1000000000;
		return 0;
	}
	return option_parse_number(OPT_DURATION, value, &output->time_ns, err);
}

static int set_synth(void *field, const char *value, bool negated, struct err *err)
{
	static const struct {
		const char *name;
		unsigned bits;
	} kinds[] = {
		{ "no", 0 },
		{ "none", 0 },
		{ "all", RECORDING_SYNTH_ALL },
		{ "task", RECORDING_SYNTH_TASK },
		{ "mmap", RECORDING_SYNTH_TASK | RECORDING_SYNTH_MMAP },
		{ "cgroup", RECORDING_SYNTH_CGROUP },
	};
	struct record_synth_option *synth = field;

	*synth = (struct record_synth_option){ .given = true };
	for (const char *p = negated ? "no" : value; *p;) {
		size_t len = strcspn(p, ","), i = 0;

		while (i < sizeof(kinds) / sizeof(kinds[0]) &&
		       (strlen(kinds[i].name) != len || strncmp(kinds[i].name, p, len) != 0))
			i++;
		if (i == sizeof(kinds) / sizeof(kinds[0]))
			return bad(err, value, "a list of no, all, task, mmap, cgroup");
		synth->mask |= kinds[i].bits;
		p += len + (p[len] == ',');
	}
	return 0;
}

static int set_build_id_mmap(void *field, const char *value, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	*(bool *)field = negated; /* field is no_build_id_mmap */
	return 0;
}

#define FIELD(name) OPT(recording_options, name)

const struct option_def record_subject_rows[] = {
	{ "Events", 0, OPT_GROUP, NULL, 0, NULL },
	{ "event", 'e', OPT_CALL, "EVENT", FIELD(source.selector),
	  "event to sample, as in perf list: cycles, cpu-clock, sched:sched_switch, {a,b}, "
	  "pmu/terms/",
	  set_event, NULL },
	{ "filter", 0, OPT_CALL, "EXPRESSION", FIELD(source.selector),
	  "filter for the tracepoint before it", set_filter, NULL },
	{ "group", 0, OPT_FLAG, NULL, FIELD(source.group), "schedule all events as one group" },
	{ "freq", 'F', OPT_CALL, "HZ", FIELD(source.frequency),
	  "samples per second and CPU, or max (default 999; recordings with -a: 99)", set_frequency,
	  NULL },
	{ "count", 'c', OPT_UINT, "N", FIELD(source.period), "sample every Nth event" },
	{ "budget", 0, OPT_CALL, "PERCENT", FIELD(source.budget),
	  "of the machine (-a) or the program that sampling may take, or none (default 1%, 3%)",
	  set_budget, NULL },
	{ "strict-freq", 0, OPT_FLAG, NULL, FIELD(source.strict_frequency),
	  "fail if the kernel does not allow the frequency" },
	{ "all-user", 0, OPT_FLAG, NULL, FIELD(source.all_user), "user space only" },
	{ "all-kernel", 0, OPT_FLAG, NULL, FIELD(source.all_kernel), "kernel only" },
	{ "off-cpu-thresh", 0, OPT_CALL, "MS", FIELD(source.off_cpu),
	  "-e off-cpu: aggregate shorter waits (milliseconds, or 500us; default 1)",
	  off_cpu_set_thresh, NULL },
	{ "off-cpu-states", 0, OPT_CALL, "LIST", FIELD(source.off_cpu),
	  "-e off-cpu: record these waits: blocked (default), idle, runnable, or reasons such as "
	  "disk,lock",
	  off_cpu_set_states, NULL },
	{ "exclude-perf", 0, OPT_FLAG, NULL, FIELD(source.exclude_self),
	  "exclude tracepoint hits of the recorder itself" },

	{ "Targets", 0, OPT_GROUP, NULL, 0, NULL },
	{ "all-cpus", 'a', OPT_FLAG, NULL, FIELD(source.system_wide), "system-wide" },
	{ "cpu", 'C', OPT_STR, "LIST", FIELD(source.cpus), "only these CPUs: 0-3,7" },
	{ "pid", 'p', OPT_STR, "LIST", FIELD(source.pids),
	  "these processes with all their threads" },
	{ "tid", 't', OPT_STR, "LIST", FIELD(source.tids), "these threads" },
	{ "uid", 'u', OPT_STR, "USER", FIELD(source.user), "processes of this user" },
	{ "cgroup", 'G', OPT_STR, "LIST", FIELD(source.cgroups),
	  "with -a: only these cgroups, one row in total events or one per event" },
	{ "no-inherit", 'i', OPT_FLAG, NULL, FIELD(source.no_inherit), "do not follow children" },
	{ "per-thread", 0, OPT_FLAG, NULL, FIELD(source.per_thread),
	  "one ring per thread instead of per CPU; implies --no-inherit" },
	{ "duration", 0, OPT_DURATION, "TIME", FIELD(duration_ns),
	  "stop after this time (30s, 500ms); a started program receives SIGTERM" },

	{ "Stacks", 0, OPT_GROUP, NULL, 0, NULL },
	{ "call-graph", 0, OPT_CALL, "MODE", FIELD(source.call_graph),
	  "unwind method: auto (default), fp, dwarf[,bytes], lbr, none", set_call_graph, NULL },
	{ NULL, 'g', OPT_CALL, NULL, FIELD(source.call_graph),
	  "record call graphs (the default): the same as --call-graph auto", set_g, NULL },
	{ "max-stack", 0, OPT_CALL, "N", FIELD(source.max_stack),
	  "maximum number of frames per stack", set_max_stack, NULL },
	{ "user-callchains", 0, OPT_FLAG, NULL, FIELD(source.user_callchains),
	  "user part of stacks only" },
	{ "kernel-callchains", 0, OPT_FLAG, NULL, FIELD(source.kernel_callchains),
	  "kernel part of stacks only" },
	{ "user", 0, OPT_FLAG, NULL, FIELD(source.user_callchains), NULL },
	{ "kernel", 0, OPT_FLAG, NULL, FIELD(source.kernel_callchains), NULL },
	{ .type = OPT_END },
};

const struct option_def record_option_rows[] = {
	{ .type = OPT_INCLUDE, .include = record_subject_rows },
	{ "delay", 'D', OPT_CALL, "MS", FIELD(delay),
	  "start sampling after this delay; -1 = on a --control command; ranges: 10-20,30-40",
	  set_delay, NULL },

	{ "Sample contents", 0, OPT_GROUP, NULL, 0, NULL },
	{ "branch-any", 'b', OPT_CALL, NULL, FIELD(source.branch_type), "the last taken branches",
	  set_branch_any, NULL },
	{ "branch-filter", 'j', OPT_CALL, "LIST", FIELD(source.branch_type),
	  "the last branches of these kinds: any, any_call, any_ret, ind_call, u, k, …",
	  set_branch_filter, NULL },
	{ "data", 'd', OPT_FLAG, NULL, FIELD(source.data), "data addresses and data mappings" },
	{ "phys-data", 0, OPT_FLAG, NULL, FIELD(source.phys_data), "physical data addresses" },
	{ "data-page-size", 0, OPT_FLAG, NULL, FIELD(source.data_page_size),
	  "page size at the data address" },
	{ "code-page-size", 0, OPT_FLAG, NULL, FIELD(source.code_page_size),
	  "page size at the instruction" },
	{ "weight", 'W', OPT_FLAG, NULL, FIELD(source.weight), "cost of the sampled access" },
	{ "transaction", 0, OPT_FLAG, NULL, FIELD(source.transaction),
	  "transactional memory flags" },
	{ "user-regs", 0, OPT_CALL, "[=LIST]", FIELD(source.user_regs),
	  "user registers; =? lists them", set_registers, NULL },
	{ "intr-regs", 'I', OPT_CALL, "[=LIST]", FIELD(source.intr_regs),
	  "registers at the sample; =? lists them", set_registers, NULL },
	{ "raw-samples", 'R', OPT_FLAG, NULL, FIELD(source.raw),
	  "raw data (tracepoints always have it)" },
	{ "timestamp", 'T', OPT_CALL, NULL, FIELD(source.no_time), "time of each sample (default)",
	  set_timestamp, NULL },
	{ "period", 'P', OPT_FLAG, NULL, FIELD(source.sample_period),
	  "period of each sample (default unless -c)" },
	{ "sample-cpu", 0, OPT_FLAG, NULL, FIELD(source.sample_cpu),
	  "CPU of each sample (default with -a)" },
	{ "sample-identifier", 0, OPT_FLAG, NULL, FIELD(source.sample_identifier),
	  "event id in each record" },
	{ "stat", 's', OPT_FLAG, NULL, FIELD(source.stat), "counts per thread" },
	{ "running-time", 0, OPT_FLAG, NULL, FIELD(source.running_time),
	  "enabled and running time of :S events" },
	{ "no-samples", 'n', OPT_FLAG, NULL, FIELD(source.no_samples), "record no samples" },
	{ "clockid", 'k', OPT_CALL, "CLOCK", FIELD(source.clock),
	  "clock for timestamps: mono, raw, real, boot, tai", set_clock, NULL },

	{ "Other records", 0, OPT_GROUP, NULL, 0, NULL },
	{ "namespaces", 0, OPT_FLAG, NULL, FIELD(source.namespaces), "namespaces of processes" },
	{ "all-cgroups", 0, OPT_FLAG, NULL, FIELD(source.all_cgroups), "cgroup of each sample" },
	{ "switch-events", 0, OPT_FLAG, NULL, FIELD(source.switch_events), "context switches" },
	{ "no-bpf-event", 0, OPT_FLAG, NULL, FIELD(source.no_bpf_events),
	  "do not record loading of BPF programs" },
	{ "synth", 0, OPT_CALL, "LIST", FIELD(synth),
	  "synthesize records for existing tasks: no, all, task, mmap, cgroup", set_synth, NULL },

	{ "Buffers", 0, OPT_GROUP, NULL, 0, NULL },
	{ "mmap-pages", 'm', OPT_CALL, "PAGES", FIELD(source.ring_bytes),
	  "ring buffer size per CPU, in pages or bytes (default: automatic, grows before loss)",
	  set_ring, NULL },
	{ "overwrite", 0, OPT_FLAG, NULL, FIELD(source.overwrite),
	  "rings keep the latest records, read at the end or when the output is switched" },
	{ "realtime", 'r', OPT_UINT, "PRIORITY", FIELD(realtime_priority),
	  "SCHED_FIFO priority of the reader" },
	{ "quiet", 'q', OPT_FLAG, NULL, FIELD(quiet), "print errors only" },
	{ "verbose", 'v', OPT_COUNT, NULL, FIELD(verbose), "be more verbose" },
	{ .type = OPT_END },
};

const struct option_def record_output_rows[] = {
	{ "Output", 0, OPT_GROUP, NULL, 0, NULL },
	{ "output", 'o', OPT_STR, "FILE", FIELD(output),
	  "file (default perf.data); - = pipe mode" },
	{ "compression-level", 'z', OPT_CALL, "[=LEVEL]", FIELD(zstd_level),
	  "compress with zstd, level 1 (default) to 22", set_level, NULL },
	{ "max-size", 0, OPT_SIZE, "SIZE", FIELD(max_size_bytes), "stop recording at this size" },
	{ "switch-output", 0, OPT_CALL, "[=WHEN]", FIELD(switch_output),
	  "switch to a new file at every SIGUSR2 (signal), size (10M) or time (30s)",
	  set_switch_output, NULL },
	{ "switch-max-files", 0, OPT_UINT, "N", FIELD(switch_max_files),
	  "keep the last N of these files" },
	{ "timestamp-filename", 0, OPT_FLAG, NULL, FIELD(timestamp_filename),
	  "append the time to file names" },
	{ "tail-synthesize", 0, OPT_FLAG, NULL, FIELD(tail_synthesize),
	  "synthesize records for existing tasks at the end of the file" },
	{ "control", 0, OPT_STR, "CHANNEL", FIELD(control),
	  "read commands (enable, disable, snapshot, stop, ping, evlist) from fd:CTL[,ACK] or "
	  "fifo:CTL[,ACK]" },
	{ "no-buildid", 'B', OPT_FLAG, NULL, FIELD(no_build_id),
	  "do not store build ids in the file header" },
	{ "no-buildid-cache", 'N', OPT_FLAG, NULL, FIELD(no_names),
	  "do not keep names of the sampled code in the file" },
	{ "buildid-mmap", 0, OPT_CALL, NULL, FIELD(source.no_build_id_mmap),
	  "store build ids in mmap records (default)", set_build_id_mmap, NULL },
	{ "no-context", 0, OPT_FLAG, NULL, FIELD(no_context),
	  "do not record the machine state (see cupel context)" },
	{ "dry-run", 0, OPT_FLAG, NULL, FIELD(dry_run), "open the events, record nothing" },

	{ .type = OPT_INCLUDE, .include = accepted_record_rows },
	{ .type = OPT_INCLUDE, .include = refused_record_rows },
	{ .type = OPT_END },
};

static int contradiction(struct err *err, const char *a, const char *b)
{
	return err_set(err, -EINVAL, "%s and %s cannot be combined", a, b);
}

int recording_options_check(const struct recording_options *options, bool program, struct err *err)
{
	bool tasks = options->source.pids || options->source.tids || options->source.user;
	bool to_stdout = options->output && strcmp(options->output, "-") == 0;
	bool rate = options->source.frequency.hz || options->source.frequency.max;

	if (rate && options->source.period)
		return contradiction(err, "-F", "-c");
	if (options->source.all_user && options->source.all_kernel)
		return contradiction(err, "--all-user", "--all-kernel");
	if (options->source.user_callchains && options->source.kernel_callchains)
		return contradiction(err, "--user-callchains", "--kernel-callchains");
	if (tasks && options->source.system_wide)
		return contradiction(err, "-a", "-p, -t or -u");
	if (options->source.per_thread &&
	    (options->source.system_wide || (options->source.cpus && !tasks)))
		return contradiction(err, "--per-thread", "-a or -C");
	if (options->source.per_thread && !tasks && !program)
		return err_set(err, -EINVAL, "--per-thread requires a program, -p or -t");
	if (options->source.cgroups && !options->source.system_wide)
		return err_set(err, -EINVAL, "-G requires -a");
	if (to_stdout && options->switch_output.mode != RECORDING_SWITCH_NONE)
		return contradiction(err, "-o -", "--switch-output");
	if (options->switch_max_files && options->switch_output.mode == RECORDING_SWITCH_NONE)
		return err_set(err, -EINVAL, "--switch-max-files requires --switch-output");
	if (options->realtime_priority > 99)
		return err_set(err, -EINVAL, "-r: expected a priority from 1 to 99");
	return 0;
}

void recording_options_done(struct recording_options *options)
{
	vec_done(&options->source.selector);
}
