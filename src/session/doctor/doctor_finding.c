/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling findings, and the fixes that several of them have. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "session/doctor/doctor_check.h"

/* The text is of this machine, and of names that programs choose. */
__attribute__((format(printf, 2, 0))) static const char *format(struct doctor *doctor,
								const char *fmt, va_list args)
{
	char text[1024];

	(void)vsnprintf(text, sizeof(text), fmt, args); /* cut off when longer */
	text_tidy(text, strlen(text));
	return arena_strdup(doctor->arena, text);
}

void finding_set(struct doctor *doctor, struct doctor_finding *finding, enum doctor_level level,
		 const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	finding->found = format(doctor, fmt, args);
	va_end(args);
	finding->level = level;
}

void finding_command(struct doctor *doctor, struct doctor_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	finding->command = format(doctor, fmt, args);
	va_end(args);
}

void finding_needs_tracefs(struct doctor *doctor, struct doctor_finding *finding, int code)
{
	finding_command(doctor, finding, "%s",
			code == -EACCES ? "sudo mount -o remount,mode=750,gid=$(id -g) "
					  "/sys/kernel/tracing"
					: "sudo mount -t tracefs nodev /sys/kernel/tracing");
}

void finding_needs_rights(struct doctor *doctor, struct doctor_finding *finding)
{
	if (doctor->in_container) {
		finding->fix = "start the container with these rights, and with a seccomp profile "
			       "that permits perf_event_open and bpf (doc/permissions.md):";
		finding_command(doctor, finding,
				"docker run --cap-add={PERFMON,BPF,SYS_PTRACE,SYSLOG} ...");
	} else if (doctor->in_user_namespace) {
		finding->fix = "capabilities inside a user namespace do not count for this: run "
			       "cupel as root outside of it, with -p PID";
	} else if (doctor->root_user && doctor->seccomp) {
		finding->fix = "a filter of system calls (seccomp) refuses, or rights are missing: "
			       "run cupel where there is no filter (service, sandbox, container)";
	} else if (doctor->root_user) {
		finding->fix = "this root has lost capabilities, or a security module refuses: run "
			       "cupel from an unrestricted root shell";
	} else {
		finding->fix = "run as root, or give cupel the rights:";
		finding_command(doctor, finding,
				"sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep "
				"$(which cupel)");
	}
}
