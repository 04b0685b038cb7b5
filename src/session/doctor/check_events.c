/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf_event_open(2) grants: found by opening events. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "session/doctor/doctor_check.h"
#include "source/event_spec/tracepoint.h"
#include "source/perf_event/event_try.h"

#define SAMPLE_PERIOD_NS 1000000
#define DEVICES		 "/sys/bus/event_source/devices"

static const struct perf_event_attr user_clock = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.sample_period = SAMPLE_PERIOD_NS,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	.exclude_kernel = 1,
	.exclude_callchain_kernel = 1,
};

static const struct perf_event_attr kernel_clock = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CPU_CLOCK,
	.sample_period = SAMPLE_PERIOD_NS,
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
};

/* Sets the finding of an ability by the answer of the kernel. */
static bool judge(struct doctor *doctor, struct doctor_finding *finding, int code,
		  const char *consequence)
{
	if (!code) {
		finding_set(doctor, finding, DOCTOR_OK, "can be sampled");
		return true;
	}
	finding_set(doctor, finding, DOCTOR_MISSING, "perf_event_open: %s", strerror(-code));
	finding->consequence = consequence;
	if (doctor_is_refusal(doctor, code))
		finding_needs_rights(doctor, finding);
	return false;
}

void check_own_programs(struct doctor *doctor, struct doctor_finding *finding)
{
	int code = event_try(&user_clock, 0, -1);

	if (judge(doctor, finding, code, "nothing can be sampled"))
		return;
	if (code == -ENOSYS && !doctor->seccomp)
		finding->fix = "this kernel was built without CONFIG_PERF_EVENTS";
	if (code != -EACCES && doctor->seccomp)
		finding_set(doctor, finding, DOCTOR_MISSING,
			    "a seccomp filter refuses perf_event_open");
}

void check_kernel_frames(struct doctor *doctor, struct doctor_finding *finding)
{
	(void)judge(doctor, finding, event_try(&kernel_clock, 0, -1),
		    "time in the kernel is missing: samples are of user code alone");
}

/* On a CPU that is online: the first one that this thread may use. */
void check_whole_machine(struct doctor *doctor, struct doctor_finding *finding)
{
	(void)judge(doctor, finding, event_try(&user_clock, -1, 0),
		    "record -a, top and sched record refuse; -p and PROGRAM work");
}

/* A process of another user, not root if possible; 0 = all are this user's. */
static pid_t foreign_process(const struct doctor *doctor)
{
	char path[4096];
	struct dirent *entry;
	pid_t found = 0;
	DIR *proc;

	(void)snprintf(path, sizeof(path), "%s/proc", doctor->options->root); /* else not found */
	proc = opendir(path);
	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		struct stat st;

		if (pid <= 0 || fstatat(dirfd(proc), entry->d_name, &st, 0) ||
		    st.st_uid == geteuid())
			continue;
		found = pid;
		if (st.st_uid)
			break;
	}
	(void)closedir(proc); /* only read */
	return found;
}

void check_other_users(struct doctor *doctor, struct doctor_finding *finding)
{
	pid_t pid = foreign_process(doctor);
	int code;

	if (!pid) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "all visible processes are yours");
		return;
	}
	code = event_try(&user_clock, pid, -1);
	if (code == -ESRCH) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "process %d has ended", (int)pid);
		return;
	}
	(void)judge(doctor, finding, code, "processes of other users cannot be sampled with -p");
}

static bool is_virtual(const struct doctor *doctor)
{
	const char *text = doctor_read(doctor, "/proc/cpuinfo");

	return text && strstr(text, " hypervisor");
}

/* PMUs of cores: "cpu", or others that say which CPUs they are in. */
static void list_core_pmus(const struct doctor *doctor, char *ret, size_t size)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t len = 0;
	DIR *folder;

	*ret = '\0';
	(void)snprintf(path, sizeof(path), "%s" DEVICES, doctor->options->root);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)) && len < size) {
		if (strcmp(entry->d_name, "cpu") != 0) {
			(void)snprintf(path, sizeof(path), "%s" DEVICES "/%s/cpus",
				       doctor->options->root, entry->d_name);
			if (entry->d_name[0] == '.' || access(path, F_OK))
				continue;
		}
		len += (size_t)snprintf(ret + len, size - len, "%s%s", len ? ", " : "; PMU ",
					entry->d_name);
	}
	if (folder)
		(void)closedir(folder); /* it was only read */
}

void check_hardware_events(struct doctor *doctor, struct doctor_finding *finding)
{
	int code = event_try_own(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	char pmus[128];

	doctor->hardware = !code;
	if (!code) {
		list_core_pmus(doctor, pmus, sizeof(pmus));
		finding_set(doctor, finding, DOCTOR_OK, "cycles can be counted%s", pmus);
		return;
	}
	finding->consequence = "cycles, instructions, cache and branch misses cannot be counted or "
			       "sampled; CPU time can, by timer (cpu-clock)";
	if (doctor_is_refusal(doctor, code)) {
		finding_set(doctor, finding, DOCTOR_MISSING, "perf_event_open: %s",
			    strerror(-code));
		finding_needs_rights(doctor, finding);
		return;
	}
	if (!doctor_read(doctor, "/proc/cpuinfo")) {
		finding_set(doctor, finding, DOCTOR_MISSING, "no CPU counters (PMU)");
		return;
	}
	finding_set(doctor, finding, DOCTOR_MISSING, "no CPU counters (PMU) %s",
		    is_virtual(doctor) ? "in this virtual machine" : "on this machine");
	finding->fix = is_virtual(doctor)
			       ? "give the virtual machine a PMU on its host (QEMU: -cpu "
				 "host,pmu=on; clouds: whole-host or metal sizes)"
			       : "enable the performance counters in the firmware";
}

void check_software_events(struct doctor *doctor, struct doctor_finding *finding)
{
	static const struct {
		const char *name;
		uint64_t config;
	} events[] = {
		{ "cpu-clock", PERF_COUNT_SW_CPU_CLOCK },
		{ "task-clock", PERF_COUNT_SW_TASK_CLOCK },
		{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
		{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
		{ "bpf-output", PERF_COUNT_SW_BPF_OUTPUT },
	};
	size_t count = sizeof(events) / sizeof(events[0]), failed = 0;
	char names[128] = "";
	int code = 0;

	for (size_t i = 0; i < count; i++) {
		int result = event_try_own(PERF_TYPE_SOFTWARE, events[i].config);
		size_t len = strlen(names);

		if (!result)
			continue;
		code = result;
		(void)snprintf(names + len, sizeof(names) - len, "%s%s", failed++ ? ", " : "",
			       events[i].name); /* all of them fit */
	}
	if (!failed) {
		finding_set(doctor, finding, DOCTOR_OK, "%zu kinds can be opened", count);
		return;
	}
	finding_set(doctor, finding, failed == count ? DOCTOR_MISSING : DOCTOR_LIMITED, "%s: %s",
		    failed == count ? "perf_event_open" : names, strerror(-code));
	finding->consequence = "these events cannot be counted or sampled";
	if (doctor_is_refusal(doctor, code))
		finding_needs_rights(doctor, finding);
}

/* With the fields of the events, which is what record asks for. */
void check_tracepoints(struct doctor *doctor, struct doctor_finding *finding)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW,
	};
	struct err err = { 0 };
	const char *tracefs;
	int code = tracefs_find(doctor->options->root, doctor->arena, &tracefs, &err);

	if (!code) {
		uint64_t id = 0;

		code = tracepoint_id(tracefs, "sched", "sched_switch", &id, &err);
		attr.config = id;
	}
	finding->consequence = "events such as sched:sched_switch cannot be recorded; record -e "
			       "off-cpu and wall need no tracefs";
	if (code) {
		finding_set(doctor, finding, DOCTOR_MISSING, "%s", err.msg);
		finding_needs_tracefs(doctor, finding, code);
		return;
	}
	code = event_try(&attr, 0, -1);
	if (judge(doctor, finding, code, finding->consequence))
		finding->consequence = NULL;
}
