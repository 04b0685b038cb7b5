/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How events are sampled: turns the options and an event's own terms into a perf_event_attr, the
 * way perf record does. ABI: include/uapi/linux/perf_event.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/arch.h"
#include "source/heap/heap_choice.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"

#define DEFAULT_HZ_PROGRAM     999
#define DEFAULT_HZ_SYSTEM_WIDE 99
#define DEFAULT_STACK_BYTES    8192
/* Fields besides the layout that must agree between events, because records other than samples are
 * decoded with the first event's layout. */
#define SHARED_BITS                                                                    \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Of page faults that are over: the time that they took, and the size of the page. */
#define FAULT_END_BITS (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_PAGE_SIZE)

static bool is_fault(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static uint64_t read_number(const char *path)
{
	struct buf text = { .limit = 4096 };
	struct err ignored; /* 0 says it all */
	uint64_t value = 0;

	if (!fd_read_file(path, &text, &ignored) && text.data)
		value = strtoull(text.data, NULL, 10);
	buf_done(&text);
	return value;
}

int perf_attr_frequency(const struct source_options *options, bool system_wide, uint64_t *ret,
			struct source *notes, struct err *err)
{
	uint64_t max = read_number("/proc/sys/kernel/perf_event_max_sample_rate");
	uint64_t hz = options->frequency.hz;

	if (options->frequency.max && !max)
		return err_set(
			err, -ENOENT,
			"-F max: /proc/sys/kernel/perf_event_max_sample_rate is not readable");
	if (options->frequency.max)
		hz = max;
	else if (!hz)
		hz = system_wide ? DEFAULT_HZ_SYSTEM_WIDE : DEFAULT_HZ_PROGRAM;
	if (max && hz > max && options->strict_frequency) {
		(void)err_set(err, -EINVAL, "-F %llu: the kernel allows %llu samples per second",
			      (unsigned long long)hz, (unsigned long long)max);
		return err_hint(err, "sysctl kernel.perf_event_max_sample_rate=%llu",
				(unsigned long long)hz);
	}
	if (max && hz > max) {
		source_note(notes,
			    "frequency lowered from %llu to %llu Hz, the limit in "
			    "kernel.perf_event_max_sample_rate",
			    (unsigned long long)hz, (unsigned long long)max);
		hz = max;
	}
	*ret = hz;
	return 0;
}

/* Of events of BPF programs: what later readers need. */
static uint64_t served_period(const struct event_spec *spec, const struct source_options *options)
{
	if (spec->kind == EVENT_KIND_HEAP_ALLOC && options->heap && options->heap->rate)
		return options->heap->rate;
	return spec->probe && options->period ? options->period : 1;
}

static void fill_rate(struct perf_event_attr *attr, const struct event_spec *spec,
		      const struct perf_attr_plan *plan)
{
	const struct source_options *options = plan->options;
	bool asked = options->frequency.hz || options->frequency.max;

	if (spec->served_by) {
		attr->sample_period = served_period(spec, options);
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	} else if (spec->terms & EVENT_TERM_PERIOD) {
		attr->sample_period = spec->period;
	} else if (spec->terms & EVENT_TERM_FREQ) {
		attr->freq = 1;
		attr->sample_freq = spec->freq;
	} else if (options->period) {
		attr->sample_period = options->period;
	} else if (attr->type == PERF_TYPE_TRACEPOINT && !asked) {
		attr->sample_period = 1; /* every hit */
	} else {
		attr->freq = 1;
		attr->sample_freq = plan->frequency_hz;
	}
	/* A fixed period needs no field in each sample, but tracepoints have always had one.
	 * Without it the kernel makes many samples of a hit that counts for more than one
	 * (sched_stat_runtime). */
	if (attr->freq || attr->type == PERF_TYPE_TRACEPOINT || options->sample_period)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (options->no_samples) {
		attr->freq = 0;
		attr->sample_period = 0;
	}
}

static enum recording_call_graph call_graph_mode(const struct event_spec *spec,
						 const struct source_options *options)
{
	if (spec->terms & EVENT_TERM_CALL_GRAPH)
		switch (spec->call_graph) {
		case EVENT_CALL_GRAPH_NONE:
			return RECORDING_CALL_GRAPH_NONE;
		case EVENT_CALL_GRAPH_FP:
			return RECORDING_CALL_GRAPH_FP;
		case EVENT_CALL_GRAPH_DWARF:
			return RECORDING_CALL_GRAPH_DWARF;
		case EVENT_CALL_GRAPH_LBR:
			return RECORDING_CALL_GRAPH_LBR;
		}
	return options->call_graph.mode;
}

/* Registers and stack bytes for unwinding after the recording. */
static void copy_stack(struct perf_event_attr *attr, const struct event_spec *spec,
		       const struct source_options *options)
{
	uint32_t bytes = options->call_graph.stack_size;

	if (spec->terms & EVENT_TERM_STACK_SIZE)
		bytes = spec->stack_size;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user |= sample_registers_unwind;
	attr->sample_stack_user = bytes ? bytes : DEFAULT_STACK_BYTES;
	attr->exclude_callchain_user = 1;
}

static void fill_call_graph(struct perf_event_attr *attr, const struct event_spec *spec,
			    const struct source_options *options)
{
	enum recording_call_graph mode = call_graph_mode(spec, options);

	if (mode == RECORDING_CALL_GRAPH_NONE)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (spec->terms & EVENT_TERM_MAX_STACK)
		attr->sample_max_stack = (uint16_t)spec->max_stack;
	else
		attr->sample_max_stack = (uint16_t)options->max_stack;
	attr->exclude_callchain_user = options->kernel_callchains;
	attr->exclude_callchain_kernel = options->user_callchains;
	if (mode == RECORDING_CALL_GRAPH_DWARF) {
		copy_stack(attr, spec, options);
	} else if (mode == RECORDING_CALL_GRAPH_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_CYCLES |
					   PERF_SAMPLE_BRANCH_NO_FLAGS |
					   PERF_SAMPLE_BRANCH_HW_INDEX;
	}
}

static void fill_contents(struct perf_event_attr *attr, const struct event_spec *spec,
			  const struct perf_attr_plan *plan)
{
	const struct source_options *options = plan->options;
	uint64_t branch = spec->terms & EVENT_TERM_BRANCH ? spec->branch_type
							  : options->branch_type;

	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (!options->no_time || (spec->terms & EVENT_TERM_TIME && spec->time))
		attr->sample_type |= PERF_SAMPLE_TIME;
	/* Single waits have a CPU, sums have none. */
	if (options->sample_cpu || options->system_wide || options->cpus || spec->served_by ||
	    attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (attr->type == PERF_TYPE_TRACEPOINT || options->raw || event_kind_is_heap(spec->kind) ||
	    event_kind_has_words(spec->kind))
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (options->data || options->phys_data || options->data_page_size)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (options->faults && is_fault(attr))
		attr->sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (options->faults && is_fault(attr) && attr->config != PERF_COUNT_SW_PAGE_FAULTS)
		attr->sample_type |= FAULT_END_BITS;
	if (options->phys_data)
		attr->sample_type |= PERF_SAMPLE_PHYS_ADDR;
	if (options->data_page_size)
		attr->sample_type |= PERF_SAMPLE_DATA_PAGE_SIZE;
	if (options->code_page_size)
		attr->sample_type |= PERF_SAMPLE_CODE_PAGE_SIZE;
	if (options->weight)
		attr->sample_type |= PERF_SAMPLE_WEIGHT;
	if (options->data_src)
		attr->sample_type |= PERF_SAMPLE_DATA_SRC;
	if (options->transaction)
		attr->sample_type |= PERF_SAMPLE_TRANSACTION;
	if (options->all_cgroups)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (branch) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = branch;
	}
	if (options->user_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= options->user_regs;
	}
	if (options->intr_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = options->intr_regs;
	}
	if (plan->many || options->sample_identifier || spec->sample_read)
		attr->sample_type |= PERF_SAMPLE_IDENTIFIER;
}

/* Counts: for groups read with each sample (:S), for -s, and what the kernel dropped. */
static void fill_read_format(struct perf_event_attr *attr, const struct event_spec *spec,
			     const struct event_spec *leader, const struct perf_attr_plan *plan)
{
	const struct source_options *options = plan->options;

	if (leader->sample_read) {
		attr->read_format = PERF_FORMAT_ID;
		attr->sample_type |= PERF_SAMPLE_READ;
		if (leader->group_size > 1) {
			attr->read_format |= PERF_FORMAT_GROUP;
			attr->inherit = 0; /* the kernel cannot add up groups of children */
		}
		if (spec != leader) {
			attr->freq = 0;
			attr->sample_period = 0;
		}
	}
	if (options->stat) {
		attr->inherit_stat = attr->inherit;
		attr->read_format |= PERF_FORMAT_ID;
	}
	if (options->stat || options->running_time)
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED |
				     PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (plan->many)
		attr->read_format |= PERF_FORMAT_ID;
	/* Readers decode samples and READ records by this format, and old ones do not
	 * support LOST; otherwise it is invisible. */
	if (!leader->sample_read && !options->stat)
		attr->read_format |= PERF_FORMAT_LOST;
}

static void fill_tracking(struct perf_event_attr *attr, const struct source_options *options)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	/* Stock perf unwinds copied stacks by tables it finds through the data mappings. */
	attr->mmap_data = options->data || options->faults || options->phys_data ||
			  options->call_graph.mode == RECORDING_CALL_GRAPH_DWARF;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->bpf_event = !options->no_bpf_events;
	attr->build_id = options->kernel_build_ids;
	attr->namespaces = options->namespaces;
	attr->cgroup = options->all_cgroups;
	attr->context_switch = options->switch_events;
}

/* The sample fields that the program supports. */
#define BPF_BITS                                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |  \
	 PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_ADDR)

static bool is_silent(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_DUMMY || attr->config == PERF_COUNT_SW_BPF_OUTPUT);
}

static bool fits_bpf(const struct perf_selected *selected)
{
	const struct perf_event_attr *attr = &selected->attr;
	const char *pmu = selected->spec->pmu ? selected->spec->pmu : "";
	bool tracing = attr->type == PERF_TYPE_TRACEPOINT || strcmp(pmu, "kprobe") == 0 ||
		       strcmp(pmu, "uprobe") == 0;

	return !tracing && !selected->backward &&
	       !(attr->sample_type &
		 ~(uint64_t)(is_fault(attr) ? BPF_BITS | PERF_SAMPLE_DATA_SRC | FAULT_END_BITS
					    : BPF_BITS));
}

/* Samples that perf takes and a BPF program behind perf completes, by CPU and time. Events that
 * people make (kprobes, uprobes) have no tracepoint for it. */
static bool fits_behind(const struct perf_selected *selected, const struct perf_attr_plan *plan)
{
	const struct perf_event_attr *attr = &selected->attr;
	const struct event_spec *spec = selected->spec;
	uint64_t bits = BPF_BITS | PERF_SAMPLE_RAW;

	return attr->type == PERF_TYPE_TRACEPOINT && spec->tracepoint && !spec->made &&
	       plan->per_cpu && !selected->backward && attr->sample_type & PERF_SAMPLE_TIME &&
	       !(attr->sample_type & ~bits) && !plan->options->kernel_callchains;
}

static bool has_data(const struct event_spec *spec)
{
	return spec->probe || event_kind_is_heap(spec->kind) || event_kind_has_words(spec->kind);
}

/* Events that no program can serve have copied stacks where stacks were asked for. Without that the
 * kernel follows frame pointers: a copy for each of a million events a second is too much. */
static void choose_stacks(struct perf_selected *selected, const struct perf_attr_plan *plan)
{
	const struct source_options *options = plan->options;
	const struct event_spec *spec = selected->spec;

	selected->by_bpf = spec->served_by != NULL;
	if (spec->served_by) /* they have no more */
		selected->attr.sample_type &= (BPF_BITS & ~(uint64_t)PERF_SAMPLE_ADDR) |
					      (has_data(spec) ? PERF_SAMPLE_RAW : 0);
	if (spec->served_by || is_silent(&selected->attr) ||
	    call_graph_mode(spec, options) != RECORDING_CALL_GRAPH_BPF)
		return;
	selected->by_bpf = fits_bpf(selected);
	if (selected->by_bpf && options->registers)
		selected->attr.sample_type |= PERF_SAMPLE_RAW;
	if (selected->by_bpf)
		return;
	selected->walked = fits_behind(selected, plan);
	if (selected->walked)
		selected->attr.exclude_callchain_user = 1;
	else if (options->call_graph.given)
		copy_stack(&selected->attr, spec, options);
}

void perf_attr_fill(struct perf_selected *selected, const struct event_list *list,
		    const struct perf_attr_plan *plan)
{
	const struct event_spec *spec = selected->spec;
	const struct event_spec *leader = list->spec.item[spec->group_leader];
	const struct source_options *options = plan->options;
	struct perf_event_attr *attr = &selected->attr;

	*attr = spec->attr;
	attr->size = sizeof(*attr);
	attr->sample_id_all = 1;
	attr->inherit = !options->no_inherit && !options->per_thread;
	if (spec->terms & EVENT_TERM_INHERIT)
		attr->inherit = spec->inherit;
	fill_contents(attr, spec, plan);
	fill_rate(attr, spec, plan);
	fill_call_graph(attr, spec, options);
	fill_read_format(attr, spec, leader, plan);
	if (options->all_user || (plan->user_only && !spec->exclude_given)) {
		attr->exclude_kernel = 1;
		attr->exclude_hv = 1;
	}
	if (options->all_kernel)
		attr->exclude_user = 1;
	if (spec->precise_max)
		attr->precise_ip = 3;
	/* Members follow their leader. */
	attr->disabled = spec == leader;
	attr->enable_on_exec = spec == leader && plan->on_exec;
	if (options->clock.given) {
		attr->use_clockid = 1;
		attr->clockid = options->clock.id;
	}
	if (options->overwrite || (spec->terms & EVENT_TERM_OVERWRITE && spec->overwrite)) {
		selected->backward = true;
		attr->write_backward = 1;
	}
	if (spec->index == 0 && !plan->tracker)
		fill_tracking(attr, options);
	choose_stacks(selected, plan);
	/* A period that may change must be in each sample. */
	selected->asked = attr->freq ? attr->sample_freq : attr->sample_period;
	selected->by_cpu = plan->follow && selected->by_bpf && !spec->served_by;
	selected->counted = selected->by_cpu && selected->asked && perf_attr_is_count(attr);
	if (perf_source_is_slowed(selected) && !options->budget.none)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	/* The kernel's call chain would be unused. For precise events a program has no
	 * alternative, because their registers are older than the stack. */
	if (selected->by_bpf && !attr->precise_ip)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

void perf_attr_fill_tracker(struct perf_selected *tracker, const struct perf_selected *first,
			    const struct perf_attr_plan *plan)
{
	struct perf_event_attr *attr = &tracker->attr;

	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = first->attr.sample_type & SHARED_BITS,
		.read_format = first->attr.read_format & PERF_FORMAT_ID,
		.sample_id_all = 1,
		.inherit = !plan->options->no_inherit && !plan->options->per_thread,
		.disabled = 1,
		.enable_on_exec = plan->program,
		.exclude_kernel = 1, /* it counts nothing; asking for less needs no privilege */
		.use_clockid = first->attr.use_clockid,
		.clockid = first->attr.clockid,
	};
	tracker->cgroup_fd = -1;
	fill_tracking(attr, plan->options);
}

bool perf_attr_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool perf_attr_is_count(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && !perf_attr_is_clock(attr) && !is_silent(attr);
}

double perf_attr_rate(const struct perf_event_attr *attr)
{
	if (perf_attr_is_count(attr)) /* may happen seldom, whatever was asked for */
		return 0;
	if (attr->freq)
		return (double)attr->sample_freq;
	return perf_attr_is_clock(attr) && attr->sample_period ? 1e9 / (double)attr->sample_period
							       : 0;
}

void perf_attr_slow(struct perf_event_attr *attr, uint64_t asked, double slow)
{
	if (attr->freq)
		attr->sample_freq = (double)asked > slow ? (uint64_t)((double)asked / slow) : 1;
	else
		attr->sample_period = (uint64_t)((double)asked * slow);
}

void perf_attr_unify(struct perf_selected *selected, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= selected[i].attr.sample_type & SHARED_BITS;
	for (size_t i = 0; i < count; i++)
		selected[i].attr.sample_type |= bits;
}

bool perf_attr_step_back(struct perf_event_attr *attr)
{
	if (attr->read_format & PERF_FORMAT_LOST) /* Linux 6.0 */
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else if (attr->build_id) /* 5.12 */
		attr->build_id = 0;
	else if (attr->sample_type & PERF_SAMPLE_DATA_PAGE_SIZE &&
		 attr->type == PERF_TYPE_SOFTWARE) /* 5.11 */
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_DATA_PAGE_SIZE;
	else if (attr->bpf_event || attr->ksymbol) /* 5.1 */
		attr->bpf_event = attr->ksymbol = 0;
	else if (attr->comm_exec && attr->mmap2) /* 3.16 */
		attr->comm_exec = attr->mmap2 = 0;
	else if (attr->exclude_guest)
		attr->exclude_guest = 0;
	else
		return false;
	return true;
}

bool perf_source_is_slowed(const struct perf_selected *selected)
{
	const struct perf_event_attr *attr = &selected->attr;

	if (!selected->asked || selected->spec->served_by)
		return false;
	/* The kernel samples a software event at every hit, whatever its period, if the period is
	 * to be in the samples (perf_swevent_event()). */
	if (attr->type == PERF_TYPE_SOFTWARE && !attr->freq && !perf_attr_is_clock(attr))
		return false;
	/* every hit was asked for, and something is computed from all of them */
	return selected->by_bpf ||
	       (attr->type != PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_BREAKPOINT);
}
