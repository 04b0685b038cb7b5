/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by caller as a profile (see syscall_callers_view.h). */
#include <stdio.h>
#include <string.h>

#include "view/ledger/ledger_view.h"
#include "view/state_kind.h"
#include "view/syscall/syscall_callers_view.h"

struct maker {
	const struct profile *from;
	struct profile *to;
	uint16_t event;
	thread_id thread;
	VEC(frame_id) path; /* leaf first */
};

static string_id intern(struct profile *profile, const char *text)
{
	return strtab_intern(profile->strings, text, strlen(text));
}

/* A frame of the other profile in this one. */
static frame_id take_frame(struct maker *m, frame_id id)
{
	struct frame frame = m->from->frames.item[id.v];
	const struct profile_module *module = &m->from->modules.item[frame.module];

	frame.module =
		profile_module(m->to, profile_string(m->from, module->path), module->build_id);
	frame.function = intern(m->to, profile_string(m->from, frame.function));
	frame.file = intern(m->to, profile_string(m->from, frame.file));
	return profile_frame(m->to, &frame);
}

static stack_id take_stack(struct maker *m, stack_id stack)
{
	stack_id ret = STACK_EMPTY;

	m->path.count = 0;
	for (; stack.v; stack = m->from->nodes.item[stack.v].parent)
		vec_push(&m->path, m->from->nodes.item[stack.v].frame);
	for (size_t i = m->path.count; i-- > 0;)
		ret = profile_stack_push(m->to, ret, take_frame(m, m->path.item[i]));
	return ret;
}

static void add(struct maker *m, const struct syscall_caller *row, stack_id callers, int account)
{
	const char *state =
		account == LEDGER_RUNNING
			? "running: kernel"
			: state_kinds[ledger_state_kind((enum ledger_account)account)].name;
	struct frame frame = { .kind = FRAME_KERNEL, .module = profile_module(m->to, state, "") };
	struct profile_sample sample = { .thread = m->thread,
					 .event = m->event,
					 .stop = row->stop,
					 .cpu = PROFILE_NO_CPU,
					 .weight = row->ns[account],
					 .count = 1 };
	char name[80];

	(void)snprintf(name, sizeof(name), "[syscall %s]", row->name);
	frame.function = intern(m->to, name);
	sample.stack = profile_stack_push(m->to, callers, profile_frame(m->to, &frame));
	profile_add(m->to, &sample);
}

struct profile *syscall_callers_profile(const struct syscall_callers_view *view, bool idle)
{
	struct maker m = { .from = view->profile, .to = profile_new(0) };

	m.event = profile_event(m.to, "syscall-time", "ns");
	m.to->events.item[m.event].measured = true;
	m.thread = profile_thread(m.to, PROFILE_NO_ID, PROFILE_NO_ID, "");
	for (size_t i = 0; i < view->callers->row.count; i++) {
		const struct syscall_caller *row = &view->callers->row.item[i];
		stack_id callers = take_stack(&m, row->stack);

		for (int account = 0; account < LEDGER_ACCOUNTS; account++)
			if (row->ns[account] &&
			    (idle ||
			     ledger_state_of((enum ledger_account)account) != LEDGER_STATE_IDLE))
				add(&m, row, callers, account);
	}
	m.to->meta.duration_ns = view->duration_ns;
	m.to->meta.lost_events = view->lost;
	profile_count(m.to);
	vec_done(&m.path);
	return m.to;
}
