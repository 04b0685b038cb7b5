/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel offers besides events and programs. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "session/doctor/doctor_check.h"
#include "source/cgroup.h"
#include "source/event_spec/tracepoint.h"

void check_tracefs(struct doctor *doctor, struct doctor_finding *finding)
{
	struct err err = { 0 };
	const char *path;
	int code = tracefs_find(doctor->options->root, doctor->arena, &path, &err);

	if (!code) {
		finding_set(doctor, finding, DOCTOR_OK, "%s",
			    strncmp(path, TRACEFS_OWN, strlen(TRACEFS_OWN)) == 0
				    ? "not mounted; commands have a mount of their own"
				    : path);
		return;
	}
	finding_set(doctor, finding, DOCTOR_MISSING, "%s", err.msg);
	finding->consequence = "names and formats of tracepoints are not known";
	finding_needs_tracefs(doctor, finding, code);
}

void check_nmi_watchdog(struct doctor *doctor, struct doctor_finding *finding)
{
	long on = doctor_number(doctor, "/proc/sys/kernel/nmi_watchdog", 0);

	finding_set(doctor, finding, DOCTOR_OK, on ? "on; there is no CPU counter to take" : "off");
	if (!on || !doctor->hardware)
		return;
	finding_set(doctor, finding, DOCTOR_LIMITED, "on");
	finding->consequence = "it takes one CPU counter: groups of many events are multiplexed";
	finding_command(doctor, finding, "sudo sysctl kernel.nmi_watchdog=0");
}

void check_clock(struct doctor *doctor, struct doctor_finding *finding)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies",
					    "xen" };
	const char *name = doctor_read(
		doctor, "/sys/devices/system/clocksource/clocksource0/current_clocksource");

	if (!name || !name[0]) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "the clock source is not shown");
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK, "%s", name);
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (strcmp(name, slow[i]) == 0)
			finding->level = DOCTOR_LIMITED;
	if (finding->level == DOCTOR_OK)
		return;
	finding->consequence = "reading the time is slow: it shows in programs, and in the cost of "
			       "sampling";
	finding->fix = "boot with tsc=reliable, if the CPU's counter is: dmesg says why it was "
		       "not used";
}

void check_pressure(struct doctor *doctor, struct doctor_finding *finding)
{
	if (doctor_read(doctor, "/proc/pressure/cpu")) {
		finding_set(doctor, finding, DOCTOR_OK, "/proc/pressure can be read");
		return;
	}
	finding_set(doctor, finding, DOCTOR_LIMITED, "no pressure stall information (PSI)");
	finding->consequence = "cupel context cannot show how much work waited for CPU, memory "
			       "and disks";
	finding->fix = "boot with psi=1, on a kernel with CONFIG_PSI";
}

void check_cgroups(struct doctor *doctor, struct doctor_finding *finding)
{
	char path[PATH_MAX];
	struct err err = { 0 };
	const char *mounts = doctor_read(doctor, "/proc/self/mountinfo");

	if (cgroup_mount(doctor->options->root, path, sizeof(path), &err)) {
		finding_set(doctor, finding, DOCTOR_LIMITED, "%s", err.msg);
		finding->consequence = "-G and --cgroup cannot select by cgroup";
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK, "%s", path);
	if (mounts && strstr(mounts, " - cgroup2 "))
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence =
		"off-CPU samples cannot be selected by cgroup, which needs version 2";
	finding->fix = "boot with systemd.unified_cgroup_hierarchy=1";
}
