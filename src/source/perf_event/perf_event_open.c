/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens every event for every thread on every CPU. Optional features that an older kernel lacks are
 * dropped (perf_attr_step_back()); changes in the meaning of a sample are either announced in the
 * notes (user side only, lower precision of :P) or an error with a hint. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "source/options.h"
#include "source/perf_event/perf_event.h"

/* Descriptors of everything else: files, pipes, rings are counted apart. */
#define SPARE_DESCRIPTORS 128
#define KERNEL_HINT                                                                             \
	"; to sample it, use CAP_PERFMON or `sysctl kernel.perf_event_paranoid=1`, see: cupel " \
	"doctor"

int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			    flags | PERF_FLAG_FD_CLOEXEC);
}

static size_t fd_count(const struct perf_source *source)
{
	return source->target.cpu.count * source->target.pid.count;
}

/* The tracker is the last one. */
static struct perf_selected *nth_event(struct perf_source *source, size_t n)
{
	if (n < source->selected_count)
		return &source->selected[n];
	return n == source->selected_count && source->has_tracker ? &source->tracker : NULL;
}

static int too_many(const struct perf_source *source, size_t events, rlim_t need, rlim_t limit,
		    struct err *err)
{
	bool threads = source->target.pid.count > 1;

	(void)err_set(err, -EMFILE,
		      "too %s: %zu events for %zu threads on %zu CPUs need %ju "
		      "file descriptors, the limit is %ju",
		      threads ? "many threads" : "few file descriptors", events,
		      source->target.pid.count, source->target.cpu.count, (uintmax_t)need,
		      (uintmax_t)limit);
	return err_hint(err, "run `ulimit -Hn %ju` as root%s", (uintmax_t)need,
			threads ? ", or use -a" : "");
}

static int raise_descriptor_limit(struct perf_source *source, struct err *err)
{
	size_t events = source->selected_count + source->has_tracker;
	rlim_t need = (rlim_t)(events * fd_count(source) + 4 * source->target.cpu.count +
			       SPARE_DESCRIPTORS);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return err_errno(err, "getrlimit");
	if (limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = need < limit.rlim_max ? need : limit.rlim_max;
	if (limit.rlim_cur < need) {
		struct rlimit more = { .rlim_cur = need, .rlim_max = need };

		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			return 0;
		return too_many(source, events, need, limit.rlim_max, err);
	}
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return err_errno(err, "setrlimit");
	return 0;
}

/* An event of a PMU with its own list of CPUs is opened on those alone. */
static bool is_listed(const int *list, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == cpu)
			return true;
	return false;
}

/* The tracker is needed everywhere. */
static bool wanted_on(const struct perf_target *target, const struct perf_selected *selected,
		      int cpu)
{
	const struct event_spec *spec = selected->spec;

	if (!spec || cpu < 0)
		return true;
	if (spec->cpu && !is_listed(spec->cpu, spec->cpu_count, cpu))
		return false;
	return !target->sampled.count ||
	       is_listed(target->sampled.item, target->sampled.count, cpu);
}

static bool may_narrow(const struct perf_source *source, const struct perf_selected *selected)
{
	const struct perf_event_attr *attr = &selected->attr;

	return selected->spec && !selected->spec->exclude_given && !attr->exclude_kernel &&
	       !source->options->all_kernel && !source->plan.user_only &&
	       attr->type != PERF_TYPE_TRACEPOINT;
}

static void break_group(struct perf_source *source, uint32_t leader)
{
	struct event_list *list = &source->list;

	for (size_t i = 0; i < list->spec.count; i++)
		if (list->spec.item[i]->group_leader == leader) {
			list->spec.item[i]->group_leader = (uint32_t)i;
			list->spec.item[i]->group_size = 1;
		}
	source_note(&source->source,
		    "group leader %s: too few counters for the group; its events are sampled "
		    "individually",
		    list->spec.item[leader]->name);
}

/* Cycles where there is no counter for them become CPU time, as in perf. False when it is another
 * event, or another error. */
static bool use_cpu_clock(struct perf_source *source, struct perf_selected *selected, int error)
{
	struct event_spec *spec = selected->spec ? source->list.spec.item[selected->spec->index]
						 : NULL;
	const char *modifiers;
	char name[64];
	size_t len;

	if (!spec || spec->attr.type != PERF_TYPE_HARDWARE ||
	    (spec->attr.config & UINT32_MAX) != PERF_COUNT_HW_CPU_CYCLES ||
	    (error != ENOENT && error != ENXIO && error != ENODEV && error != EOPNOTSUPP))
		return false;
	modifiers = strchr(spec->name, ':');
	len = (size_t)snprintf(name, sizeof(name), "cpu-clock");
	for (const char *m = modifiers; m && *m && len + 1 < sizeof(name); m++)
		if (*m != 'p' && *m != 'P' && (*m != ':' || m[1 + strspn(m + 1, "pP")]))
			name[len++] = *m;
	source_note(&source->source,
		    "event '%s': this CPU or virtual machine does not count it: %.*s is sampled "
		    "instead",
		    spec->name, (int)len, name);
	spec->attr.type = PERF_TYPE_SOFTWARE;
	spec->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	spec->attr.precise_ip = 0;
	spec->precise_max = false;
	spec->name = arena_strndup(&source->list.arena, name, len);
	return true;
}

/* What can be done about a failed open: 1 = try again with the changed attr, 0 = give up with
 * *error, -EAGAIN = fill all attrs again. */
static int react(struct perf_source *source, struct perf_selected *selected, int error)
{
	struct perf_event_attr *attr = &selected->attr;
	const struct event_spec *spec = selected->spec;

	if (spec && spec->precise_max && attr->precise_ip &&
	    (error == EOPNOTSUPP || error == EINVAL || error == ENOENT)) {
		attr->precise_ip--;
		return 1;
	}
	if ((error == EACCES || error == EPERM) && may_narrow(source, selected)) {
		source->plan.user_only = true;
		source_note(&source->source, "no permission to sample the kernel: user code only%s",
			    KERNEL_HINT);
		return -EAGAIN;
	}
	if (error == EINVAL && perf_attr_step_back(attr))
		return 1;
	if (use_cpu_clock(source, selected, error))
		return -EAGAIN;
	if (spec && spec->group_leader != spec->index &&
	    source->list.spec.item[spec->group_leader]->weak_group) {
		break_group(source, spec->group_leader);
		return -EAGAIN;
	}
	return 0;
}

static int group_fd(const struct perf_source *source, const struct perf_selected *selected,
		    size_t slot)
{
	const struct event_spec *spec = selected->spec;

	if (!spec || spec->group_leader == spec->index)
		return -1;
	return source->selected[spec->group_leader].fd[slot];
}

/* Samples every thread on the CPU: a thread that lives for less than a period is sampled with the
 * same probability as any other. The event's description in the file is unchanged. */
static struct perf_event_attr opened_attr(const struct perf_selected *selected)
{
	struct perf_event_attr attr = selected->attr;

	if (selected->by_cpu)
		attr.inherit = attr.enable_on_exec = 0;
	if (selected->counted) {
		attr.freq = 0;
		attr.sample_period = 1;
	}
	if (selected->spec && selected->spec->probe) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	}
	return attr;
}

static int open_one(struct perf_source *source, struct perf_selected *selected, size_t slot,
		    struct err *err)
{
	const struct perf_target *target = &source->target;
	struct perf_event_attr wanted = selected->attr;
	int cpu = target->cpu.item[slot / target->pid.count];
	pid_t pid = target->pid.item[slot % target->pid.count];
	unsigned long flags = 0;

	if (selected->cgroup_fd >= 0) {
		pid = selected->cgroup_fd;
		flags = PERF_FLAG_PID_CGROUP;
	} else if (selected->by_cpu) {
		pid = -1;
	}
	for (;;) {
		struct perf_event_attr attr = opened_attr(selected);
		int code, fd = perf_event_open(&attr, pid, cpu, group_fd(source, selected, slot),
					       flags);
		struct event_open_failure failure;

		if (fd >= 0) {
			selected->fd[slot] = fd;
			return selected->by_bpf && source->hooks && !selected->spec->served_by
				       ? source->hooks->opened(source->hooks->context, selected, fd,
							       err)
				       : 0;
		}
		code = errno;
		if (code == ESRCH && target->attach)
			return 0; /* the thread ended; all of them: see perf_open_all() */
		failure = (struct event_open_failure){
			.error = code, .root = "", .attr = &wanted, .pid = pid, .cpu = cpu
		};
		code = react(source, selected, failure.error);
		if (code < 0)
			return code;
		if (code == 0)
			return event_open_explain(selected->spec, &failure, err);
	}
}

static int open_event(struct perf_source *source, struct perf_selected *selected, struct err *err)
{
	const struct perf_target *target = &source->target;
	size_t count = fd_count(source), opened = 0;

	selected->fd = mem_alloc(count * sizeof(int));
	for (size_t slot = 0; slot < count; slot++)
		selected->fd[slot] = -1;
	for (size_t slot = 0; slot < count; slot++) {
		int code;

		if (!wanted_on(target, selected, target->cpu.item[slot / target->pid.count]))
			continue;
		code = open_one(source, selected, slot, err);
		if (code)
			return code;
		opened += selected->fd[slot] >= 0;
	}
	if (opened)
		return 0;
	if (target->attach)
		return err_set(err, -ESRCH, "process %d: no such process",
			       (int)target->pid.item[0]);
	return err_set(err, -ENODEV, "%s: the PMU is on none of the selected CPUs",
		       selected->spec->name);
}

static int set_filter(struct perf_source *source, struct perf_selected *selected, struct err *err)
{
	char text[4096];
	const char *given = selected->spec ? selected->spec->filter : NULL;
	bool others = source->options->exclude_self && selected->spec &&
		      selected->spec->attr.type == PERF_TYPE_TRACEPOINT && !selected->spec->probe;
	int len = 0;

	if (!given && !others)
		return 0;
	if (given && others)
		len = snprintf(text, sizeof(text), "(%s) && common_pid != %d", given,
			       (int)getpid());
	else if (given)
		len = snprintf(text, sizeof(text), "%s", given);
	else
		len = snprintf(text, sizeof(text), "common_pid != %d", (int)getpid());
	if ((size_t)len >= sizeof(text))
		return err_set(err, -E2BIG, "%s: filter is too long", selected->spec->name);
	if (perf_ioctl_all(source, selected, PERF_EVENT_IOC_SET_FILTER, (unsigned long)text) == 0)
		return 0;
	if (errno == EINVAL && given)
		return err_set(err, -EINVAL, "%s: the kernel rejected the filter '%s'",
			       selected->spec->name, given);
	return err_errno(err, "%s: filter '%s'", selected->spec->name, text);
}

/* perf shows the narrowing to user code in the name. */
static const char *shown_name(const struct perf_source *source, const struct event_spec *spec,
			      char *buffer, size_t size)
{
	if (!source->plan.user_only || spec->exclude_given)
		return spec->name;
	(void)snprintf(buffer, size, "%s%s", spec->name, strchr(spec->name, '/') ? "u" : ":u");
	return buffer;
}

static int collect_ids(struct perf_source *source, struct perf_selected *selected,
		       struct event_desc *desc, struct err *err)
{
	for (size_t slot = 0; slot < fd_count(source); slot++) {
		uint64_t id;

		if (selected->fd[slot] < 0)
			continue;
		if (ioctl(selected->fd[slot], PERF_EVENT_IOC_ID, &id))
			return err_errno(err, "%s: event id", desc->name);
		event_set_add_id(&source->events, desc, id);
	}
	return 0;
}

int perf_open_all(struct perf_source *source, struct err *err)
{
	int code = raise_descriptor_limit(source, err);
	struct perf_selected *selected;

	for (size_t i = 0; !code && (selected = nth_event(source, i)); i++) {
		code = open_event(source, selected, err);
		if (!code)
			code = set_filter(source, selected, err);
	}
	for (size_t i = 0; !code && i < source->selected_count; i++) {
		const struct event_spec *spec = source->selected[i].spec;
		struct perf_event_attr attr = source->selected[i].attr;
		struct event_desc *desc;
		char name[512];

		attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST; /* appears in no record */
		attr.build_id |= attr.mmap2 && source->options->added_build_ids;
		if (source->selected[i].by_bpf)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		if (source->selected[i].walked)
			attr.exclude_callchain_user = 0; /* they come from elsewhere */
		desc = event_set_add(&source->events, &attr,
				     shown_name(source, spec, name, sizeof(name)));
		desc->group_leader = (int32_t)spec->group_leader;
		source->selected[i].desc = desc;
	}
	/* The tracker's records read like those of the first event, which has the same
	 * layout. */
	for (size_t i = 0; !code && source->plan.many && (selected = nth_event(source, i)); i++)
		code = collect_ids(source, selected,
				   selected->desc ? selected->desc : source->selected[0].desc, err);
	return code;
}

void perf_close_all(struct perf_source *source)
{
	struct perf_selected *selected;

	/* Members before leaders, so that no group is taken apart event by event. */
	for (size_t i = source->selected_count + 1; i-- > 0;) {
		selected = nth_event(source, i);
		if (!selected || !selected->fd)
			continue;
		for (size_t slot = 0; slot < fd_count(source); slot++)
			if (selected->fd[slot] >= 0)
				(void)close(selected->fd[slot]); /* events have nothing to lose */
		free(selected->fd);
		selected->fd = NULL;
	}
}

int perf_ioctl_all(struct perf_source *source, const struct perf_selected *selected,
		   unsigned long request, unsigned long argument)
{
	for (size_t slot = 0; slot < fd_count(source); slot++)
		if (selected->fd[slot] >= 0 && ioctl(selected->fd[slot], request, argument))
			return -errno;
	return 0;
}

int perf_redirect(struct perf_source *source, const struct perf_ring *ring, struct err *err)
{
	size_t pids = source->target.pid.count;
	size_t first = ring->cpu_index * pids + (ring->cpu < 0 ? ring->pid_index : 0);
	size_t count = ring->cpu < 0 ? 1 : pids;
	struct perf_selected *selected;

	for (size_t i = 0; (selected = nth_event(source, i)); i++) {
		if (selected->backward != ring->backward)
			continue;
		for (size_t slot = first; slot < first + count; slot++)
			if (selected->fd[slot] >= 0 &&
			    ioctl(selected->fd[slot], PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
				return err_errno(err, "ring buffer of CPU %d", ring->cpu);
	}
	return 0;
}

static void note_groups(struct perf_source *source)
{
	const struct source_options *options = source->options;

	for (size_t i = 0; i < source->selected_count; i++) {
		const struct event_spec *spec = source->selected[i].spec;

		if (spec->sample_read && spec->group_size > 1 && !options->no_inherit &&
		    source->target.pid.item[0] != -1)
			source_note(&source->source,
				    "group leader %s: reading the group with each sample (:S) "
				    "excludes child processes",
				    spec->name);
	}
}

/* With walked stacks as the rule, copies are an exception to know of: of probes, for one. */
static void note_copies(struct perf_source *source)
{
	if (source->options->call_graph.mode != RECORDING_CALL_GRAPH_BPF)
		return;
	for (size_t i = 0; i < source->selected_count; i++) {
		const struct perf_selected *selected = &source->selected[i];

		if (selected->attr.sample_type & PERF_SAMPLE_STACK_USER &&
		    !(selected->spec->terms & EVENT_TERM_CALL_GRAPH))
			source_note(&source->source,
				    "%s: user stacks are copied, %u bytes a sample: only "
				    "tracepoints, clocks and counters can have walked ones; "
				    "--call-graph fp copies nothing",
				    selected->spec->name, selected->attr.sample_stack_user);
	}
}

void perf_source_note_limits(struct perf_source *source)
{
	note_groups(source);
	note_copies(source);
}
