/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses perf's -e strings into perf_event_attr: the user's selection, before events are opened.
 * Supports software, hardware, cache, raw, breakpoint, tracepoint and pmu/terms/ events, their
 * modifiers and {groups}. Reads only sysfs and tracefs. Grammar: perf-list(1) and perf-record(1);
 * sysfs: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}. */
#ifndef SOURCE_EVENT_PARSE_H
#define SOURCE_EVENT_PARSE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "event/kind.h"

struct err;

enum event_call_graph {
	EVENT_CALL_GRAPH_NONE,
	EVENT_CALL_GRAPH_FP,
	EVENT_CALL_GRAPH_DWARF,
	EVENT_CALL_GRAPH_LBR
};

/* Terms of pmu/…/ that override the command line for one event. */
enum event_term {
	EVENT_TERM_PERIOD = 1,
	EVENT_TERM_FREQ = 2,
	EVENT_TERM_CALL_GRAPH = 4,
	EVENT_TERM_STACK_SIZE = 8,
	EVENT_TERM_MAX_STACK = 16,
	EVENT_TERM_INHERIT = 32,
	EVENT_TERM_OVERWRITE = 64,
	EVENT_TERM_TIME = 128,
	EVENT_TERM_BRANCH = 256,
};

/* Times taken by the program that counts, not by the kernel's events. */
enum event_tool {
	EVENT_TOOL_NONE,
	EVENT_TOOL_DURATION, /* "duration_time" */
	EVENT_TOOL_USER,     /* "user_time" */
	EVENT_TOOL_SYSTEM    /* "system_time" */
};

struct event_spec {
	const char *
		name; /* as perf shows it: "cpu-clock:u", "sched:sched_switch", "cpu/event=0x3c/" */
	/* Set: type, config, config1, config2, bp_*, exclude_*, precise_ip, pinned, exclusive.
	 * Everything else, size too, is 0: the recorder's turn. */
	struct perf_event_attr attr;
	uint32_t index;	       /* in the list */
	uint32_t group_leader; /* index of the leader, its own when alone */
	uint32_t group_size;   /* of leaders with members: 1 + members; else 1 */
	bool sample_read;      /* modifier S: sample the leader, read the group */
	enum event_kind kind;
	/* The source that takes its samples for the CPU sampler, while the perf event only provides
	 * ids: "off_cpu", "heap", "probe_events", "stack_counts". NULL = perf takes them. */
	const char *served_by;
	const char *probe;    /* places in programs, as written: "probe:c:malloc"; NULL = none */
	const char *format;   /* of its data, as in tracefs; set by the recorder */
	const char *figure;   /* that stat -M derives from it, by its name; set by stat */
	enum event_tool tool; /* it is not opened */
	bool percore;	      /* term percore, of stat: it is of a core, not of its threads */
	bool weak_group;      /* modifier W: break the group up when it cannot be opened */
	bool precise_max;     /* modifier P: highest precise_ip that opens */
	bool exclude_given;   /* modifiers u, k or h were given: do not narrow to user silently */

	uint64_t default_period; /* when no rate is given: 1 for tracepoints and breakpoints, else 0
				  */
	unsigned terms;		 /* enum event_term: which of the following were given */
	uint64_t period, freq;
	enum event_call_graph call_graph;
	uint32_t stack_size; /* dwarf: bytes of user stack per sample */
	uint32_t max_stack;
	bool inherit, overwrite, time;
	uint64_t branch_type; /* PERF_SAMPLE_BRANCH_* */

	const char *pmu;  /* "software", "cpu", "uncore_imc_0", "tracepoint", …; NULL = generic */
	const char *unit; /* from sysfs .unit: "Joules"; NULL = count (ns for clocks) */
	double scale;	  /* from sysfs .scale, 1 without */
	const int *cpu;	  /* the CPUs this PMU must be opened on (cpumask or cpus); NULL = any */
	size_t cpu_count; /* entries in cpu */
	bool system_wide; /* the PMU has a cpumask: cannot count single tasks */
	const char *system; /* tracepoints: "sched", and name after it: "sched_switch" */
	const char *tracepoint;
	bool made;	    /* of a kprobe or uprobe, not of the kernel's own code */
	const char *filter; /* tracepoint filter (ioctl SET_FILTER), NULL = none */
	uint32_t glob;	    /* events of one glob or pmu name share a number; --filter hits all */
};

struct event_list {
	struct arena arena; /* owns the specs and all their strings */
	VEC(struct event_spec *) spec;
	uint32_t globs;
};

struct event_parse_options {
	const char *root; /* in front of /sys and /proc; "" on a live system */
	bool tools;	  /* events of enum event_tool are valid */
};

/* Adds the events of one -e argument. Returns -ENOENT for an unknown event (-EINVAL for invalid
 * syntax) with the event's name and similar names in the message or hint; the list is then
 * unchanged. */
int event_list_parse(struct event_list *list, const char *text,
		     const struct event_parse_options *options, struct err *err);
/* --filter: for the event(s) given last, which must be tracepoints (a second filter is and-ed). */
int event_list_filter(struct event_list *list, const char *filter, struct err *err);
/* perf's default: "cycles:P" if there is a CPU PMU (one per core type), else "cpu-clock". */
int event_list_default(struct event_list *list, const struct event_parse_options *options,
		       struct err *err);
/* Adds an event with samples that this source makes, as off-cpu has. */
void event_list_add_served(struct event_list *list, const char *name, const char *source);
void event_list_done(struct event_list *list);

/* Describes a failed perf_event_open. */
struct event_open_failure {
	int error;			    /* errno, positive */
	const char *root;		    /* as above */
	const struct perf_event_attr *attr; /* as it was passed */
	int64_t pid;			    /* -1 = all */
	int64_t cpu;			    /* -1 = all */
};

/* Sets one clear line and a hint; returns -error. */
int event_open_explain(const struct event_spec *spec, const struct event_open_failure *failure,
		       struct err *err);

#endif
