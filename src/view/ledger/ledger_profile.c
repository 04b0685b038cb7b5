/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile of the ledger (see ledger_profile.h). */
#include "view/ledger/ledger_profile.h"

#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "profile/ledger/ledger.h"
#include "profile/profile.h"
#include "view/state_kind.h"

#define MAX_DEPTH 8    /* of holders that wait for holders, */
#define MIN_SHARE 5000 /* as long as it is so much of all time: too narrow to be seen */

struct maker {
	const struct ledger *ledger;
	struct profile *profile;
	enum ledger_rows rows;
	thread_id thread;
	uint16_t event;
	struct map first; /* waiter's tid → index of its first link + 1 */
	uint32_t *next;	  /* of the same waiter: index + 1; 0 = none */
	uint64_t min_ns;  /* less than this is not divided further */
	uint32_t path[MAX_DEPTH];
	size_t depth;
	const char *state; /* of the waiter, also while the holder's doings are added */
};

/* The state is the module: frames above "blocked: lock" are part of that wait, whatever the holder
 * did. */
static stack_id push_state_frame(struct maker *m, stack_id parent, const char *state,
				 const char *name)
{
	struct frame frame = { .module = profile_module(m->profile, state, ""),
			       .function = strtab_intern(m->profile->strings, name, strlen(name)) };

	return profile_stack_push(m->profile, parent, profile_frame(m->profile, &frame));
}

static stack_id push(struct maker *m, stack_id parent, const char *name)
{
	return push_state_frame(m, parent, m->state, name);
}

static stack_id push_separator(struct maker *m, stack_id parent, const char *name)
{
	struct frame frame = { .kind = FRAME_SEPARATOR,
			       .function = strtab_intern(m->profile->strings, name, strlen(name)) };

	return profile_stack_push(m->profile, parent, profile_frame(m->profile, &frame));
}

static void add(struct maker *m, stack_id stack, uint64_t ns)
{
	struct profile_sample sample = { .stack = stack,
					 .thread = m->thread,
					 .event = m->event,
					 .stop = STACK_STOP_ROOT,
					 .cpu = PROFILE_NO_CPU,
					 .weight = ns,
					 .count = 1 };

	if (ns)
		profile_add(m->profile, &sample);
}

/* What the holder did, within the wait for it. */
static stack_id push_doing(struct maker *m, stack_id stack, enum ledger_account account)
{
	if (account == LEDGER_RUNNING)
		return push(m, stack, "running");
	stack = push(m, stack, ledger_state_name(ledger_state_of(account)));
	return push(m, stack, ledger_reason_name(account));
}

static stack_id push_state(struct maker *m, stack_id stack, enum ledger_account account)
{
	const char *group = ledger_state_name(ledger_state_of(account));

	m->state = state_kinds[ledger_state_kind(account)].name;
	stack = push_state_frame(m, stack, group, group);
	return push(m, stack, ledger_reason_name(account));
}

/* "held by worker:12", or by "worker" where rows stand for a name; below it the device or the lock
 * that was waited for. */
static stack_id push_other(struct maker *m, stack_id stack, const struct ledger_link *link)
{
	const struct ledger_device *device = ledger_device_find(m->ledger, link->key.device);
	const char *lock = link->key.lock ? ledger_lock_name(m->ledger, &link->key) : NULL;
	struct buf name = { 0 };

	if (device)
		stack = push(m, stack, device->name);
	if (lock)
		stack = push(m, stack, lock);
	ledger_put_other(link, m->rows != LEDGER_ROWS_NAME, &name);
	stack = push(m, stack, name.data);
	buf_done(&name);
	return stack;
}

static void add_links(struct maker *m, stack_id stack, uint32_t tid, enum ledger_account account,
		      uint64_t ns);

static bool on_path(const struct maker *m, uint32_t tid)
{
	for (size_t i = 0; i < m->depth; i++)
		if (m->path[i] == tid)
			return true;
	return m->depth == MAX_DEPTH;
}

static uint64_t share(uint64_t ns, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)ns * (double)part / (double)whole) : 0;
}

/* What the holder did in ns of waiting for it; the rest is its own. */
static void add_holder(struct maker *m, stack_id stack, const struct ledger_link *link, uint64_t ns)
{
	uint32_t holder = link->key.other_tid;
	uint64_t left = ns;

	if (on_path(m, holder) || ns < m->min_ns) {
		add(m, stack, ns);
		return;
	}
	m->path[m->depth++] = holder;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		enum ledger_account account = (enum ledger_account)i;
		uint64_t part = share(ns, link->edge.owner_ns[i], link->edge.wait.ns);
		stack_id below;

		part = part < left ? part : left;
		if (!part)
			continue;
		left -= part;
		below = push_doing(m, stack, account);
		if (account == LEDGER_LOCK)
			add_links(m, below, holder, account, part);
		else
			add(m, below, part);
	}
	m->depth--;
	add(m, stack, left);
}

/* ns of an account, divided among those that ended it; the rest is self time. */
static void add_links(struct maker *m, stack_id stack, uint32_t tid, enum ledger_account account,
		      uint64_t ns)
{
	uint64_t head = 0, linked = 0, left = ns;

	if (ns >= m->min_ns)
		(void)map_get(&m->first, tid, &head);
	for (uint64_t i = head; i; i = m->next[i - 1])
		if (m->ledger->link.item[i - 1].key.account == account)
			linked += m->ledger->link.item[i - 1].edge.wait.ns;
	for (uint64_t i = head; i; i = m->next[i - 1]) {
		const struct ledger_link *link = &m->ledger->link.item[i - 1];
		uint64_t part = link->edge.wait.ns;

		if (link->key.account != account)
			continue;
		part = linked > ns || m->depth ? share(ns, part, linked) : part;
		part = part < left ? part : left;
		left -= part;
		if (part && link->key.relation == LEDGER_HELD_BY)
			add_holder(m, push_other(m, stack, link), link, part);
		else if (part)
			add(m, push_other(m, stack, link), part);
	}
	add(m, stack, left);
}

static stack_id push_thread(struct maker *m, const struct ledger_thread *thread, const char *comm)
{
	struct buf name = { 0 };
	stack_id stack = STACK_EMPTY;

	(void)buf_printf(&name, "%s:%u", comm,
			 m->rows == LEDGER_ROWS_PROCESS ? thread->tgid : thread->tid);
	if (m->rows != LEDGER_ROWS_NAME)
		stack = push_separator(m, stack, name.data);
	buf_done(&name);
	return stack;
}

static void add_thread(struct maker *m, const struct ledger_thread *thread, bool idle)
{
	const struct ledger_thread *leader =
		m->rows == LEDGER_ROWS_PROCESS ? ledger_find(m->ledger, thread->tgid) : NULL;
	char comm[sizeof(thread->comm) + 1] = "";
	struct ledger_sums sums = { 0 };
	struct buf name = { 0 };
	stack_id root;

	memcpy(comm, leader ? leader->comm : thread->comm, sizeof(thread->comm));
	(void)buf_put_tidy(&name, comm);
	m->thread =
		profile_thread(m->profile, thread->tgid, thread->tid, name.data ? name.data : "");
	root = push_thread(m, thread, name.data ? name.data : "");
	buf_done(&name);
	ledger_sums_add(&sums, thread);
	add(m, push_state_frame(m, root, "running: user", "running-user"),
	    sums.state_ns[LEDGER_STATE_RUNNING_USER]);
	add(m, push_state_frame(m, root, "running: kernel", "running-kernel"),
	    sums.state_ns[LEDGER_STATE_RUNNING_KERNEL]);
	for (int i = LEDGER_RUNNING + 1; i < LEDGER_ACCOUNTS; i++) {
		enum ledger_account account = (enum ledger_account)i;

		if (thread->cell[i].ns && (idle || ledger_state_of(account) != LEDGER_STATE_IDLE))
			add_links(m, push_state(m, root, account), thread->tid, account,
				  thread->cell[i].ns);
	}
	if (sums.unaccounted_ns)
		add(m, push_state_frame(m, root, "unaccounted", "unaccounted"),
		    sums.unaccounted_ns);
}

static void chain_links(struct maker *m)
{
	const struct ledger *ledger = m->ledger;

	m->next = mem_zalloc((ledger->link.count + 1) * sizeof(*m->next));
	for (size_t i = ledger->link.count; i--;) {
		bool added;
		uint64_t *head = map_add(&m->first, ledger->link.item[i].key.waiter_tid, &added);

		m->next[i] = added ? 0 : (uint32_t)*head;
		*head = i + 1;
	}
}

struct profile *ledger_profile(const struct ledger *ledger, enum ledger_rows rows, bool idle)
{
	struct maker m = { .ledger = ledger, .profile = profile_new(0), .rows = rows };

	m.event = profile_event(m.profile, "wall-time", "ns");
	m.profile->events.item[m.event].measured = true;
	m.profile->meta.duration_ns = ledger->end_ns - ledger->start_ns;
	chain_links(&m);
	for (size_t i = 0; i < ledger->thread.count; i++)
		m.min_ns += ledger_lifetime(&ledger->thread.item[i]) / MIN_SHARE;
	for (size_t i = 0; i < ledger->thread.count; i++)
		add_thread(&m, &ledger->thread.item[i], idle);
	profile_count(m.profile);
	map_done(&m.first);
	free(m.next);
	return m.profile;
}
