/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of what threads waited for (see ledger_lanes.h). */
#include "view/ledger/ledger_lanes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "profile/ledger/ledger.h"
#include "profile/ledger/ledger_slices.h"
#include "view/ledger/ledger_timeline.h"
#include "view/ledger/ledger_view.h"
#include "view/timeline/timeline.h"

/* A wait begins (1) or ends (-1). */
struct step {
	uint64_t time_ns;
	int by;
};

struct object_key {
	uint64_t lock;
	uint32_t pid, device; /* pid 0: not a lock of a program */
	uint64_t account;
};

struct object {
	struct object_key key;
	struct ledger_edge_key of; /* of one wait */
	uint64_t ns;
	VEC(struct step) step;
};

struct lanes {
	const struct ledger *ledger;
	struct timeline *timeline;
	struct map by_key; /* hash → index */
	VEC(struct object) object;
	VEC(uint32_t) label; /* by number of threads; 0 = none yet */
	bool processes;	     /* several */
};

static bool has_lane(uint32_t account, const struct ledger_edge_key *of)
{
	return account == LEDGER_LOCK || account == LEDGER_KERNEL_LOCK || account == LEDGER_DISK ||
	       account == LEDGER_NET || of->device;
}

static struct object *object_of(struct lanes *lanes, const struct object_key *key,
				const struct ledger_edge_key *of)
{
	bool added;
	uint64_t *index = map_add(&lanes->by_key, hash_bytes(key, sizeof(*key)), &added);

	if (added) {
		*index = lanes->object.count;
		vec_push(&lanes->object, ((struct object){ .key = *key, .of = *of }));
	}
	return &lanes->object.item[*index];
}

static void add_wait(struct lanes *lanes, const struct ledger_thread *thread,
		     const struct ledger_slice *slice, const struct ledger_edge_key *ended_by)
{
	bool user = slice->account == LEDGER_LOCK;
	struct ledger_edge_key of = *ended_by;
	struct object_key key = { .device = of.device, .account = slice->account };
	struct object *object;

	of.account = (uint8_t)slice->account;
	of.waiter_tid = thread->tid;
	if (user || slice->account == LEDGER_KERNEL_LOCK)
		key.lock = of.lock;
	if (user && of.lock)
		key.pid = thread->tgid;
	object = object_of(lanes, &key, &of);
	object->ns += slice->ns;
	vec_push(&object->step, ((struct step){ slice->start_ns, 1 }));
	vec_push(&object->step, ((struct step){ slice->end_ns, -1 }));
}

static void collect(struct lanes *lanes, const struct ledger_slices *slices,
		    struct ledger_lanes_left *left)
{
	static const struct ledger_edge_key unknown;
	const struct ledger *ledger = lanes->ledger;

	for (size_t i = 0; i < ledger->thread.count; i++) {
		const struct ledger_thread *thread = &ledger->thread.item[i];
		size_t count;
		const struct ledger_slice *slice = ledger_slices_of(slices, thread, &count);

		lanes->processes |= thread->tgid != ledger->thread.item[0].tgid;
		for (size_t j = 0; j < count; j++) {
			const struct ledger_edge_key *of =
				slice[j].ended_by ? &slices->ended_by.item[slice[j].ended_by]
						  : &unknown;

			if (!has_lane(slice[j].account, of))
				continue;
			if (slice[j].ns < slice[j].end_ns - slice[j].start_ns)
				left->ns += slice[j].ns;
			else
				add_wait(lanes, thread, &slice[j], of);
		}
	}
}

static int by_time_waited(const void *a, const void *b)
{
	const struct object *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	if (left->key.lock != right->key.lock)
		return left->key.lock > right->key.lock ? 1 : -1;
	return left->key.pid > right->key.pid ? 1 : left->key.pid < right->key.pid ? -1 : 0;
}

static int by_account(const void *a, const void *b)
{
	const struct object *left = a, *right = b;

	if (left->key.account != right->key.account)
		return left->key.account > right->key.account ? 1 : -1;
	return by_time_waited(a, b);
}

static int by_time(const void *a, const void *b)
{
	const struct step *left = a, *right = b;

	return left->time_ns > right->time_ns ? 1 : left->time_ns < right->time_ns ? -1 : 0;
}

/* "lock table_lock", "disk dm-0", "net" */
static char *name_of(const struct lanes *lanes, const struct object *object)
{
	const struct ledger_device *device = ledger_device_find(lanes->ledger, object->key.device);
	uint32_t number = object->key.device;
	struct buf text = { 0 };

	(void)buf_puts(&text, ledger_reason_name((enum ledger_account)object->key.account));
	if (object->key.lock) {
		(void)buf_putc(&text, ' ');
		ledger_put_lock(lanes->ledger, &object->of, &text);
		if (lanes->processes && object->key.pid)
			(void)buf_printf(&text, " of %" PRIu32, object->key.pid);
	}
	if (device) {
		(void)buf_putc(&text, ' ');
		(void)buf_put_tidy(&text, device->name);
	} else if (number) {
		(void)buf_printf(&text, " %" PRIu32 ":%" PRIu32, number >> LEDGER_MINOR_BITS,
				 number & ((1u << LEDGER_MINOR_BITS) - 1));
	}
	return text.data;
}

static uint32_t label_of(struct lanes *lanes, size_t threads)
{
	struct timeline *timeline = lanes->timeline;
	struct buf text = { 0 };

	while (lanes->label.count <= threads)
		vec_push(&lanes->label, 0);
	if (!lanes->label.item[threads]) {
		if (!timeline->label.count)
			vec_push(&timeline->label, mem_strdup(""));
		(void)buf_printf(&text, threads == 1 ? "%zu thread waits" : "%zu threads wait",
				 threads);
		lanes->label.item[threads] = (uint32_t)timeline->label.count;
		vec_push(&timeline->label, text.data);
	}
	return lanes->label.item[threads];
}

static void add_slices(struct lanes *lanes, struct object *object, struct timeline_lane *ret)
{
	size_t kind = ledger_state_kind((enum ledger_account)object->key.account);
	const struct step *step = object->step.item;
	uint64_t since_ns = 0;
	int64_t waiting = 0;

	qsort(object->step.item, object->step.count, sizeof(*step), by_time);
	for (size_t i = 0; i < object->step.count;) {
		uint64_t now_ns = step[i].time_ns;

		if (waiting > 0)
			vec_push(&ret->slice, ((struct timeline_slice){
						      .start_ns = since_ns,
						      .end_ns = now_ns,
						      .ns = now_ns - since_ns,
						      .kind = (uint16_t)kind,
						      .label = label_of(lanes, (size_t)waiting) }));
		for (; i < object->step.count && step[i].time_ns == now_ns; i++)
			waiting += step[i].by;
		since_ns = now_ns;
	}
}

static void add_lane(struct lanes *lanes, struct object *object, uint32_t order)
{
	const char *group = object->key.lock || object->key.account == LEDGER_LOCK ||
					    object->key.account == LEDGER_KERNEL_LOCK
				    ? "locks"
			    : object->key.account == LEDGER_NET ? "networks"
								: "disks";
	struct timeline_lane lane = { .name = name_of(lanes, object),
				      .thread = mem_strdup(group),
				      .process = mem_strdup(group),
				      .tid = order,
				      .cpu = true };

	add_slices(lanes, object, &lane);
	vec_push(&lanes->timeline->lane, lane);
}

void ledger_lanes_add(const struct ledger_slices *slices, const struct ledger *ledger,
		      struct timeline *timeline, struct ledger_lanes_left *ret)
{
	struct lanes lanes = { .ledger = ledger, .timeline = timeline };
	size_t shown;

	*ret = (struct ledger_lanes_left){ 0 };
	collect(&lanes, slices, ret);
	shown = lanes.object.count < LEDGER_LANES_MAX ? lanes.object.count : LEDGER_LANES_MAX;
	ret->lanes = lanes.object.count - shown;
	if (shown) {
		qsort(lanes.object.item, lanes.object.count, sizeof(*lanes.object.item),
		      by_time_waited);
		qsort(lanes.object.item, shown, sizeof(*lanes.object.item), by_account);
	}
	for (size_t i = 0; i < shown; i++)
		add_lane(&lanes, &lanes.object.item[i], (uint32_t)i);
	for (size_t i = 0; i < lanes.object.count; i++)
		vec_done(&lanes.object.item[i].step);
	vec_done(&lanes.object);
	vec_done(&lanes.label);
	map_done(&lanes.by_key);
}

void ledger_lanes_missing(const struct ledger_lanes_left *left, struct buf *ret)
{
	if (left->lanes == 1)
		(void)buf_puts(ret, "A lock or device that was waited for less has no row. ");
	else if (left->lanes)
		(void)buf_printf(ret,
				 "%zu locks or devices that were waited for less have no rows. ",
				 left->lanes);
	if (left->ns)
		(void)buf_printf(ret, "%.3f s of merged waits are in no row of locks and devices. ",
				 (double)left->ns / 1e9);
}
