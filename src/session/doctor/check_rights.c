/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why the kernel grants or refuses: settings, capabilities, security modules, containers. */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "session/doctor/doctor_check.h"

/* From Linux 5.8; headers may be older. */
#define PERFMON 38
#define BPF	39

/* Levels above 2 exist on the kernels of Debian (3) and Ubuntu (4) alone; on others they equal 2.
 */
static const char *paranoid_meaning(long level)
{
	static const char *const meaning[] = {
		("users may sample their own programs with the kernel, and the whole machine, "
		 "without raw tracepoints"),
		"users may sample their own programs, with the kernel",
		"users may sample user code of their own programs",
	};

	if (level < 0)
		return "users may sample everything";
	if (level <= 2)
		return meaning[level];
	return "users may sample nothing on the kernels of Debian (3) and Ubuntu (4); others "
	       "treat it as 2";
}

void check_file_systems(struct doctor *doctor, struct doctor_finding *finding)
{
	if (doctor->has_proc && doctor->has_sys) {
		finding_set(doctor, finding, DOCTOR_OK, "/proc and /sys are there");
		return;
	}
	finding_set(doctor, finding, DOCTOR_MISSING, "%s%s%s not mounted",
		    doctor->has_proc ? "" : "/proc",
		    doctor->has_proc || doctor->has_sys ? "" : " and ",
		    doctor->has_sys ? "" : "/sys");
	if (doctor->has_proc)
		finding->consequence = "BPF programs that read kernel data cannot be loaded, PMUs "
				       "and the list of CPUs are unknown: most commands refuse";
	else
		finding->consequence = "processes have no names, maps and build ids, the kernel "
				       "no names: most commands refuse";
	finding_command(doctor, finding, "%s%s%s",
			doctor->has_proc ? "" : "sudo mount -t proc proc /proc",
			doctor->has_proc || doctor->has_sys ? "" : "; ",
			doctor->has_sys ? "" : "sudo mount -t sysfs sys /sys");
}

void check_paranoid(struct doctor *doctor, struct doctor_finding *finding)
{
	long level = doctor->paranoid;

	if (level == PARANOID_UNKNOWN) {
		finding_set(doctor, finding, DOCTOR_LIMITED,
			    "/proc/sys/kernel/perf_event_paranoid cannot be read");
		finding->consequence = "the kernel has no perf events";
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK, "perf_event_paranoid is %ld: %s", level,
		    paranoid_meaning(level));
	if (doctor_has(doctor, PERFMON) || doctor_has(doctor, CAP_SYS_ADMIN))
		return;
	if (level <= -1)
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = "without CAP_PERFMON this setting decides";
	finding->fix = "instead of rights for cupel alone, for all programs of all users (0: the "
		       "whole machine, -1: tracepoints as well):";
	finding_command(doctor, finding, "sudo sysctl kernel.perf_event_paranoid=%d",
			level > 1 ? 1 : -1);
}

void check_capabilities(struct doctor *doctor, struct doctor_finding *finding)
{
	static const struct {
		unsigned number;
		const char *name, *use;
	} wanted[] = {
		{ PERFMON, "CAP_PERFMON", "kernel, other users' processes and whole machine" },
		{ BPF, "CAP_BPF", "whole user stacks, waits and latencies" },
		{ CAP_SYS_PTRACE, "CAP_SYS_PTRACE", "binaries of other users' processes" },
		{ CAP_SYSLOG, "CAP_SYSLOG", "kernel names when kptr_restrict is 1" },
	};
	char names[128] = "", uses[256] = "";

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		size_t at = strlen(names), use = strlen(uses);

		/* that of the administrator includes most others */
		if (doctor_has(doctor, wanted[i].number) ||
		    (wanted[i].number >= PERFMON && doctor_has(doctor, CAP_SYS_ADMIN)))
			continue;
		(void)snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "",
			       wanted[i].name); /* all of them fit */
		(void)snprintf(uses + use, sizeof(uses) - use, "%s%s", use ? "; " : "",
			       wanted[i].use); /* as well */
	}
	if (!names[0]) {
		finding_set(doctor, finding, DOCTOR_OK, "all that Cupel uses");
		return;
	}
	finding_set(doctor, finding, DOCTOR_LIMITED, "without %s", names);
	finding->consequence = arena_strdup(doctor->arena, uses);
	finding_needs_rights(doctor, finding);
}

void check_lockdown(struct doctor *doctor, struct doctor_finding *finding)
{
	const char *text = doctor_read(doctor, "/sys/kernel/security/lockdown");

	if (!text) {
		finding_set(doctor, finding, DOCTOR_OK, "no lockdown");
		return;
	}
	if (strstr(text, "[confidentiality]")) {
		finding_set(doctor, finding, DOCTOR_MISSING, "kernel lockdown: confidentiality");
		finding->consequence = "kernel frames and BPF programs that read kernel data are "
				       "refused, even for root";
		finding->fix = "boot with lockdown=integrity, or without Secure Boot";
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK,
		    strstr(text, "[none]") ? "no lockdown" : "integrity: perf and BPF may read");
}

void check_container(struct doctor *doctor, struct doctor_finding *finding)
{
	if (!doctor->in_container) {
		finding_set(doctor, finding, DOCTOR_OK, "no sign of a container");
		return;
	}
	finding_set(doctor, finding, DOCTOR_LIMITED, "this is a container");
	finding->consequence = "what it was started with decides; other containers and the host's "
			       "programs are out of sight";
	finding->fix = "profile from the host with -p PID or -a, or see doc/permissions.md";
}

void check_seccomp(struct doctor *doctor, struct doctor_finding *finding)
{
	int own = 0;

	if (doctor->seccomp == 0) {
		finding_set(doctor, finding, DOCTOR_OK, "no filter of system calls");
		return;
	}
	for (enum bpf_kind kind = 0; kind < BPF_KINDS; kind++)
		own += doctor->bpf[kind] == 0;
	finding_set(doctor, finding, DOCTOR_LIMITED, "system calls are filtered; bpf is %s",
		    own ? "permitted" : "refused");
	finding->consequence = "the filter may refuse perf_event_open and bpf in spite of "
			       "capabilities";
	finding->fix = "start the container with a profile that permits them, or with "
		       "--security-opt seccomp=unconfined";
}

void check_namespaces(struct doctor *doctor, struct doctor_finding *finding)
{
	if (doctor->in_user_namespace) {
		finding_set(doctor, finding, DOCTOR_LIMITED, "inside a user namespace%s",
			    doctor->in_pid_namespace ? " and a PID namespace" : "");
		finding->consequence = "root here is an ordinary user to the kernel's events and "
				       "to BPF";
		finding->fix = "run cupel outside of it, as root, with -p PID";
	} else if (doctor->in_pid_namespace) {
		finding_set(doctor, finding, DOCTOR_LIMITED, "inside a PID namespace");
		finding->consequence = "processes outside of it have no name or map: -a shows "
				       "their samples without symbols";
		finding->fix = "run cupel outside of it (docker: --pid=host)";
	} else {
		finding_set(doctor, finding, DOCTOR_OK, "those of the machine");
	}
}

/* The option of the mount at /proc, 0 without it. */
static char hidepid(const char *mounts)
{
	const char *line = mounts ? strstr(mounts, " /proc ") : NULL;
	const char *option = line ? strstr(line, "hidepid=") : NULL;
	const char *end = line ? strchr(line, '\n') : NULL;

	return option && (!end || option < end) ? option[strlen("hidepid=")] : '0';
}

void check_hidepid(struct doctor *doctor, struct doctor_finding *finding)
{
	char level = hidepid(doctor_read(doctor, "/proc/self/mountinfo"));

	finding_set(doctor, finding, DOCTOR_OK, "/proc shows all processes");
	if (level == '0' || doctor->root_user)
		return;
	finding_set(doctor, finding, DOCTOR_LIMITED, "/proc is mounted with hidepid=%c", level);
	finding->consequence = "processes of other users have no names and no maps";
	finding_command(doctor, finding, "sudo mount -o remount,hidepid=0 /proc");
}
