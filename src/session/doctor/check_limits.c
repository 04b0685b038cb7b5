/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of the kernel and of this process. */
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "session/doctor/doctor_check.h"

#define DEFAULT_MAX_STACK  127
#define DEFAULT_MLOCK_KB   516
#define LOWEST_RATE	   4000
#define ENOUGH_DESCRIPTORS 1024
#define ENOUGH_STACK_BYTES ((rlim_t)1 << 20)

void check_max_stack(struct doctor *doctor, struct doctor_finding *finding)
{
	long frames =
		doctor_number(doctor, "/proc/sys/kernel/perf_event_max_stack", DEFAULT_MAX_STACK);

	finding_set(doctor, finding, DOCTOR_OK, "%ld frames", frames);
	if (frames >= DEFAULT_MAX_STACK)
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = "stacks that the kernel walks end there: kernel frames, and user "
			       "frames of --call-graph fp";
	finding_command(doctor, finding, "sudo sysctl kernel.perf_event_max_stack=%d",
			DEFAULT_MAX_STACK);
}

void check_sample_rate(struct doctor *doctor, struct doctor_finding *finding)
{
	long rate = doctor_number(doctor, "/proc/sys/kernel/perf_event_max_sample_rate", 100000);

	finding_set(doctor, finding, DOCTOR_OK, "at most %ld samples a second", rate);
	if (rate >= LOWEST_RATE)
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = "the kernel lowers it after slow interrupts; higher rates (-F) are "
			       "refused";
	finding_command(doctor, finding, "sudo sysctl kernel.perf_event_max_sample_rate=100000");
}

/* Rings may lock this much for each CPU of a user, and RLIMIT_MEMLOCK more of a process. */
void check_locked_memory(struct doctor *doctor, struct doctor_finding *finding)
{
	long kb = doctor_number(doctor, "/proc/sys/kernel/perf_event_mlock_kb", DEFAULT_MLOCK_KB);
	struct rlimit limit = { 0 };

	(void)getrlimit(RLIMIT_MEMLOCK, &limit); /* cannot fail */
	if (doctor_has(doctor, CAP_IPC_LOCK) || doctor->paranoid < 0) {
		finding_set(doctor, finding, DOCTOR_OK, "no limit for this user");
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK, "%ld KiB for each CPU, and %ju KiB", kb,
		    (uintmax_t)limit.rlim_cur >> 10);
	if (kb >= DEFAULT_MLOCK_KB || limit.rlim_cur == RLIM_INFINITY)
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = "rings are small: samples are lost in bursts, and a larger -m is "
			       "refused";
	finding_command(doctor, finding, "sudo sysctl kernel.perf_event_mlock_kb=%d",
			DEFAULT_MLOCK_KB);
}

void check_descriptors(struct doctor *doctor, struct doctor_finding *finding)
{
	struct rlimit limit = { 0 };

	(void)getrlimit(RLIMIT_NOFILE, &limit); /* cannot fail */
	finding_set(doctor, finding, DOCTOR_OK, "%ju open files, up to %ju",
		    (uintmax_t)limit.rlim_cur, (uintmax_t)limit.rlim_max);
	if (limit.rlim_max >= ENOUGH_DESCRIPTORS)
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = "an event takes one for each CPU, or for each thread of -p: "
			       "processes with many threads are refused";
	finding_command(doctor, finding, "ulimit -Hn 65536   # as root");
}

void check_stack_size(struct doctor *doctor, struct doctor_finding *finding)
{
	struct rlimit limit = { 0 };

	(void)getrlimit(RLIMIT_STACK, &limit); /* cannot fail */
	if (limit.rlim_cur == RLIM_INFINITY)
		finding_set(doctor, finding, DOCTOR_OK, "no limit");
	else
		finding_set(doctor, finding, DOCTOR_OK, "%ju KiB", (uintmax_t)limit.rlim_cur >> 10);
	if (limit.rlim_cur >= ENOUGH_STACK_BYTES)
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = "programs with deep recursion end, and threads of programs start "
			       "with this little";
	finding_command(doctor, finding, "ulimit -s 8192");
}
