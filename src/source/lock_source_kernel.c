/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See lock_source_kernel.h. A kernel has those of these functions that its configuration needs:
 * "_nested" ones with lockdep. Inline functions, as readers of semaphores of each CPU use, cannot
 * be probed. */
#include "source/lock_source_kernel.h"

#include <assert.h>
#include <stddef.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "bpf/lock.skel.h"
#include "event/lock_wait.h"
#include "source/probe/kernel_links.h"

/* LCB_F_* of include/trace/events/lock.h */
enum { READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };

static const struct {
	const char *name;
	uint8_t flags, taking;
} takes[] = {
	{ "mutex_lock", MUTEX, TAKEN_ALWAYS },
	{ "mutex_lock_interruptible", MUTEX, TAKEN_IF_ZERO },
	{ "mutex_lock_killable", MUTEX, TAKEN_IF_ZERO },
	{ "mutex_lock_io", MUTEX, TAKEN_ALWAYS },
	{ "mutex_trylock", MUTEX, TAKEN_IF_NOT_ZERO },
	{ "mutex_lock_nested", MUTEX, TAKEN_ALWAYS },
	{ "mutex_lock_interruptible_nested", MUTEX, TAKEN_IF_ZERO },
	{ "mutex_lock_killable_nested", MUTEX, TAKEN_IF_ZERO },
	{ "mutex_lock_io_nested", MUTEX, TAKEN_ALWAYS },
	{ "down_read", READ, TAKEN_ALWAYS },
	{ "down_read_interruptible", READ, TAKEN_IF_ZERO },
	{ "down_read_killable", READ, TAKEN_IF_ZERO },
	{ "down_read_trylock", READ, TAKEN_IF_NOT_ZERO },
	{ "down_write", WRITE, TAKEN_ALWAYS },
	{ "down_write_killable", WRITE, TAKEN_IF_ZERO },
	{ "down_write_trylock", WRITE, TAKEN_IF_NOT_ZERO },
	{ "down_read_nested", READ, TAKEN_ALWAYS },
	{ "down_read_killable_nested", READ, TAKEN_IF_ZERO },
	{ "down_write_nested", WRITE, TAKEN_ALWAYS },
	{ "down_write_killable_nested", WRITE, TAKEN_IF_ZERO },
	{ "percpu_down_write", PERCPU | WRITE, TAKEN_ALWAYS },
	{ "rt_mutex_lock", RT, TAKEN_ALWAYS },
	{ "rt_mutex_lock_interruptible", RT, TAKEN_IF_ZERO },
	{ "rt_mutex_trylock", RT, TAKEN_IF_NOT_ZERO },
};

static const char *const lets_go[] = { "mutex_unlock", "up_read", "up_write", "percpu_up_write",
				       "rt_mutex_unlock" };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static_assert(COUNT(takes) <= KERNEL_HOLD_FUNCTIONS, "the BPF program has no room for them");

static void add(struct probe_choice *choice, const char *name)
{
	uint32_t number = (uint32_t)choice->kernel.count;

	vec_push(&choice->kernel, ((struct probe_kernel_function){ number, name }));
}

void lock_kernel_hold_configure(struct lock_kernel_hold *hold, struct lock_bpf *program,
				bool wanted)
{
	struct bpf_program *const programs[] = { program->progs.on_kernel_take,
						 program->progs.on_kernel_taken,
						 program->progs.on_kernel_let_go };

	for (size_t i = 0; wanted && i < COUNT(takes); i++) {
		add(&hold->take, takes[i].name);
		((uint8_t *)program->rodata->take_flags)[i] = takes[i].flags;
		((uint8_t *)program->rodata->take_result)[i] = takes[i].taking;
	}
	for (size_t i = 0; wanted && i < COUNT(lets_go); i++)
		add(&hold->let_go, lets_go[i]);
	for (size_t i = 0; i < COUNT(programs); i++) {
		bpf_program__set_autoattach(programs[i], false);
		kernel_links_prepare(programs[i], i == 2 ? &hold->let_go : &hold->take);
	}
}

int lock_kernel_hold_attach(struct lock_kernel_hold *hold, const struct lock_bpf *program,
			    struct err *err)
{
	int code = kernel_links_attach(&hold->links, program->progs.on_kernel_let_go, &hold->let_go,
				       false, err);

	if (!code)
		code = kernel_links_attach(&hold->links, program->progs.on_kernel_taken,
					   &hold->take, true, err);
	if (!code)
		code = kernel_links_attach(&hold->links, program->progs.on_kernel_take, &hold->take,
					   false, err);
	return code ? err_wrap(err, "probing the kernel for hold times") : 0;
}

void lock_kernel_hold_close(struct lock_kernel_hold *hold)
{
	probe_links_close(&hold->links);
	vec_done(&hold->take.kernel);
	vec_done(&hold->let_go.kernel);
}
