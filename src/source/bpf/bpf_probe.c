/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs bpf/probe.bpf.c once (see bpf_probe.h). */
#include "source/bpf/bpf_probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/fd.h"
#include "bpf/cpu.h"
#include "bpf/cpu.skel.h"
#include "bpf/off_cpu.h"
#include "bpf/off_cpu.skel.h"
#include "bpf/probe.skel.h"
#include "event/ledger_account.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"

#include "bpf/ledger.skel.h" /* names types of the headers above */

/* An event that is due each time this thread is switched out, so that sleeping triggers it. */
static int open_switch_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER5,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int run_once(struct probe_bpf *skeleton, struct err *err)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	AUTO_CLOSE int fd = open_switch_event();

	if (fd < 0)
		return bpf_fail(err, fd, "opening a context-switches event");
	skeleton->links.probe = bpf_program__attach_perf_event(skeleton->progs.probe, fd);
	if (!skeleton->links.probe)
		return bpf_fail(err, -errno, "attaching a BPF program to a perf event");
	(void)take_fd(&fd); /* the link closes it */
	for (int i = 0; i < 10 && !skeleton->bss->runs; i++)
		(void)nanosleep(&nap, NULL); /* a nap cut short only costs a round */
	if (!skeleton->bss->runs)
		return err_set(err, -ENODATA, "the attached BPF program did not run");
	if (skeleton->bss->correct != skeleton->bss->runs)
		return err_set(err, -EILSEQ, "the BPF program read wrong kernel data");
	return 0;
}

int bpf_probe(struct err *err)
{
	struct probe_bpf *skeleton;
	int code;

	bpf_be_quiet();
	skeleton = probe_bpf__open_and_load();
	code = -errno;
	if (!skeleton)
		return bpf_fail(err, code, "loading a BPF program");
	code = run_once(skeleton, err);
	probe_bpf__destroy(skeleton);
	return code;
}

#define LOADING "loading its BPF programs"

/* bpf_load() or bpf_load_remembered(). */
typedef int load_fn(struct bpf_object_skeleton *skeleton, const char *step, struct err *err);

static int probe_whole_stacks(load_fn *load, struct err *err)
{
	struct cpu_bpf *program = cpu_bpf__open();
	int code = program ? load(program->skeleton, LOADING, err) : bpf_fail(err, -errno, LOADING);

	cpu_bpf__destroy(program);
	return code;
}

static int probe_off_cpu(load_fn *load, struct err *err)
{
	struct off_cpu_bpf *program = off_cpu_bpf__open();
	int code = program ? load(program->skeleton, LOADING, err) : bpf_fail(err, -errno, LOADING);

	off_cpu_bpf__destroy(program);
	return code;
}

static int probe_ledger(load_fn *load, struct err *err)
{
	struct ledger_bpf *program = ledger_bpf__open();
	int code = program ? load(program->skeleton, LOADING, err) : bpf_fail(err, -errno, LOADING);

	ledger_bpf__destroy(program);
	return code;
}

static int probe_part(enum bpf_part part, load_fn *load, struct err *err)
{
	static int (*const probe[BPF_PARTS])(load_fn *, struct err *) = {
		[BPF_WHOLE_STACKS] = probe_whole_stacks,
		[BPF_OFF_CPU] = probe_off_cpu,
		[BPF_LEDGER] = probe_ledger,
	};

	bpf_be_quiet();
	return probe[part](load, err);
}

int bpf_probe_part(enum bpf_part part, struct err *err)
{
	return probe_part(part, bpf_load, err);
}

int bpf_probe_remembered(enum bpf_part part, struct err *err)
{
	return probe_part(part, bpf_load_remembered, err);
}
