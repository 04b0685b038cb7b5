/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of ledgers (see ledger.h). */
#include "profile/ledger/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "event/lock_wait.h"
#include "profile/redact.h"

static const struct {
	enum ledger_state state;
	const char *reason;
} accounts[LEDGER_ACCOUNTS] = {
	[LEDGER_RUNNING] = { LEDGER_STATE_RUNNING_USER, "" },
	[LEDGER_WOKEN] = { LEDGER_STATE_RUNNABLE, "woken" },
	[LEDGER_PREEMPTED] = { LEDGER_STATE_RUNNABLE, "preempted" },
	[LEDGER_LOCK] = { LEDGER_STATE_BLOCKED, "lock" },
	[LEDGER_KERNEL_LOCK] = { LEDGER_STATE_BLOCKED, "kernel-lock" },
	[LEDGER_THREAD] = { LEDGER_STATE_BLOCKED, "thread" },
	[LEDGER_DISK] = { LEDGER_STATE_BLOCKED, "disk" },
	[LEDGER_NET] = { LEDGER_STATE_BLOCKED, "net" },
	[LEDGER_PIPE] = { LEDGER_STATE_BLOCKED, "pipe" },
	[LEDGER_PAGE_FAULT] = { LEDGER_STATE_BLOCKED, "page-fault" },
	[LEDGER_CHILD] = { LEDGER_STATE_BLOCKED, "child" },
	[LEDGER_SLEEP] = { LEDGER_STATE_BLOCKED, "sleep" },
	[LEDGER_STOPPED] = { LEDGER_STATE_BLOCKED, "stopped" },
	[LEDGER_THROTTLE] = { LEDGER_STATE_BLOCKED, "throttle" },
	[LEDGER_OTHER] = { LEDGER_STATE_BLOCKED, "other" },
	[LEDGER_POLL] = { LEDGER_STATE_IDLE, "poll" },
	[LEDGER_CONDITION] = { LEDGER_STATE_IDLE, "condition" },
	[LEDGER_JOIN] = { LEDGER_STATE_IDLE, "join" },
	[LEDGER_SIGNAL] = { LEDGER_STATE_IDLE, "signal" },
	[LEDGER_TERMINAL] = { LEDGER_STATE_IDLE, "terminal" },
	[LEDGER_WORK] = { LEDGER_STATE_IDLE, "work" },
};

enum ledger_state ledger_state_of(enum ledger_account account)
{
	return accounts[account].state;
}

const char *ledger_state_name(enum ledger_state state)
{
	static const char *const names[LEDGER_STATES] = {
		"running-user", "running-kernel", "runnable", "blocked", "idle",
	};

	return names[state];
}

const char *ledger_reason_name(enum ledger_account account)
{
	return accounts[account].reason;
}

const char *ledger_event_name(enum ledger_event event)
{
	static const char *const names[LEDGER_EVENTS] = { "futex event", "condition variable",
							  "barrier", "semaphore" };

	return names[event];
}

const char *ledger_relation_name(enum ledger_relation relation)
{
	static const char *const names[] = { "woken-by", "released-by", "held-by", "ran-instead" };

	return names[relation];
}

uint64_t ledger_lifetime(const struct ledger_thread *thread)
{
	return thread->end_ns > thread->born_ns ? thread->end_ns - thread->born_ns : 0;
}

static void add_running(struct ledger_sums *sums, const struct ledger_thread *thread)
{
	uint64_t ns = thread->cell[LEDGER_RUNNING].ns;
	double user = (double)thread->user_ns, system = (double)thread->system_ns;
	/* A thread that ran between two ticks has neither; user time is then more likely. */
	uint64_t in_kernel = user + system > 0 ? (uint64_t)((double)ns * system / (user + system))
					       : 0;

	sums->state_ns[LEDGER_STATE_RUNNING_KERNEL] += in_kernel;
	sums->state_ns[LEDGER_STATE_RUNNING_USER] += ns - in_kernel;
}

static void add_cell(struct ledger_cell *sum, const struct ledger_cell *cell)
{
	sum->ns += cell->ns;
	sum->count += cell->count;
	if (cell->max_ns > sum->max_ns)
		sum->max_ns = cell->max_ns;
}

void ledger_sums_add(struct ledger_sums *sums, const struct ledger_thread *thread)
{
	uint64_t lifetime = ledger_lifetime(thread), accounted = 0;

	sums->threads++;
	sums->lifetime_ns += lifetime;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		const struct ledger_cell *cell = &thread->cell[i];

		accounted += cell->ns;
		add_cell(&sums->cell[i], cell);
		if (i != LEDGER_RUNNING)
			sums->state_ns[accounts[i].state] += cell->ns;
	}
	for (int i = 0; i < LEDGER_EVENTS; i++)
		add_cell(&sums->event[i], &thread->event[i]);
	add_running(sums, thread);
	sums->unaccounted_ns += accounted > lifetime ? accounted - lifetime : lifetime - accounted;
}

static int by_id(const void *a, const void *b)
{
	const struct ledger_thread *left = a, *right = b;

	if (left->tgid != right->tgid)
		return left->tgid < right->tgid ? -1 : 1;
	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return left->born_ns < right->born_ns ? -1 : left->born_ns > right->born_ns;
}

static int by_weight(const void *a, const void *b)
{
	const struct ledger_link *left = a, *right = b;

	if (left->edge.wait.ns != right->edge.wait.ns)
		return left->edge.wait.ns < right->edge.wait.ns ? 1 : -1;
	return memcmp(&left->key, &right->key, sizeof(left->key));
}

static int by_address(const void *a, const void *b)
{
	const struct ledger_lock_name *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return left->address < right->address ? -1 : left->address > right->address;
}

/* A thread that had ended before the wait did. */
static void name_other(const struct ledger *ledger, struct ledger_link *link)
{
	const struct ledger_thread *other = NULL;

	if (link->key.relation == LEDGER_HELD_BY && link->key.other_tid &&
	    !link->edge.other_comm[0])
		other = ledger_find(ledger, link->key.other_tid);
	if (!other)
		return;
	link->edge.other_tgid = other->tgid;
	memcpy(link->edge.other_comm, other->comm, sizeof(link->edge.other_comm));
}

void ledger_finish(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->thread.count; i++)
		if (!ledger->thread.item[i].end_ns)
			ledger->thread.item[i].end_ns = ledger->end_ns;
	if (ledger->thread.count)
		qsort(ledger->thread.item, ledger->thread.count, sizeof(*ledger->thread.item),
		      by_id);
	for (size_t i = 0; i < ledger->link.count; i++)
		name_other(ledger, &ledger->link.item[i]);
	if (ledger->lock.count)
		qsort(ledger->lock.item, ledger->lock.count, sizeof(*ledger->lock.item),
		      by_address);
	if (ledger->link.count)
		qsort(ledger->link.item, ledger->link.count, sizeof(*ledger->link.item), by_weight);
}

const struct ledger_thread *ledger_find(const struct ledger *ledger, uint32_t tid)
{
	const struct ledger_thread *found = NULL;

	for (size_t i = 0; i < ledger->thread.count; i++) {
		const struct ledger_thread *thread = &ledger->thread.item[i];

		if (thread->tid == tid && (!found || thread->end_ns > found->end_ns))
			found = thread;
	}
	return found;
}

const struct ledger_device *ledger_device_find(const struct ledger *ledger, uint32_t device)
{
	for (size_t i = 0; i < ledger->device.count; i++)
		if (ledger->device.item[i].device == device)
			return &ledger->device.item[i];
	return NULL;
}

const char *ledger_lock_name(const struct ledger *ledger, const struct ledger_edge_key *key)
{
	struct ledger_lock_name wanted = { .address = key->lock };
	const struct ledger_lock_name *found = NULL;
	const struct ledger_thread *waiter;

	if (key->lock_flags & LOCK_MMAP)
		return "mmap_lock";
	if (key->lock_flags & LOCK_SIGNALS)
		return "siglock";
	if (key->account != LEDGER_KERNEL_LOCK) {
		waiter = ledger_find(ledger, key->waiter_tid);
		if (!waiter)
			return NULL;
		wanted.pid = waiter->tgid;
	}
	if (key->lock && ledger->lock.count)
		found = bsearch(&wanted, ledger->lock.item, ledger->lock.count,
				sizeof(*ledger->lock.item), by_address);
	return found ? found->name : NULL;
}

static int by_wait(const void *a, const void *b)
{
	const struct ledger_device_wait *left = a, *right = b;

	if (!left->device != !right->device)
		return left->device ? -1 : 1;
	if (left->wait.ns != right->wait.ns)
		return left->wait.ns < right->wait.ns ? 1 : -1;
	return left->device < right->device ? -1 : left->device > right->device;
}

typedef VEC(struct ledger_device_wait) device_wait_list;

static void add_device_wait(device_wait_list *list, const struct ledger_link *link)
{
	struct ledger_device_wait new = { .device = link->key.device, .wait = link->edge.wait };

	for (size_t i = 0; i < list->count; i++) {
		if (list->item[i].device != link->key.device)
			continue;
		add_cell(&list->item[i].wait, &link->edge.wait);
		return;
	}
	vec_push(list, new);
}

static void take(uint64_t *from, uint64_t part)
{
	*from -= part < *from ? part : *from; /* lost threads have links as well */
}

size_t ledger_device_waits(const struct ledger *ledger, enum ledger_account account,
			   struct ledger_device_wait **ret)
{
	struct ledger_device_wait unknown = { 0 };
	device_wait_list list = { 0 };

	*ret = NULL;
	if (account != LEDGER_DISK && account != LEDGER_PAGE_FAULT)
		return 0;
	for (size_t i = 0; i < ledger->thread.count; i++) {
		unknown.wait.ns += ledger->thread.item[i].cell[account].ns;
		unknown.wait.count += ledger->thread.item[i].cell[account].count;
	}
	for (size_t i = 0; i < ledger->link.count; i++) {
		const struct ledger_link *link = &ledger->link.item[i];

		if (link->key.account != account || !link->key.device)
			continue;
		add_device_wait(&list, link);
		take(&unknown.wait.ns, link->edge.wait.ns);
		take(&unknown.wait.count, link->edge.wait.count);
	}
	if (unknown.wait.count)
		vec_push(&list, unknown);
	if (list.count)
		qsort(list.item, list.count, sizeof(*list.item), by_wait);
	*ret = list.item;
	return list.count;
}

void ledger_redact(struct ledger *ledger, struct redaction *redaction)
{
	struct buf name = { 0 };

	for (size_t i = 0; i < ledger->thread.count; i++) {
		struct ledger_thread *thread = &ledger->thread.item[i];

		buf_clear(&name);
		redaction_put_comm(redaction, thread->comm, &name);
		(void)snprintf(thread->comm, sizeof(thread->comm), "%s",
			       name.data ? name.data : "");
	}
	buf_done(&name);
}

void ledger_done(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->lock.count; i++)
		free(ledger->lock.item[i].name);
	vec_done(&ledger->lock);
	vec_done(&ledger->device);
	vec_done(&ledger->thread);
	vec_done(&ledger->link);
}
