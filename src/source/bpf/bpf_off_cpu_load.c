/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Setting up the programs of off-CPU samples (see bpf_off_cpu.h). */
#include "source/bpf/bpf_off_cpu.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "bpf/off_cpu.skel.h"
#include "event/desc.h"
#include "event/ledger_account.h"
#include "source/bpf/bpf_cpu.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/thread_filter.h"
#include "source/bpf/unwind_pool.h"
#include "source/ledger/wait_class.h"
#include "source/perf_event/perf_event.h"
#include "source/syscall/syscall_choice.h"

#define DEFAULT_THRESHOLD_NS 1000000u
#define BLOCKED_ACCOUNTS     ((1u << LEDGER_POLL) - (1u << LEDGER_LOCK))
#define MAX_CALL_SUMS	     65536		 /* of a round: calls by thread and stack */
#define SEED_OF_STACKS	     0x0ff0ff0ff0ff0ff1u /* names unlike those of the sampler */

static const struct perf_source *rings_of(const struct bpf_off_cpu *self)
{
	return (const struct perf_source *)self->sampler->rings;
}

static void choose_events(struct bpf_off_cpu *self, const struct perf_source *rings)
{
	for (size_t i = 0; i < rings->selected_count; i++) {
		const struct perf_selected *selected = &rings->selected[i];
		uint64_t id = selected->desc->ids.count ? selected->desc->ids.item[0] : 0;

		if (selected->spec->kind == EVENT_KIND_OFF_CPU)
			self->off_cpu_id = id;
		if (selected->spec->kind == EVENT_KIND_WAKEUP)
			self->wakeup_id = id;
	}
}

static bool selects(const struct perf_source *rings, enum event_kind kind)
{
	for (size_t i = 0; i < rings->selected_count; i++)
		if (rings->selected[i].spec->kind == kind)
			return true;
	return false;
}

static void configure(struct bpf_off_cpu *self, const struct source_options *options)
{
	const struct bpf_cpu_settings *settings = &self->sampler->settings;
	const struct recording_off_cpu *choice = &options->off_cpu;
	const struct perf_source *rings = rings_of(self);
	struct off_cpu_bpf *program = self->program;

	program->rodata->seed = settings->seed ^ SEED_OF_STACKS;
	program->rodata->max_frames = settings->max_frames;
	program->rodata->with_kernel = settings->with_kernel;
	program->rodata->with_user = settings->with_user;
	program->rodata->many_events = self->many_events;
	program->rodata->clock_boottime = settings->boottime;
	program->rodata->wakeup_bytes = OFF_CPU_RING_BYTES / 4;
	program->rodata->threshold_ns = choice->thresh_given ? choice->thresh_ns
							     : DEFAULT_THRESHOLD_NS;
	program->rodata->accounts = choice->accounts ? choice->accounts : BLOCKED_ACCOUNTS;
	program->rodata->off_cpu_id = self->off_cpu_id;
	program->rodata->wakeup_id = self->wakeup_id;
	program->rodata->until_running = choice->until_running;
	program->rodata->min_ns = choice->min_ns;
	program->rodata->max_ns = choice->max_ns ? choice->max_ns : UINT64_MAX;
	program->rodata->task_states = choice->task_states;
	program->rodata->without_user_threads = choice->no_user_threads;
	program->rodata->without_kernel_threads = choice->no_kernel_threads;
	program->rodata->cgroup_id = choice->cgroup_id;
	program->rodata->with_sleepers = selects(rings, EVENT_KIND_OFF_CPU);
	program->rodata->with_wakers = selects(rings, EVENT_KIND_WAKEUP);
	program->rodata->everybody = rings->target.pid.item[0] == -1;
	program->rodata->inherit = !options->no_inherit && !options->per_thread;
	program->rodata->program = rings->plan.on_exec ? (uint32_t)options->program : 0;
	wait_classes((uint8_t *)program->rodata->class_of);
}

/* All their waits, by account. */
static void configure_calls(struct off_cpu_bpf *program, const struct syscall_choice *choice)
{
	program->rodata->with_calls = true;
	program->rodata->with_kernel = true; /* the call's frame is one */
	program->rodata->belief_ns = 0;
	program->rodata->accounts = UINT32_MAX;
	program->rodata->until_running = false;
	program->rodata->with_wakers = false;
	program->rodata->unknown_calls = choice->unknown;
	memcpy((void *)program->rodata->wanted_calls, choice->wanted, sizeof(choice->wanted));
	/* These do not fail before loading. */
	(void)bpf_map__set_max_entries(program->maps.call_sums, MAX_CALL_SUMS);
	(void)bpf_map__set_max_entries(program->maps.odd_call_sums, MAX_CALL_SUMS);
}

/* Interrupts matter only to wakeups. */
static void leave_out(struct bpf_off_cpu *self)
{
	struct off_cpu_bpf *program = self->program;
	struct bpf_program *const of_interrupts[] = {
		program->progs.on_irq,	   program->progs.on_irq_done,
		program->progs.on_softirq, program->progs.on_softirq_done,
		program->progs.on_hrtimer, program->progs.on_hrtimer_done,
		program->progs.on_timer,   program->progs.on_timer_done,
	};

	for (size_t i = 0; i < sizeof(of_interrupts) / sizeof(of_interrupts[0]); i++)
		(void)bpf_program__set_autoload(of_interrupts[i], false); /* not loaded yet */
}

/* Maps of our own by CPU; tables are the sampler's. */
static int size_maps(struct bpf_off_cpu *self)
{
	const struct unwind_pool_maps *tables = self->sampler->source.tables;
	int python_fd = self->sampler->source.python_fd_plus_one - 1;
	struct off_cpu_bpf *program = self->program;
	struct bpf_map *const by_cpu[] = { program->maps.memories, program->maps.counts,
					   program->maps.caches, program->maps.rings };
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(by_cpu) / sizeof(by_cpu[0]); i++)
		code = bpf_map__set_max_entries(by_cpu[i], (uint32_t)self->cpus);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_shards, tables->shards);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_binaries, tables->binaries);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_spaces, tables->spaces);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.unwind_processes, tables->processes);
	if (!code)
		code = bpf_map__reuse_fd(program->maps.python_processes, python_fd);
	return code;
}

static int load(struct bpf_off_cpu *self, const struct source_options *options, struct err *err)
{
	int code = 0;

	bpf_be_quiet();
	self->program = off_cpu_bpf__open();
	if (!self->program) {
		code = -errno;
	} else {
		bpf_program__set_autoattach(self->program->progs.on_contention, false);
		bpf_program__set_autoattach(self->program->progs.on_contention_end, false);
		configure(self, options);
		if (options->syscalls)
			configure_calls(self->program, options->syscalls);
		(void)bpf_program__set_autoload(self->program->progs.on_enter, options->syscalls);
		(void)bpf_program__set_autoload(self->program->progs.on_exit, options->syscalls);
		(void)bpf_program__set_autoload(self->program->progs.on_end, options->syscalls);
		if (!self->program->rodata->with_wakers)
			leave_out(self);
		code = size_maps(self);
	}
	if (code)
		return bpf_fail(err, code, "off-CPU samples: opening the BPF programs");
	return bpf_load(self->program->skeleton, "off-CPU samples: loading the BPF programs", err);
}

static int name_targets(const struct bpf_off_cpu *self, const struct perf_target *target,
			struct err *err)
{
	if (self->program->rodata->everybody)
		return 0;
	if (thread_filter_put(self->program->maps.targets, target, err))
		return err_wrap(err, "off-CPU samples");
	return 0;
}

int bpf_off_cpu_load(struct bpf_off_cpu *self, const struct source_options *options,
		     struct err *err)
{
	int code;

	choose_events(self, rings_of(self));
	code = load(self, options, err);
	return code ? code : name_targets(self, &rings_of(self)->target, err);
}
