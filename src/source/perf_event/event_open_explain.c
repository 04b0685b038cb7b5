/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains a failed perf_event_open(2) and its remedy (see event_parse.h). The errno values are
 * those of kernel/events/core.c and the PMU drivers; most have several meanings, which the attr
 * distinguishes. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/event_spec/event_parse.h"
#include "source/namespace.h"

/* A number in /proc/sys/kernel, `missing` when it cannot be read. */
static long kernel_setting(const char *root, const char *name, long missing)
{
	struct buf text = { .limit = 64 };
	struct err ignored;
	char path[PATH_MAX];
	long value = missing;

	(void)snprintf(path, sizeof(path), "%s/proc/sys/kernel/%s", root, name);
	if (fd_read_file(path, &text, &ignored) == 0 && text.len)
		value = strtol(text.data, NULL, 10);
	buf_done(&text);
	return value;
}

/* The highest perf_event_paranoid that lets an unprivileged user do this. */
static long needed_paranoid(const struct event_open_failure *failure)
{
	const struct perf_event_attr *attr = failure->attr;

	if (attr->type == PERF_TYPE_TRACEPOINT && attr->sample_type & PERF_SAMPLE_RAW)
		return -1;
	if (failure->pid == -1)
		return 0;
	return attr->exclude_kernel ? 2 : 1;
}

static int explain_permission(const struct event_spec *spec,
			      const struct event_open_failure *failure, struct err *err)
{
	long paranoid = kernel_setting(failure->root, "perf_event_paranoid", LONG_MIN);
	long needed = needed_paranoid(failure);
	const char *what = failure->pid == -1		   ? " on all processes"
			   : failure->attr->exclude_kernel ? ""
							   : " with kernel frames";

	if (geteuid() == 0 && namespace_is_other(failure->root, "user", INITIAL_USER_NAMESPACE)) {
		err_set(err, -failure->error,
			"event '%s': permission denied to root of a user namespace", spec->name);
		return err_hint(err,
				"its capabilities do not count for this: run cupel as root outside "
				"of it, with -p PID or -a; or there: sudo sysctl "
				"kernel.perf_event_paranoid=%ld",
				needed);
	}
	if (geteuid() == 0) {
		err_set(err, -failure->error, "event '%s': permission denied, even for root",
			spec->name);
		return err_hint(err,
				"a container or security policy forbids perf_event_open: start "
				"it with --cap-add PERFMON and a seccomp profile that allows it");
	}
	/* Distributions give levels above 2 a meaning: no events for users at all. */
	if (failure->pid > 0 && paranoid > 2 && needed == 2) {
		err_set(err, -failure->error, "event '%s': permission denied for process %lld",
			spec->name, (long long)failure->pid);
		return err_hint(err,
				"run as root; the process may belong to another user, or "
				"kernel.perf_event_paranoid (%ld) may forbid all events",
				paranoid);
	}
	if (paranoid == LONG_MIN || paranoid <= needed) {
		err_set(err, -failure->error, "event '%s': permission denied for process %lld",
			spec->name, (long long)failure->pid);
		return err_hint(
			err,
			"run as root; the process belongs to another user or must not be traced");
	}
	err_set(err, -failure->error,
		"event '%s': permission denied%s (kernel.perf_event_paranoid is %ld)", spec->name,
		what, paranoid);
	if (needed == 1 && paranoid == 2 && !spec->exclude_given)
		return err_hint(err,
				"record user space only with -e %s:u, or run as root, or: sudo "
				"sysctl kernel.perf_event_paranoid=1",
				spec->name);
	return err_hint(err,
			"run as root, or: sudo sysctl kernel.perf_event_paranoid=%ld, or: sudo "
			"setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep "
			"\"$(command -v cupel)\"",
			needed);
}

static const char *cannot_sample(const struct perf_event_attr *attr)
{
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return "branch stacks";
	if (attr->precise_ip)
		return "precise sampling";
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		return "registers at the interrupt";
	if (attr->aux_output || attr->aux_sample_size)
		return "AUX area data";
	return NULL;
}

/* EOPNOTSUPP, ENODEV, ENXIO, ENOENT: something is not there. */
static int explain_missing(const struct event_spec *spec, const struct event_open_failure *failure,
			   struct err *err)
{
	const struct perf_event_attr *attr = failure->attr;
	const char *feature = cannot_sample(attr);

	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	    attr->type == PERF_TYPE_RAW) {
		if (failure->error == EOPNOTSUPP && feature) {
			err_set(err, -failure->error, "event '%s': no %s on this CPU", spec->name,
				feature);
			return err_hint(err, "omit %s",
					attr->sample_type & PERF_SAMPLE_BRANCH_STACK
						? "-b, -j and --call-graph lbr"
						: "the modifier p");
		}
		err_set(err, -failure->error,
			"event '%s': not supported by this CPU or virtual machine", spec->name);
		return err_hint(err, "use -e cpu-clock; it needs no hardware counter");
	}
	if (feature) {
		err_set(err, -failure->error, "event '%s': no %s for this event", spec->name,
			feature);
		return err_hint(err, "omit %s",
				attr->sample_type & PERF_SAMPLE_BRANCH_STACK
					? "-b, -j and --call-graph lbr"
					: "the modifier p");
	}
	if (failure->error == ENODEV || failure->error == ENXIO)
		return err_set(err, -failure->error, "event '%s': no such device on CPU %lld",
			       spec->name, (long long)failure->cpu);
	err_set(err, -failure->error, "event '%s': not supported by the kernel", spec->name);
	if (attr->sample_period)
		return err_hint(err, "some PMUs can count but not sample");
	return err->code;
}

static int explain_invalid(const struct event_spec *spec, const struct event_open_failure *failure,
			   struct err *err)
{
	const struct perf_event_attr *attr = failure->attr;
	const char *feature = cannot_sample(attr);
	long max_rate = kernel_setting(failure->root, "perf_event_max_sample_rate", 0);

	if (attr->freq && max_rate > 0 && attr->sample_freq > (uint64_t)max_rate) {
		err_set(err, -EINVAL, "event '%s': frequency %llu exceeds the limit of %ld",
			spec->name, (unsigned long long)attr->sample_freq, max_rate);
		return err_hint(err,
				"use -F %ld, or: sudo sysctl "
				"kernel.perf_event_max_sample_rate=%llu",
				max_rate, (unsigned long long)attr->sample_freq);
	}
	if (spec->system_wide && failure->pid != -1) {
		err_set(err, -EINVAL, "event '%s': PMU %s cannot count single processes",
			spec->name, spec->pmu);
		return err_hint(err, "record the whole system with -a");
	}
	if (feature) {
		err_set(err, -EINVAL, "event '%s': %s not supported", spec->name, feature);
		return err_hint(err, "omit -b, -j, --call-graph lbr and the modifier p");
	}
	if (attr->use_clockid) {
		err_set(err, -EINVAL, "event '%s': clock %d not supported", spec->name,
			(int)attr->clockid);
		return err_hint(err, "use -k mono, or omit -k");
	}
	if (attr->type >= PERF_TYPE_MAX && attr->sample_period) {
		err_set(err, -EINVAL, "event '%s': sampling not supported", spec->name);
		return err_hint(err, "PMU %s may only support counting", spec->pmu);
	}
	err_set(err, -EINVAL, "event '%s': invalid settings", spec->name);
	if (spec->group_size > 1 || spec->group_leader != spec->index)
		return err_hint(err, "the group may have more events than the CPU has counters; "
				     "modifier W allows to split it");
	return err->code;
}

static int explain_busy(const struct event_spec *spec, const struct event_open_failure *failure,
			struct err *err)
{
	err_set(err, -EBUSY, "event '%s': the counter is in use", spec->name);
	if (kernel_setting(failure->root, "nmi_watchdog", 0) > 0)
		return err_hint(err,
				"the NMI watchdog uses one: sudo sysctl kernel.nmi_watchdog=0");
	return err_hint(err, "stop the other profiler, or omit the modifiers D and e");
}

/* Filters of system calls may answer as a kernel without the call does. */
static int explain_no_call(const char *root, struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/sys/kernel/perf_event_paranoid", root) >=
		    (int)sizeof(path) ||
	    access(path, F_OK))
		return err_set(
			err, -ENOSYS,
			"the kernel does not support performance events (CONFIG_PERF_EVENTS)");
	err_set(err, -ENOSYS, "a filter of system calls refuses perf_event_open");
	return err_hint(err, "start the container with a seccomp profile that permits it; see: "
			     "cupel doctor");
}

static int explain(const struct event_spec *spec, const struct event_open_failure *failure,
		   struct err *err)
{
	int error = failure->error;

	switch (error) {
	case EPERM:
	case EACCES:
		(void)explain_permission(spec, failure, err); /* what it returns is in err */
		return err_hint_add(err, "; see: cupel doctor");
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return explain_missing(spec, failure, err);
	case EINVAL:
		return explain_invalid(spec, failure, err);
	case EBUSY:
		return explain_busy(spec, failure, err);
	case EMFILE:
		err_set(err, -error, "event '%s': too many open files", spec->name);
		return err_hint(err, "raise the limit with: ulimit -n 65536, or record with -a");
	case ENFILE:
		err_set(err, -error, "event '%s': the system is out of file descriptors",
			spec->name);
		return err_hint(err, "raise it with: sudo sysctl fs.file-max=1000000");
	case ESRCH:
		return err_set(err, -error, "process %lld: no such process",
			       (long long)failure->pid);
	case ENOSPC:
		err_set(err, -error, "event '%s': all hardware breakpoints are in use", spec->name);
		return err_hint(err, "a CPU has about four; a debugger may use some");
	case EOVERFLOW:
		err_set(err, -error, "event '%s': the call chain limit of %u exceeds the kernel's",
			spec->name, (unsigned)failure->attr->sample_max_stack);
		return err_hint(err, "raise it with: sudo sysctl kernel.perf_event_max_stack=%u",
				(unsigned)failure->attr->sample_max_stack);
	case E2BIG:
		return err_set(err, -error, "event '%s': settings not supported by this kernel",
			       spec->name);
	case ENOSYS:
		return explain_no_call(failure->root, err);
	default:
		return err_set(err, -error, "event '%s': %s", spec->name, strerror(error));
	}
}

int event_open_explain(const struct event_spec *spec, const struct event_open_failure *failure,
		       struct err *err)
{
	(void)explain(spec, failure, err); /* what it returns is in err */
	return err->code;
}
