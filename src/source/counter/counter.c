/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting events (see counter.h). */
#include "source/counter/counter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/options.h"
#include "source/perf_event/event_try.h"

#define SPARE_DESCRIPTORS 32	 /* everything else has about 10 */
#define ROOT_CGROUP_INODE 1	 /* of every mount that shows the root of the hierarchy */
#define GROUP_IS_FULL	  EXFULL /* instead of EINVAL, which has many meanings */

static bool is_everybody(const struct counter_set *set)
{
	return set->target.pid.item[0] == -1;
}

static int open_target(struct counter_set *set, const struct source_options *options,
		       struct err *err)
{
	struct source_options mine = *options;
	struct perf_target *target = &set->target;
	int code;

	mine.per_thread = true; /* tasks are counted wherever they run */
	code = perf_target_open(target, &mine, err);
	if (code || !target->sampled.count)
		return code;
	target->cpu.count = 0;
	for (size_t i = 0; i < target->sampled.count; i++)
		vec_push(&target->cpu, target->sampled.item[i]);
	target->sampled.count = 0;
	return 0;
}

/* Every task is in it. Events of a CPU count the same, and their times are right (see
 * open_first_in_cgroups()). */
static bool is_root_cgroup(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == ROOT_CGROUP_INODE;
}

/* The name of cgroup number `at` in the list. */
static const char *cgroup_name(struct arena *arena, const char *list, size_t at)
{
	for (; at; at--)
		list += strcspn(list, ",") + 1;
	return arena_strndup(arena, list, strcspn(list, ","));
}

static void add_counter(struct counter_set *set, const struct event_spec *spec, const char *cgroups,
			size_t cgroup)
{
	struct counter item = { .spec = spec, .name = spec->name, .cgroup_fd = -1 };

	if (set->target.cgroup_fd.count) {
		item.cgroup_fd = set->target.cgroup_fd.item[cgroup];
		if (is_root_cgroup(item.cgroup_fd))
			item.cgroup_fd = -1;
		item.cgroup = cgroup_name(&set->arena, cgroups, cgroup);
	}
	vec_push(&set->counter, item);
}

static int add_counters(struct counter_set *set, const struct event_list *list,
			const struct counter_options *options, struct err *err)
{
	const char *cgroups = options->source->cgroups;
	size_t given = set->target.cgroup_fd.count;

	if (given && !is_everybody(set))
		return err_set(err, -EINVAL, "cgroups are counted with -a or -C only");
	if (given && options->each_cgroup) {
		for (size_t c = 0; c < given; c++)
			for (size_t i = 0; i < list->spec.count; i++)
				add_counter(set, list->spec.item[i], cgroups, c);
		return 0;
	}
	if (given > 1 && given != list->spec.count)
		return err_set(err, -EINVAL, "%zu cgroups for %zu events: give one, or as many",
			       given, list->spec.count);
	for (size_t i = 0; i < list->spec.count; i++)
		add_counter(set, list->spec.item[i], cgroups, given > 1 ? i : 0);
	return 0;
}

static int raise_descriptor_limit(const struct counter_set *set, struct err *err)
{
	size_t events = set->counter.count + set->target.cgroup_fd.count;
	rlim_t need = (rlim_t)(events * set->slots + SPARE_DESCRIPTORS);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return err_errno(err, "getrlimit");
	if (limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = need;
	if (limit.rlim_max < need)
		limit.rlim_max = need;
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return 0;
	(void)err_set(err, -EMFILE, "too many threads: %zu events for %zu threads and CPUs",
		      set->counter.count, set->slots);
	return err_hint(err, "run `ulimit -Hn %ju` as root, or count with -a", (uintmax_t)need);
}

/* Not here, as opposed to not allowed. */
static bool is_missing(int error)
{
	return error == ENOENT || error == ENOSYS || error == EOPNOTSUPP || error == ENXIO ||
	       error == ENODEV || error == EINVAL;
}

/* The first open event of the group leads it: a leader that the machine does not have is no reason
 * not to count the others. */
static int group_fd(const struct counter_set *set, size_t at, size_t slot)
{
	const struct counter *counter = &set->counter.item[at];
	size_t before = counter->spec->index - counter->spec->group_leader;

	for (size_t i = at - before; i < at; i++)
		if (set->counter.item[i].fd[slot] >= 0)
			return set->counter.item[i].fd[slot];
	return -1;
}

static struct perf_event_attr fill_attr(const struct counter_set *set,
					const struct counter *counter,
					const struct source_options *options, bool leads)
{
	struct perf_event_attr attr = counter->spec->attr;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = set->inherit;
	attr.disabled = leads;
	attr.enable_on_exec = leads && set->on_exec;
	if (options->all_kernel)
		attr.exclude_user = 1;
	if (options->all_user || (set->user_only && !counter->spec->exclude_given))
		attr.exclude_kernel = attr.exclude_hv = 1;
	return attr;
}

static bool may_narrow(const struct counter_set *set, const struct counter *counter,
		       const struct perf_event_attr *attr, int error)
{
	return (error == EACCES || error == EPERM) && !set->user_only && !is_everybody(set) &&
	       !attr->exclude_kernel && !counter->spec->exclude_given &&
	       attr->type != PERF_TYPE_TRACEPOINT;
}

static bool is_wanted(const struct event_spec *spec, int cpu)
{
	for (size_t i = 0; cpu >= 0 && spec->cpu && i < spec->cpu_count; i++)
		if (spec->cpu[i] == cpu)
			return true;
	return cpu < 0 || !spec->cpu;
}

/* -EAGAIN: all must be opened again, user code only. -ENODEV: the machine does not have it. */
static int open_slot(struct counter_set *set, size_t at, size_t slot,
		     const struct source_options *options, struct err *err)
{
	struct counter *counter = &set->counter.item[at];
	int cpu = counter_slot_cpu(set, slot), group = group_fd(set, at, slot);
	pid_t pid = counter_slot_thread(set, slot);
	struct perf_event_attr attr = fill_attr(set, counter, options, group < 0);
	unsigned long flags = 0;
	struct event_open_failure failure;

	if (counter->spec->tool || counter->spec->probe || !is_wanted(counter->spec, cpu))
		return 0;
	if (counter->cgroup_fd >= 0) {
		pid = counter->cgroup_fd;
		flags = PERF_FLAG_PID_CGROUP;
	}
	counter->fd[slot] = perf_event_open(&attr, pid, cpu, group, flags);
	if (counter->fd[slot] < 0 && errno == EINVAL && group >= 0 && counter->spec->weak_group) {
		attr = fill_attr(set, counter, options, true);
		counter->fd[slot] = perf_event_open(&attr, pid, cpu, -1, flags);
	}
	if (counter->fd[slot] < 0 && errno == EINVAL && attr.exclude_guest) {
		attr.exclude_guest = 0; /* PMUs outside the cores exclude nothing */
		counter->fd[slot] = perf_event_open(&attr, pid, cpu, group, flags);
	}
	if (counter->fd[slot] >= 0)
		return 0;
	if (errno == ESRCH && set->target.attach)
		return 0; /* the thread has ended */
	if (may_narrow(set, counter, &attr, errno)) {
		set->user_only = true;
		return -EAGAIN;
	}
	counter->error = errno;
	if (is_missing(errno))
		return -ENODEV;
	failure = (struct event_open_failure){
		.error = errno, .root = "", .attr = &attr, .pid = pid, .cpu = cpu
	};
	return event_open_explain(counter->spec, &failure, err);
}

/* Alone it can be counted: the group has no counter left for it. */
static bool is_refused_by_group(const struct counter_set *set, size_t at, size_t slot,
				const struct source_options *options)
{
	const struct counter *counter = &set->counter.item[at];
	struct perf_event_attr alone = fill_attr(set, counter, options, true);

	return counter->error == EINVAL && group_fd(set, at, slot) >= 0 && counter->cgroup_fd < 0 &&
	       event_try(&alone, counter_slot_thread(set, slot), counter_slot_cpu(set, slot)) == 0;
}

static void close_counter(const struct counter_set *set, struct counter *counter)
{
	for (size_t slot = 0; counter->fd && slot < set->slots; slot++)
		if (counter->fd[slot] >= 0)
			(void)close(take_fd(&counter->fd[slot])); /* there is nothing to lose */
}

static int set_filter(const struct counter_set *set, const struct counter *counter, struct err *err)
{
	const char *filter = counter->spec->filter;

	for (size_t slot = 0; filter && slot < set->slots; slot++)
		if (counter->fd[slot] >= 0 &&
		    ioctl(counter->fd[slot], PERF_EVENT_IOC_SET_FILTER, filter))
			return err_set(err, -EINVAL, "%s: the kernel rejected the filter '%s'",
				       counter->name, filter);
	return 0;
}

static int open_counter(struct counter_set *set, size_t at, const struct source_options *options,
			struct err *err)
{
	struct counter *counter = &set->counter.item[at];

	counter->error = 0;
	for (size_t slot = 0; slot < set->slots; slot++) {
		int code = open_slot(set, at, slot, options, err);

		if (code && code != -ENODEV)
			return code;
		if (code) {
			if (is_refused_by_group(set, at, slot, options))
				counter->error = GROUP_IS_FULL;
			close_counter(set, counter);
			return 0;
		}
	}
	return set_filter(set, counter, err);
}

/* Linux 6.18 may add all the time since a CPU was last in a cgroup, or since the boot, to the times
 * of the first event that counts in cgroups on the CPU. It is a dummy here, and reading it makes
 * the kernel add that time before other events are enabled. If it cannot be opened, they cannot
 * either. */
static void open_first_in_cgroups(struct counter_set *set)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY };
	uint64_t ignored;

	for (size_t c = 0; c < set->target.cgroup_fd.count; c++)
		for (size_t i = 0; i < set->target.cpu.count; i++)
			vec_push(&set->first_in_cgroup,
				 perf_event_open(&attr, set->target.cgroup_fd.item[c],
						 set->target.cpu.item[i], -1,
						 PERF_FLAG_PID_CGROUP));
	for (size_t i = 0; i < set->first_in_cgroup.count; i++)
		if (read(set->first_in_cgroup.item[i], &ignored, sizeof(ignored)) < 0)
			continue; /* it could not be opened */
}

static int open_all(struct counter_set *set, const struct source_options *options, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < set->counter.count; i++)
		code = open_counter(set, i, options, err);
	return code;
}

/* perf shows the narrowing to user code in the name. */
static void narrow_names(struct counter_set *set)
{
	for (size_t i = 0; set->user_only && i < set->counter.count; i++) {
		struct counter *counter = &set->counter.item[i];
		size_t size = strlen(counter->name) + 3;
		char *name = arena_alloc(&set->arena, size);

		if (counter->spec->exclude_given)
			continue;
		(void)snprintf(name, size, "%s%s", counter->name,
			       strchr(counter->name, '/') ? "u" : ":u");
		counter->name = name;
	}
}

int counter_set_open(struct counter_set *ret, const struct event_list *list,
		     const struct counter_options *options, struct err *err)
{
	int code;

	*ret = (struct counter_set){ 0 };
	code = open_target(ret, options->source, err);
	if (!code)
		code = add_counters(ret, list, options, err);
	if (code)
		return code;
	ret->slots = ret->target.cpu.count * ret->target.pid.count;
	ret->inherit = !options->source->no_inherit;
	ret->on_exec = options->source->program && !options->source->delayed &&
		       !is_everybody(ret) && !ret->target.attach;
	for (size_t i = 0; i < ret->counter.count; i++) {
		ret->counter.item[i].fd = mem_alloc(ret->slots * sizeof(int));
		memset(ret->counter.item[i].fd, 0xff, ret->slots * sizeof(int));
	}
	code = raise_descriptor_limit(ret, err);
	if (!code)
		open_first_in_cgroups(ret);
	if (!code)
		code = open_all(ret, options->source, err);
	if (code == -EAGAIN) {
		for (size_t i = 0; i < ret->counter.count; i++)
			close_counter(ret, &ret->counter.item[i]);
		code = open_all(ret, options->source, err);
	}
	narrow_names(ret);
	return code;
}

static int enable(const struct counter *counter, size_t slots, bool on, struct err *err)
{
	unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	for (size_t slot = 0; slot < slots; slot++)
		if (counter->fd[slot] >= 0 && ioctl(counter->fd[slot], request, 0))
			return err_errno(err, "%s", counter->name);
	return 0;
}

int counter_set_enable(const struct counter_set *set, bool on, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < set->counter.count; i++)
		code = enable(&set->counter.item[i], set->slots, on, err);
	return code;
}

int counter_set_enable_event(const struct counter_set *set, const char *name, bool on,
			     bool *ret_known, struct err *err)
{
	int code = 0;

	*ret_known = false;
	for (size_t i = 0; !code && i < set->counter.count; i++) {
		const struct counter *counter = &set->counter.item[i];

		if (counter->spec->tool || counter->spec->probe || strcmp(counter->name, name) != 0)
			continue;
		*ret_known = true;
		code = enable(counter, set->slots, on, err);
	}
	return code;
}

bool counter_read(const struct counter *counter, size_t slot, struct counter_reading *ret)
{
	uint64_t word[3];

	if (counter->fd[slot] < 0 || read(counter->fd[slot], word, sizeof(word)) != sizeof(word))
		return false;
	*ret = (struct counter_reading){ word[0], word[1], word[2] };
	return true;
}

void counter_explain(const struct counter_set *set, const struct counter *counter, struct err *err)
{
	struct event_open_failure failure = { .error = counter->error,
					      .root = "",
					      .attr = &counter->spec->attr,
					      .pid = counter_slot_thread(set, 0),
					      .cpu = counter_slot_cpu(set, 0) };

	if (counter->error == GROUP_IS_FULL) {
		(void)err_set(err, -counter->error,
			      "event '%s': its group has more events than the CPU has counters; "
			      "{…}:W splits it",
			      counter->name);
		return;
	}
	(void)event_open_explain(counter->spec, &failure, err); /* what it returns is in err */
}

bool counter_is_clock(const struct counter *counter)
{
	const struct perf_event_attr *attr = &counter->spec->attr;

	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
						    attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

void counter_thread_comm(int thread, char ret[16])
{
	struct buf text = { .limit = 64 };
	struct err ignored; /* it may have ended */
	char path[64];

	*ret = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", thread);
	if (fd_read_file(path, &text, &ignored) == 0 && text.len)
		(void)snprintf(ret, 16, "%.*s", (int)text.len - 1, text.data);
	text_tidy(ret, strlen(ret));
	buf_done(&text);
}

void counter_set_close(struct counter_set *set)
{
	/* Members before leaders, so that no group is taken apart event by event. */
	for (size_t i = set->counter.count; i-- > 0;) {
		close_counter(set, &set->counter.item[i]);
		free(set->counter.item[i].fd);
	}
	vec_done(&set->counter);
	for (size_t i = 0; i < set->first_in_cgroup.count; i++)
		fd_close(&set->first_in_cgroup.item[i]);
	vec_done(&set->first_in_cgroup);
	perf_target_done(&set->target);
	arena_done(&set->arena);
	*set = (struct counter_set){ 0 };
}
