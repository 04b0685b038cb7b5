/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger as JSON (see ledger_view.h). What a lock's holder did while others waited for it is in
 * "then", of the same shape as the entry it belongs to; a holder that waited for a lock itself
 * leads to that lock's holder, a few levels deep and never around in a circle. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "profile/ledger/ledger.h"
#include "profile/machine_series.h"
#include "view/ledger/ledger_view.h"
#include "view/machine/machine_view.h"

#define MAX_DEPTH 8

struct json {
	const struct ledger *ledger;
	struct buf *out;
	uint32_t path[MAX_DEPTH]; /* tids of the chain that is being written */
	size_t depth;
};

static void put_u64(struct buf *out, const char *name, uint64_t value)
{
	(void)buf_printf(out, "%s%" PRIu64, name, value);
}

/* "comm:tid", or what kind of interrupt. */
static void put_other(struct json *json, const struct ledger_link *link)
{
	struct buf name = { 0 };
	uint32_t id = link->key.other_tid;

	if (link->key.waker == LEDGER_WAKER_TIMER)
		(void)buf_puts(&name, "[timer]");
	else if (link->key.waker == LEDGER_WAKER_IRQ)
		(void)buf_printf(&name, "[irq %" PRIu32 "]", id);
	else if (link->key.waker == LEDGER_WAKER_SOFTIRQ)
		(void)buf_printf(&name, "[softirq %s]", ledger_softirq_name(id));
	else
		(void)buf_printf(&name, "%.16s:%" PRIu32, link->edge.other_comm, id);
	(void)buf_put_json(json->out, name.data);
	buf_done(&name);
}

static void put_thread_name(struct json *json, uint32_t tid)
{
	const struct ledger_thread *thread = ledger_find(json->ledger, tid);
	struct buf name = { 0 };

	(void)buf_printf(&name, "%.16s:%" PRIu32, thread ? thread->comm : "", tid);
	(void)buf_put_json(json->out, name.data);
	buf_done(&name);
}

static void put_entry(struct json *json, const struct ledger_link *link, uint64_t ns);

static bool on_path(const struct json *json, uint32_t tid)
{
	for (size_t i = 0; i < json->depth; i++)
		if (json->path[i] == tid)
			return true;
	return false;
}

/* The share of ns that falls to each thread which held the locks the holder waited for. */
static void put_locks(struct json *json, uint32_t tid, uint64_t ns, const char **comma)
{
	uint64_t all = 0;

	for (size_t i = 0; i < json->ledger->link.count; i++) {
		const struct ledger_link *link = &json->ledger->link.item[i];

		if (link->key.waiter_tid == tid && link->key.relation == LEDGER_HELD_BY)
			all += link->edge.wait.ns;
	}
	for (size_t i = 0; all && i < json->ledger->link.count; i++) {
		const struct ledger_link *link = &json->ledger->link.item[i];
		double share = (double)link->edge.wait.ns / (double)all;

		if (link->key.waiter_tid != tid || link->key.relation != LEDGER_HELD_BY)
			continue;
		(void)buf_puts(json->out, *comma);
		*comma = ",";
		put_entry(json, link, (uint64_t)((double)ns * share));
	}
}

static void put_then(struct json *json, const struct ledger_link *link, uint64_t ns)
{
	uint32_t holder = link->key.other_tid;
	double scale = link->edge.wait.ns ? (double)ns / (double)link->edge.wait.ns : 0;
	const char *comma = "";

	if (link->key.relation != LEDGER_HELD_BY || json->depth == MAX_DEPTH ||
	    on_path(json, holder))
		return;
	json->path[json->depth++] = holder;
	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		uint64_t part = (uint64_t)((double)link->edge.owner_ns[i] * scale);
		enum ledger_state state = ledger_state_of((enum ledger_account)i);

		if (!part)
			continue;
		if (i == LEDGER_LOCK) {
			put_locks(json, holder, part, &comma);
			continue;
		}
		(void)buf_printf(json->out, "%s{\"waiter\":", comma);
		comma = ",";
		put_thread_name(json, holder);
		(void)buf_puts(json->out, ",\"lock\":null,\"holder\":null,\"relation\":null,");
		(void)buf_printf(json->out,
				 "\"state\":\"%s\",\"reason\":\"%s\",\"ns\":%" PRIu64
				 ",\"count\":null,\"then\":[]}",
				 i == LEDGER_RUNNING ? "running" : ledger_state_name(state),
				 ledger_reason_name((enum ledger_account)i), part);
	}
	json->depth--;
}

static void put_entry(struct json *json, const struct ledger_link *link, uint64_t ns)
{
	const struct ledger_device *device = ledger_device_find(json->ledger, link->key.device);
	const char *lock = link->key.lock ? ledger_lock_name(json->ledger, &link->key) : NULL;
	enum ledger_account account = link->key.account;
	struct buf *out = json->out;

	(void)buf_puts(out, "{\"waiter\":");
	put_thread_name(json, link->key.waiter_tid);
	if (link->key.lock)
		(void)buf_printf(out, ",\"lock\":\"0x%" PRIx64 "\"", link->key.lock);
	else
		(void)buf_puts(out, ",\"lock\":null");
	if (lock) {
		(void)buf_puts(out, ",\"lock_name\":");
		(void)buf_put_json(out, lock);
	}
	(void)buf_puts(out, ",\"holder\":");
	put_other(json, link);
	if (device) {
		(void)buf_puts(out, ",\"device\":");
		(void)buf_put_json(out, device->name);
	}
	(void)buf_printf(out, ",\"relation\":\"%s\",\"state\":\"%s\",\"reason\":\"%s\"",
			 ledger_relation_name(link->key.relation),
			 ledger_state_name(ledger_state_of(account)), ledger_reason_name(account));
	put_u64(out, ",\"ns\":", ns);
	put_u64(out, ",\"count\":", link->edge.wait.count);
	(void)buf_puts(out, ",\"then\":[");
	put_then(json, link, ns);
	(void)buf_puts(out, "]}");
}

/* Waits with their ends (instead = false), or threads that ran meanwhile. */
static void put_links(struct json *json, bool instead)
{
	const char *comma = "";

	for (size_t i = 0; i < json->ledger->link.count; i++) {
		const struct ledger_link *link = &json->ledger->link.item[i];

		if ((link->key.relation == LEDGER_RAN_INSTEAD) != instead)
			continue;
		(void)buf_puts(json->out, comma);
		comma = ",";
		put_entry(json, link, link->edge.wait.ns);
	}
}

static void put_thread(const struct ledger_thread *thread, struct buf *out)
{
	struct ledger_sums sums = { 0 };
	char comm[sizeof(thread->comm) + 1] = "";

	for (size_t i = 0; i < sizeof(thread->comm) && thread->comm[i]; i++)
		comm[i] = thread->comm[i];
	ledger_sums_add(&sums, thread);
	(void)buf_printf(out, "{\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"comm\":", thread->tgid,
			 thread->tid);
	(void)buf_put_json(out, comm);
	put_u64(out, ",\"lifetime_ns\":", sums.lifetime_ns);
	(void)buf_puts(out, ",\"states\":{");
	for (int i = 0; i < LEDGER_STATES; i++)
		(void)buf_printf(out, "%s\"%s\":%" PRIu64, i ? "," : "",
				 ledger_state_name((enum ledger_state)i), sums.state_ns[i]);
	put_u64(out, "},\"unaccounted_ns\":", sums.unaccounted_ns);
	(void)buf_putc(out, '}');
}

/* A null device stands for waits for an unknown device. */
static void put_devices(const struct ledger *ledger, enum ledger_account account, struct buf *out)
{
	struct ledger_device_wait *wait;
	size_t count = ledger_device_waits(ledger, account, &wait);

	for (size_t i = 0; i < count; i++) {
		const struct ledger_device *device = ledger_device_find(ledger, wait[i].device);

		(void)buf_puts(out, i ? ",{\"device\":" : ",\"devices\":[{\"device\":");
		if (device)
			(void)buf_put_json(out, device->name);
		else
			(void)buf_puts(out, "null");
		(void)buf_puts(out, ",\"about\":");
		(void)buf_put_json(out, device ? device->about : "");
		put_u64(out, ",\"ns\":", wait[i].wait.ns);
		put_u64(out, ",\"count\":", wait[i].wait.count);
		if (device)
			put_u64(out, ",\"max_ns\":", wait[i].wait.max_ns);
		(void)buf_putc(out, '}');
	}
	if (count)
		(void)buf_putc(out, ']');
	free(wait);
}

/* What the waits on a condition were for. */
static void put_events(const struct ledger_sums *sums, struct buf *out)
{
	const char *before = ",\"events\":[";

	for (int i = 0; i < LEDGER_EVENTS; i++) {
		if (!sums->event[i].count)
			continue;
		(void)buf_printf(out, "%s{\"event\":\"%s\"", before,
				 ledger_event_name((enum ledger_event)i));
		put_u64(out, ",\"ns\":", sums->event[i].ns);
		put_u64(out, ",\"count\":", sums->event[i].count);
		(void)buf_putc(out, '}');
		before = ",";
	}
	if (before[1] != '"')
		(void)buf_putc(out, ']');
}

static void put_reasons(const struct ledger *ledger, const struct ledger_sums *sums,
			struct buf *out)
{
	const char *comma = "";

	for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
		const struct ledger_cell *cell = &sums->cell[i];
		enum ledger_account account = (enum ledger_account)i;

		if (!cell->count || i == LEDGER_RUNNING)
			continue;
		(void)buf_printf(out, "%s{\"state\":\"%s\",\"reason\":\"%s\"", comma,
				 ledger_state_name(ledger_state_of(account)),
				 ledger_reason_name(account));
		put_u64(out, ",\"ns\":", cell->ns);
		put_u64(out, ",\"count\":", cell->count);
		put_u64(out, ",\"max_ns\":", cell->max_ns);
		put_devices(ledger, account, out);
		if (account == LEDGER_CONDITION)
			put_events(sums, out);
		(void)buf_putc(out, '}');
		comma = ",";
	}
}

void ledger_json(const struct ledger *ledger, const struct machine_series *context, struct buf *ret)
{
	struct json json = { .ledger = ledger, .out = ret };
	struct ledger_sums sums = { 0 };

	put_u64(ret, "{\"cupel\":1,\"duration_ns\":", ledger->end_ns - ledger->start_ns);
	(void)buf_puts(ret, ",\"threads\":[");
	for (size_t i = 0; i < ledger->thread.count; i++) {
		(void)buf_puts(ret, i ? "," : "");
		put_thread(&ledger->thread.item[i], ret);
		ledger_sums_add(&sums, &ledger->thread.item[i]);
	}
	(void)buf_puts(ret, "],\"reasons\":[");
	put_reasons(ledger, &sums, ret);
	(void)buf_puts(ret, "],\"blocked_by\":[");
	put_links(&json, false);
	(void)buf_puts(ret, "],\"ran_instead\":[");
	put_links(&json, true);
	put_u64(ret, "],\"lost\":{\"threads\":", ledger->counts.lost_threads);
	put_u64(ret, ",\"edges\":", ledger->counts.lost_edges);
	put_u64(ret, ",\"intervals\":", ledger->counts.lost_spans);
	put_u64(ret, ",\"untracked\":", ledger->counts.untracked);
	(void)buf_putc(ret, '}');
	if (context && context->sample.count) {
		(void)buf_puts(ret, ",\"context\":");
		machine_json(context, ret);
	}
	(void)buf_puts(ret, "}\n");
}
