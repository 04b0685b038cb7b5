/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What BPF programs are taken, and the features that need them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "session/doctor/doctor_check.h"
#include "source/bpf/bpf_probe.h"
#include "source/perf_event/event_try.h"
#include "unwind/arch/arch.h"

/* Sets a finding by the kinds that a feature needs, and by earlier refusals of its programs. */
static void judge_feature(struct doctor *doctor, struct doctor_finding *finding,
			  const enum bpf_kind kinds[2], enum bpf_part part)
{
	struct err err = { 0 };

	for (size_t i = 0; i < 2; i++) {
		int code = doctor->bpf[kinds[i]];

		if (!code)
			continue;
		finding_set(doctor, finding, DOCTOR_MISSING, "BPF programs of kind %s: %s",
			    bpf_kind_name(kinds[i]), strerror(-code));
		if (doctor_is_refusal(doctor, code))
			finding_needs_rights(doctor, finding);
		return;
	}
	/* programs see the machine's numbers of threads, and others name the targets */
	if (doctor->in_pid_namespace) {
		finding_set(doctor, finding, DOCTOR_MISSING, "inside a PID namespace");
		finding->fix = "run cupel outside of it (docker: --pid=host)";
		return;
	}
	if (bpf_probe_remembered(part, &err)) {
		finding_set(doctor, finding, DOCTOR_MISSING, "%s", err.msg);
		finding->fix = arena_strdup(doctor->arena, err.hint);
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK, "BPF programs of kinds %s and %s load",
		    bpf_kind_name(kinds[0]), bpf_kind_name(kinds[1]));
	finding->consequence = NULL;
}

void check_whole_stacks(struct doctor *doctor, struct doctor_finding *finding)
{
	static const enum bpf_kind kinds[2] = { BPF_KIND_PERF_EVENT, BPF_KIND_RAW_TP };

	finding->consequence = "code without frame pointers is unwound from copied stacks "
			       "(--call-graph dwarf): larger recordings, deep stacks are cut off";
	judge_feature(doctor, finding, kinds, BPF_WHOLE_STACKS);
	if (finding->level != DOCTOR_OK || !ARCH_STACK_GAPS[0])
		return;
	finding->level = DOCTOR_LIMITED;
	finding->consequence = ARCH_STACK_GAPS;
	finding->fix = "where frame pointers are kept: --call-graph fp";
}

void check_waits(struct doctor *doctor, struct doctor_finding *finding)
{
	static const enum bpf_kind kinds[2] = { BPF_KIND_TP_BTF, BPF_KIND_ITER };

	finding->consequence = "record -e off-cpu, flamegraph --off-cpu, offcputime, runqlat and "
			       "their like refuse";
	judge_feature(doctor, finding, kinds, BPF_OFF_CPU);
}

void check_wall_clock(struct doctor *doctor, struct doctor_finding *finding)
{
	static const enum bpf_kind kinds[2] = { BPF_KIND_TP_BTF, BPF_KIND_RAW_TP };

	finding->consequence = "cupel wall refuses: no accounts of where threads spend their time";
	judge_feature(doctor, finding, kinds, BPF_LEDGER);
}

/* Those that Cupel's programs are of. */
void check_bpf_programs(struct doctor *doctor, struct doctor_finding *finding)
{
	char good[128] = "", bad[256] = "";
	int code = 0;

	for (enum bpf_kind kind = 0; kind < BPF_KIND_UPROBE_MULTI; kind++) {
		bool loads = !doctor->bpf[kind];
		char *list = loads ? good : bad;
		size_t at = strlen(list), size = loads ? sizeof(good) : sizeof(bad);

		(void)snprintf(list + at, size - at, "%s%s", at ? ", " : "",
			       bpf_kind_name(kind)); /* all of them fit */
		if (!loads)
			code = doctor->bpf[kind];
	}
	if (!code) {
		finding_set(doctor, finding, DOCTOR_OK, "%s load", good);
		return;
	}
	finding_set(doctor, finding, good[0] ? DOCTOR_LIMITED : DOCTOR_MISSING, "%s: %s", bad,
		    strerror(-code));
	finding->consequence = "features that need these kinds refuse";
	if (doctor_is_refusal(doctor, code))
		finding_needs_rights(doctor, finding);
	else if (doctor->has_sys)
		finding->fix = "needs Linux 5.8 or newer with CONFIG_BPF_SYSCALL and "
			       "CONFIG_DEBUG_INFO_BTF";
}

void check_btf(struct doctor *doctor, struct doctor_finding *finding)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", doctor->options->root) <
		    (int)sizeof(path) &&
	    access(path, R_OK) == 0) {
		finding_set(doctor, finding, DOCTOR_OK, "the kernel describes its types");
		return;
	}
	finding_set(doctor, finding, DOCTOR_MISSING, "/sys/kernel/btf/vmlinux: %s",
		    strerror(errno));
	finding->consequence = "no BPF program that reads kernel data can be loaded: no whole "
			       "stacks, no waits";
	finding->fix = "boot a kernel with CONFIG_DEBUG_INFO_BTF, as distributions build them";
}

/* Since mid-2025 (CVE-2025-38466, and in stable kernels) CAP_PERFMON is not enough for this. The
 * kernel looks at rights before it finds that "/" has no code. */
void check_uprobe_perf(struct doctor *doctor, struct doctor_finding *finding)
{
	long type = doctor_number(doctor, "/sys/bus/event_source/devices/uprobe/type", -1);
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.config1 = (uint64_t)(uintptr_t) "/",
	};
	int code = type < 0 ? -ENODEV : event_try(&attr, 0, -1);

	finding->consequence = "probes in user code work only through uprobe_multi, if at all";
	if (doctor_is_refusal(doctor, code)) {
		finding_set(doctor, finding, DOCTOR_MISSING,
			    "%s: needs CAP_SYS_ADMIN on kernels since mid-2025", strerror(-code));
		finding_needs_rights(doctor, finding);
		return;
	}
	if (type < 0) {
		finding_set(doctor, finding, DOCTOR_MISSING, "the kernel has no uprobe events");
		finding->fix = "boot a kernel with CONFIG_UPROBE_EVENTS";
		return;
	}
	if (code == -ENOSYS) {
		finding_set(doctor, finding, DOCTOR_MISSING, "%s", strerror(-code));
		return;
	}
	finding_set(doctor, finding, DOCTOR_OK, "permitted");
	finding->consequence = NULL;
}

void check_uprobe_multi(struct doctor *doctor, struct doctor_finding *finding)
{
	int code = doctor->bpf[BPF_KIND_UPROBE_MULTI];

	if (!code) {
		finding_set(doctor, finding, DOCTOR_OK, "permitted");
		return;
	}
	finding_set(doctor, finding, DOCTOR_MISSING, "%s", strerror(-code));
	finding->consequence = "many probes in user code are slow to set and need CAP_SYS_ADMIN";
	if (doctor_is_refusal(doctor, code))
		finding_needs_rights(doctor, finding);
	else
		finding->fix = "needs Linux 6.6 or newer";
}
