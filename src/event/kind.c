/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds and units by name (see kind.h). */
#include "event/kind.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	enum event_kind kind;
} names[] = {
	{ "cpu-clock", EVENT_KIND_CPU_TIME },
	{ "task-clock", EVENT_KIND_CPU_TIME },
	{ "offcpu-time", EVENT_KIND_OFF_CPU },
	{ "off-cpu", EVENT_KIND_OFF_CPU },
	{ "wakeup-time", EVENT_KIND_WAKEUP },
	{ "wakeup", EVENT_KIND_WAKEUP },
	{ "lock-wait", EVENT_KIND_LOCK_WAIT },
	{ "lock-holder", EVENT_KIND_LOCK_HOLDER },
	{ "io", EVENT_KIND_IO },
	{ "chain-time", EVENT_KIND_WAIT_CHAIN },
	{ "wall-time", EVENT_KIND_WALL_TIME },
	{ "function-time", EVENT_KIND_FUNCTION_TIME },
	{ "heap-alloc", EVENT_KIND_HEAP_ALLOC },
	{ "heap-free", EVENT_KIND_HEAP_FREE },
	{ "heap-count", EVENT_KIND_HEAP_COUNT },
	{ "heap-live", EVENT_KIND_HEAP_LIVE },
	{ "heap-peak", EVENT_KIND_HEAP_PEAK },
	{ "heap-live-count", EVENT_KIND_HEAP_LIVE_COUNT },
	{ "heap-leaked", EVENT_KIND_HEAP_LEAKED },
	{ "heap-temporary", EVENT_KIND_HEAP_TEMPORARY },
	{ "major-fault-wait", EVENT_KIND_FAULT_WAIT },
};

static const char *const units[] = {
	[EVENT_UNIT_NONE] = "", [EVENT_UNIT_COUNT] = "count", [EVENT_UNIT_SAMPLES] = "samples",
	[EVENT_UNIT_NS] = "ns", [EVENT_UNIT_BYTES] = "bytes", [EVENT_UNIT_OTHER] = "",
};

const char *event_kind_name(enum event_kind kind)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return "";
}

const char *event_kind_server(enum event_kind kind)
{
	if (event_kind_is_lock(kind))
		return "lock";
	if (kind == EVENT_KIND_IO)
		return "io";
	return event_kind_is_heap(kind) ? "heap" : "off_cpu";
}

enum event_unit event_kind_unit(enum event_kind kind)
{
	static const enum event_unit unit[] = {
#define X(id, unit) unit,
		EVENT_KINDS(X)
#undef X
	};

	return unit[kind];
}

enum event_kind event_kind_of_name(const char *name)
{
	size_t len = strcspn(name, ":");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && memcmp(names[i].name, name, len) == 0)
			return names[i].kind;
	return EVENT_KIND_OTHER;
}

enum event_kind event_kind_of_attr(const struct perf_event_attr *attr, const char *name)
{
	enum event_kind kind;

	if (attr->type != PERF_TYPE_SOFTWARE)
		return EVENT_KIND_OTHER;
	if (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK)
		return EVENT_KIND_CPU_TIME;
	kind = name ? event_kind_of_name(name) : EVENT_KIND_OTHER;
	return kind == EVENT_KIND_CPU_TIME ? EVENT_KIND_OTHER : kind;
}

const char *event_unit_name(enum event_unit unit)
{
	return units[unit];
}

enum event_unit event_unit_of_name(const char *text)
{
	for (size_t i = 0; i < EVENT_UNIT_OTHER; i++)
		if (strcmp(text, units[i]) == 0)
			return (enum event_unit)i;
	return EVENT_UNIT_OTHER;
}
