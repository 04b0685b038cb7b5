/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of options without effect, and of those that are refused (see accepted.h). */
#include "command/option/accepted.h"

static int accept(void *field, const char *value, bool negated, struct err *err)
{
	(void)field;
	(void)value;
	(void)negated;
	(void)err;
	return 0;
}

/* name, letter, value, program and reason without effect */
#define ACCEPT(name, letter, arg, why)                                    \
	{                                                                 \
		name, letter, OPT_CALL, arg, 0, "no effect: " why, accept \
	}

const struct option_def pager_rows[] = {
	{ "no-pager", 0, OPT_CALL, NULL, 0, "print without a pager, as cupel --no-pager does",
	  accept },
	{ .type = OPT_END },
};

const struct option_def accepted_reader_rows[] = {
	{ .type = OPT_INCLUDE, .include = pager_rows },
	ACCEPT("force", 'f', NULL, "files of other users are always read (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_annotate_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("modules", 'm', NULL, "symbols of kernel modules are always loaded (perf)"),
	ACCEPT("stdio-color", 0, "WHEN", "the text has no colours (perf)"),
	ACCEPT("objdump", 0, "PATH", "the disassembler is built in (perf)"),
	ACCEPT("demangle-kernel", 0, NULL, "kernel names are always demangled (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_report_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("verbose", 'v', NULL, "warnings are always printed (perf)"),
	ACCEPT("unwind-style", 0, "LIST", "one unwinder reads all stacks (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_script_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("unwind-style", 0, "LIST", "one unwinder reads all stacks (perf)"),
	ACCEPT("debug-mode", 'd', NULL, "order and losses are always checked (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_stat_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("hybrid-merge", 0, NULL, "events of several PMUs stay apart (perf)"),
	ACCEPT("metric-no-group", 0, NULL, "groups of -M are small (perf)"),
	ACCEPT("metric-no-merge", 0, NULL, "events of -M are not shared (perf)"),
	ACCEPT("metric-no-threshold", 0, NULL, "figures have no colours (perf)"),
	ACCEPT("td-level", 0, "N", "--topdown has one level (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_sched_rows[] = {
	ACCEPT("verbose", 'v', NULL, "warnings are always printed (perf)"),
	ACCEPT("force", 'f', NULL, "files of other users are always read (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_timechart_record_rows[] = {
	{ "Kinds of picture", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("power-only", 'P', NULL, "one recording serves all: cupel timechart -P (perf)"),
	ACCEPT("tasks-only", 'T', NULL, "one recording serves all: cupel timechart -T (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_record_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("buildid-all", 0, NULL, "build ids of all modules are always stored (perf)"),
	ACCEPT("timestamp-boundary", 0, NULL,
	       "the times of the first and last sample are always stored (perf)"),
	ACCEPT("no-aggr", 'A', NULL, "perf ignores it as well"),
	ACCEPT("no-buffering", 0, NULL, "rings are always read in time (perf)"),
	ACCEPT("num-thread-synthesize", 0, "N", "one thread is enough (perf)"),
	ACCEPT("proc-map-timeout", 0, "MS", "maps are always read completely (perf)"),
	ACCEPT("mmap-flush", 0, "BYTES", "the size of the rings decides (perf)"),
	ACCEPT("threads", 0, "[=SPEC]", "one thread reads all rings in time (perf)"),
	ACCEPT("affinity", 0, "KIND", "one reader serves all CPUs (perf)"),
	ACCEPT("aio", 0, "[=N]", "a separate thread writes the file (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_trace_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("syscalls", 0, NULL, "system calls are traced unless --no-syscalls is given (perf)"),
	ACCEPT("errno-summary", 0, NULL, "sums always have the errors by name (perf)"),
	ACCEPT("sort-events", 0, NULL, "lines are in order (perf)"),
	ACCEPT("force", 'f', NULL, "files of other users are always read (perf)"),
	ACCEPT("verbose", 'v', NULL, "warnings are always printed (perf)"),
	ACCEPT("mmap-pages", 'm', "N", "the ring has 16 MiB (perf)"),
	ACCEPT("libtraceevent_print", 0, NULL, "the library always prints tracepoints (perf)"),
	ACCEPT("bpf-summary", 0, NULL, "sums are always made in the kernel (perf)"),
	ACCEPT("no-bpf-summary", 0, NULL, "sums are made in the kernel, and are the same (perf)"),
	ACCEPT("force-btf", 0, NULL, "structs are printed with the names of their members (perf)"),
	ACCEPT("proc-map-timeout", 0, "MS", "maps are always read completely (perf)"),
	ACCEPT("tool_stats", 0, NULL, "there are no figures about the tool (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_picture_rows[] = {
	{ "Accepted for compatibility with FlameGraph and inferno", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("hash", 0, NULL, "shades are chosen by a hash of the name (flamegraph.pl)"),
	ACCEPT("deterministic", 0, NULL, "shades are chosen by a hash of the name (inferno)"),
	ACCEPT("truncate-text-right", 0, NULL,
	       "names that do not fit are cut on the right (inferno)"),
	{ .type = OPT_END },
};

const struct option_def accepted_ftrace_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("verbose", 'v', "[=N]", "warnings are always printed (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_ftrace_latency_rows[] = {
	ACCEPT("use-bpf", 'b', NULL, "times are taken by the kernel's function_graph (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_collapse_rows[] = {
	ACCEPT("verbose", 'v', NULL, "warnings are always printed (inferno)"),
	{ .type = OPT_END },
};

const struct option_def accepted_wait_rows[] = {
	ACCEPT("stack-storage-size", 0, "N", "there is room for a million stacks (BCC)"),
	ACCEPT("verbose", 'v', NULL, "there is no program text to print (BCC)"),
	{ .type = OPT_END },
};

/* name, letter, value, and what to use instead */
#define REFUSE(name, letter, arg, instead)                \
	{                                                 \
		name, letter, OPT_REFUSE, arg, 0, instead \
	}

const struct option_def accepted_probe_rows[] = {
	{ "Accepted for compatibility with perf", 0, OPT_GROUP, NULL, 0, NULL },
	ACCEPT("demangle", 0, NULL, "names are always demangled (perf)"),
	ACCEPT("demangle-kernel", 0, NULL, "kernel names are always demangled (perf)"),
	ACCEPT("max-probes", 0, "N", "up to 4,096 places are probed together (perf)"),
	REFUSE("vmlinux", 'k', "FILE", "functions of the kernel by name: cupel probe vfs_read"),
	REFUSE("module", 'm', "NAME", "functions of the kernel by name: cupel probe vfs_read"),
	REFUSE("cache", 0, NULL, "definitions are kept under their names: -l lists them"),
	REFUSE("bootconfig", 0, NULL, "no probe is left in the kernel: -e GROUP:EVENT"),
	{ .type = OPT_END },
};

const struct option_def refused_annotate_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("gtk", 0, NULL, "a page to click through: cupel annotate -o code.html"),
	REFUSE("prefix", 0, "PREFIX", "source files under another folder: --symfs FOLDER"),
	REFUSE("prefix-strip", 0, "N", "source files under another folder: --symfs FOLDER"),
	REFUSE("itrace", 0, NULL, "hardware traces are not decoded: perf annotate --itrace"),
	REFUSE("data-type", 0, NULL, "types of data are not found: perf annotate --data-type"),
	{ .type = OPT_END },
};

const struct option_def refused_report_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("gtk", 0, NULL, "a page to click through: cupel flamegraph -o profile.html"),
	{ .type = OPT_END },
};

const struct option_def refused_script_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("script", 's', "NAME",
	       "no interpreter is built in; a script reads the text: cupel script | python3 NAME"),
	REFUSE("gen-script", 'g', "LANGUAGE",
	       "no interpreter is built in; a script reads the text: cupel script"),
	REFUSE("list", 'l', NULL, "no scripts are built in; see: cupel help"),
	REFUSE("insn-trace", 0, NULL,
	       "no trace of instructions is decoded; the one of each sample: cupel script -F "
	       "+insn"),
	REFUSE("xed", 0, NULL, "instructions as text: cupel annotate"),
	{ .type = OPT_END },
};

const struct option_def refused_stat_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("bpf-counters", 0, NULL, "events are opened for the target: omit it"),
	REFUSE("bpf-prog", 'b', "ID", "programs of the kernel: perf stat -b"),
	REFUSE("cputype", 0, "TYPE", "name the PMU: -e cpu_core/cycles/"),
	REFUSE("iostat", 0, NULL, "counters of input and output: perf stat --iostat"),
	REFUSE("smi-cost", 0, NULL, "interrupts of the firmware: cupel stat -e msr/smi/"),
	{ .type = OPT_END },
};

const struct option_def refused_inject_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("itrace", 0, "[=OPTIONS]", "hardware traces are not decoded; use: perf inject"),
	REFUSE("strip", 0, NULL, "it belongs to --itrace; use: perf inject"),
	REFUSE("vm-time-correlation", 0, "[=OPTIONS]",
	       "hardware traces are not decoded; use: perf inject"),
	REFUSE("guest-data", 0, "[=OPTIONS]", "guests are not merged; use: perf inject"),
	REFUSE("guestmount", 0, "DIR", "guests are not merged; use: perf inject"),
	{ .type = OPT_END },
};

const struct option_def refused_buildid_cache_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("kcore", 'k', "FILE",
	       "code of the kernel as it runs is not copied; its names are in: cupel archive -b"),
	{ .type = OPT_END },
};

const struct option_def refused_trace_rows[] = {
	{ "Not available", 0, OPT_GROUP, NULL, 0, NULL },
	REFUSE("cpu", 'C', "LIST",
	       "a call may return on another CPU: choose threads by -p, -t or --cgroup; events of "
	       "CPUs: cupel trace record -C LIST"),
	REFUSE("delay", 'D', "MS", "start the program first, then: cupel trace -p PID"),
	REFUSE("switch-on", 0, "EVENT",
	       "choose later: cupel trace record -e EVENT, cupel trace -i perf.data"),
	REFUSE("switch-off", 0, "EVENT",
	       "choose later: cupel trace record -e EVENT, cupel trace -i perf.data"),
	REFUSE("show-on-off-events", 0, NULL, "it belongs to --switch-on"),
	REFUSE("kernel-syscall-graph", 0, NULL,
	       "where the kernel waits in calls: cupel offcputime, cupel wall -g; its functions: "
	       "cupel ftrace -G"),
	REFUSE("min-stack", 0, "N", "stacks are whole; the innermost functions: --max-stack N"),
	REFUSE("map-dump", 0, "MAP", "maps of BPF programs: bpftool map dump"),
	REFUSE("print-sample", 0, NULL, "samples of a recording: cupel script -D"),
	{ .type = OPT_END },
};

const struct option_def accepted_activity_rows[] = {
	ACCEPT("noclear", 'C', NULL, "screens are never cleared (BCC)"),
	{ .type = OPT_END },
};

const struct option_def accepted_opensnoop_rows[] = {
	ACCEPT("buffer-pages", 'b', "N", "the buffer has its size (BCC)"),
	{ .type = OPT_END },
};

const struct option_def accepted_execsnoop_rows[] = {
	ACCEPT("max-args", 0, "N", "511 bytes of a command line are shown (BCC)"),
	{ .type = OPT_END },
};

const struct option_def accepted_exitsnoop_rows[] = {
	ACCEPT("utc", 0, NULL, "run with TZ=UTC for times in UTC (BCC)"),
	{ .type = OPT_END },
};

const struct option_def accepted_klockstat_rows[] = {
	ACCEPT("reset", 'R', NULL, "each interval is by itself (BCC)"),
	{ .type = OPT_END },
};

const struct option_def accepted_tcpretrans_rows[] = {
	ACCEPT("lossprobe", 'l', NULL,
	       "the kernel's event shows tail loss probes as retransmits (BCC)"),
	{ .type = OPT_END },
};

const struct option_def accepted_lock_contention_rows[] = {
	ACCEPT("max-stack", 0, "N", "stacks are whole; -v prints them (perf)"),
	ACCEPT("map-nr-entries", 0, "N", "the maps have their size (perf)"),
	{ .type = OPT_END },
};

const struct option_def accepted_lock_report_rows[] = {
	ACCEPT("combine-locks", 'c', NULL, "rows are by caller: locks have no classes (perf)"),
	{ .type = OPT_END },
};
