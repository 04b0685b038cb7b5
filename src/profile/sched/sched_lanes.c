/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spans of lanes (see sched_lanes.h). */
#include "profile/sched/sched_lanes.h"

#include <errno.h>
#include <string.h>

#include "profile/sched/sched_spans.h"

#define MAX_LANES     65536u
#define PACKET_GAP_NS 1000000u
#define SECTOR_BITS   44

static string_id intern(struct sched_lanes *lanes, const char *name, size_t len)
{
	if (!lanes->names)
		lanes->names = strtab_new();
	return name ? strtab_intern(lanes->names, name, len) : STRING_EMPTY;
}

/* Of a task, a CPU, a device's number or, of networks, its name. */
static uint32_t number_of(struct sched_lanes *lanes, const struct sched_event *event)
{
	const struct sched_step *step = &event->step;

	switch (step->lane) {
	case SCHED_LANE_INTERRUPTS:
		return event->cpu;
	case SCHED_LANE_DISK:
		return step->number;
	case SCHED_LANE_CALLS:
		return event->current->index;
	default:
		return intern(lanes, step->name, step->name_len).v;
	}
}

/* NULL: there are too many. */
static struct sched_lane *lane_of(struct sched_lanes *lanes, const struct sched_event *event,
				  uint32_t *ret)
{
	uint32_t number = number_of(lanes, event);
	enum sched_lane_kind kind = event->step.lane;
	uint64_t key = (uint64_t)kind << 32 | number, found;
	struct sched_lane lane = { .kind = kind, .number = number };

	if (map_get(&lanes->by_key, key, &found)) {
		*ret = (uint32_t)found;
		return &lanes->lane.item[found];
	}
	if (lanes->lane.count == MAX_LANES) {
		lanes->beyond++;
		return NULL;
	}
	if (kind == SCHED_LANE_CALLS)
		lane.task = event->current;
	else if (kind == SCHED_LANE_SENT || kind == SCHED_LANE_RECEIVED)
		lane.name = strtab_get(lanes->names, (string_id){ number });
	*ret = (uint32_t)lanes->lane.count;
	map_set(&lanes->by_key, key, *ret);
	vec_push(&lanes->lane, lane);
	return &lanes->lane.item[*ret];
}

static void add(struct sched_lanes *lanes, const struct sched_lane_span *span)
{
	if (span->start_ns >= span->end_ns)
		return;
	vec_push(&lanes->span, *span);
	lanes->lane.item[span->lane].last = (uint32_t)lanes->span.count;
}

static struct sched_lane_span *last_of(struct sched_lanes *lanes, const struct sched_lane *lane)
{
	return lane->last ? &lanes->span.item[lane->last - 1] : NULL;
}

/* Adds a span to the one before, if they are alike and close to each other. */
static void join(struct sched_lanes *lanes, const struct sched_lane_span *span, uint64_t gap_ns)
{
	struct sched_lane_span *last = last_of(lanes, &lanes->lane.item[span->lane]);

	if (!last || last->doing != span->doing || last->error != span->error ||
	    last->fd != span->fd || last->name.v != span->name.v ||
	    last->end_ns + gap_ns < span->start_ns) {
		add(lanes, span);
		return;
	}
	if (last->end_ns < span->end_ns)
		last->end_ns = span->end_ns;
	last->bytes += span->bytes;
	last->count += span->count;
}

static uint8_t doing_of_letters(const struct sched_step *step)
{
	char letter = step->name_len ? step->name[0] : '?';

	switch (letter) {
	case 'R':
		return SCHED_DOING_READ;
	case 'F': /* flush */
		return SCHED_DOING_SYNC;
	default: /* write, discard, secure erase, … */
		return SCHED_DOING_WRITE;
	}
}

static uint8_t doing_of_disk(const struct sched_lane *lane)
{
	if (lane->reads && lane->writes)
		return SCHED_DOING_READ_WRITE;
	return lane->reads ? SCHED_DOING_READ : lane->writes ? SCHED_DOING_WRITE : SCHED_DOING_SYNC;
}

static uint32_t *flying(struct sched_lane *lane, uint8_t doing)
{
	return doing == SCHED_DOING_READ   ? &lane->reads
	       : doing == SCHED_DOING_SYNC ? &lane->syncs
					   : &lane->writes;
}

/* The disk did the same since the last change; a request of so many bytes ends. */
static void change_disk(struct sched_lanes *lanes, uint32_t index, uint64_t now_ns, uint64_t bytes,
			uint32_t count)
{
	struct sched_lane *lane = &lanes->lane.item[index];
	struct sched_lane_span span = { .start_ns = lane->since_ns,
					.end_ns = now_ns,
					.bytes = bytes,
					.lane = index,
					.count = count,
					.doing = doing_of_disk(lane),
					.fd = -1 };

	if (lane->reads || lane->writes || lane->syncs)
		join(lanes, &span, 0);
	lanes->lane.item[index].since_ns = now_ns;
}

static void take_request(struct sched_lanes *lanes, uint32_t index, const struct sched_event *event)
{
	const struct sched_step *step = &event->step;
	uint64_t sector = step->place & ((UINT64_C(1) << SECTOR_BITS) - 1);
	uint64_t *request;
	uint8_t doing;
	bool added;

	request = map_add(&lanes->in_flight, (uint64_t)index << SECTOR_BITS | sector, &added);
	if (step->begins && *request)
		return; /* issued again, or its end was lost */
	if (!step->begins && !*request) {
		lanes->unpaired++;
		return;
	}
	doing = step->begins ? doing_of_letters(step) : (uint8_t)(*request >> 32);
	if (step->begins) {
		change_disk(lanes, index, event->time_ns, 0, 0);
		++*flying(&lanes->lane.item[index], doing);
		*request = (uint64_t)doing << 32 | (uint32_t)step->value;
		return;
	}
	change_disk(lanes, index, event->time_ns, (uint32_t)*request, 1);
	--*flying(&lanes->lane.item[index], doing);
	lanes->lane.item[index].sees_ends = true;
	*request = 0;
}

static void take_packet(struct sched_lanes *lanes, uint32_t index, const struct sched_event *event)
{
	struct sched_lane_span span = { .start_ns = event->time_ns,
					.end_ns = event->time_ns + SCHED_PACKET_NS,
					.bytes = (uint64_t)event->step.value,
					.lane = index,
					.count = 1,
					.doing = event->step.doing,
					.fd = -1 };

	join(lanes, &span, PACKET_GAP_NS);
}

/* count: 0 if it goes on later. */
static void end_interrupt(struct sched_lanes *lanes, uint32_t index, bool soft, uint64_t now_ns,
			  uint32_t count)
{
	struct sched_lane *lane = &lanes->lane.item[index];
	struct sched_lane_span span = {
		.start_ns = soft ? lane->soft_since_ns : lane->since_ns,
		.end_ns = now_ns,
		.lane = index,
		.count = count,
		.doing = soft ? SCHED_DOING_SOFT_INTERRUPT : SCHED_DOING_INTERRUPT,
		.fd = -1,
		.name = soft ? lane->soft_name : lane->open_name,
	};

	if (span.start_ns)
		add(lanes, &span);
	else
		lanes->unpaired++;
	lane = &lanes->lane.item[index];
	*(soft ? &lane->soft_since_ns : &lane->since_ns) = 0;
}

/* A soft interrupt goes on after the interrupt; its second part is the same one. */
static void take_interrupt(struct sched_lanes *lanes, uint32_t index,
			   const struct sched_event *event)
{
	const struct sched_step *step = &event->step;
	bool soft = step->doing == SCHED_DOING_SOFT_INTERRUPT;
	string_id name = intern(lanes, step->name, step->name_len);
	struct sched_lane *lane = &lanes->lane.item[index];

	if (!step->begins) {
		end_interrupt(lanes, index, soft, event->time_ns, 1);
		lane = &lanes->lane.item[index];
		if (soft)
			lane->in_soft = false;
		else if (lane->in_soft)
			lane->soft_since_ns = event->time_ns;
		return;
	}
	if (soft) {
		lane->soft_name = name;
		lane->in_soft = true;
		lane->soft_since_ns = event->time_ns;
		return;
	}
	if (lane->soft_since_ns) {
		end_interrupt(lanes, index, true, event->time_ns, 0);
		lane = &lanes->lane.item[index];
	}
	lane->open_name = name;
	lane->since_ns = event->time_ns;
}

static void end_call(struct sched_lanes *lanes, uint32_t index, uint64_t now_ns, int64_t value)
{
	struct sched_lane *lane = &lanes->lane.item[index];
	uint8_t doing = lane->step.doing;
	struct sched_lane_span span = { .start_ns = lane->since_ns,
					.end_ns = now_ns,
					.lane = index,
					.count = 1,
					.doing = doing,
					.fd = (int32_t)lane->step.place,
					.name = lane->open_name };

	lane->since_ns = 0;
	if (value == -EAGAIN && lanes->options.skip_eagain)
		return;
	if (value < 0) {
		span.doing = SCHED_DOING_ERROR;
		span.error = value < -4095 ? EIO : (int32_t)-value;
	} else if (doing != SCHED_DOING_WAIT && doing != SCHED_DOING_SYNC) {
		span.bytes = (uint64_t)value;
	}
	join(lanes, &span, lanes->options.merge_ns);
}

static void take_call(struct sched_lanes *lanes, uint32_t index, const struct sched_event *event)
{
	const struct sched_step *step = &event->step;
	struct sched_lane *lane = &lanes->lane.item[index];

	if (step->begins) {
		lane->step = *step;
		lane->open_name = intern(lanes, step->name, step->name_len);
		lane->since_ns = event->time_ns;
	} else if (!lane->since_ns || lane->step.number != step->number) {
		lanes->unpaired++;
		lane->since_ns = 0;
	} else {
		end_call(lanes, index, event->time_ns, step->value);
	}
}

void sched_lanes_take(struct sched_lanes *lanes, const struct sched_event *event)
{
	uint32_t index = 0;

	if (!lane_of(lanes, event, &index))
		return;
	switch (event->step.lane) {
	case SCHED_LANE_INTERRUPTS:
		take_interrupt(lanes, index, event);
		break;
	case SCHED_LANE_DISK:
		take_request(lanes, index, event);
		break;
	case SCHED_LANE_CALLS:
		take_call(lanes, index, event);
		break;
	default:
		take_packet(lanes, index, event);
		break;
	}
}

void sched_lanes_forget(struct sched_lanes *lanes)
{
	for (size_t i = 0; i < lanes->lane.count; i++) {
		struct sched_lane *lane = &lanes->lane.item[i];

		lane->since_ns = lane->soft_since_ns = 0;
		lane->reads = lane->writes = lane->syncs = 0;
		lane->in_soft = false;
	}
	map_done(&lanes->in_flight);
}

/* A recording of some threads has the beginnings of their requests only: how long a disk took is
 * not known then. */
static void drop_endless(struct sched_lanes *lanes)
{
	for (size_t i = 0; i < lanes->span.count; i++) {
		struct sched_lane_span *span = &lanes->span.item[i];
		const struct sched_lane *lane = &lanes->lane.item[span->lane];

		if (lane->kind == SCHED_LANE_DISK && !lane->sees_ends)
			span->end_ns = span->start_ns;
	}
}

void sched_lanes_finish(struct sched_lanes *lanes, uint64_t last_ns)
{
	for (uint32_t i = 0; i < lanes->lane.count; i++) {
		struct sched_lane *lane = &lanes->lane.item[i];

		if (lane->kind == SCHED_LANE_DISK)
			change_disk(lanes, i, last_ns, 0, 0);
		else if (lane->kind == SCHED_LANE_CALLS && lane->since_ns)
			end_call(lanes, i, last_ns, 0);
		if (lane->kind == SCHED_LANE_INTERRUPTS && lane->since_ns)
			end_interrupt(lanes, i, false, last_ns, 1);
		lane = &lanes->lane.item[i];
		if (lane->kind == SCHED_LANE_INTERRUPTS && lane->soft_since_ns)
			end_interrupt(lanes, i, true, last_ns, 1);
	}
	drop_endless(lanes);
	sched_lanes_forget(lanes);
}

void sched_lanes_done(struct sched_lanes *lanes)
{
	vec_done(&lanes->lane);
	vec_done(&lanes->span);
	map_done(&lanes->by_key);
	map_done(&lanes->in_flight);
	strtab_free(lanes->names);
}
