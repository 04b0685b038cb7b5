/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of page faults (see load_fault.h). What the access was comes from the CPU, by way of our
 * BPF program; what is at the address from the recorded mappings. Without the former, a copy on
 * write looks like a first touch, and the frame does not say which it was. */
#include "session/load/load_fault.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/desc.h"
#include "profile/profile.h"
#include "session/load/load.h"
#include "session/load/load_merge.h"

#define HUGE_BYTES (1u << 20) /* and more; other pages have 64 KiB at most */

static bool is_fault(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

bool load_fault_begin(const struct event_set *events, struct load_options *options)
{
	bool found = false;

	if (!options->faults || options->keep & PROFILE_KEEP_ADDR || options->branches)
		return false;
	for (size_t i = 0; i < events->desc.count; i++)
		found |= is_fault(&events->desc.item[i]->attr) &&
			 events->desc.item[i]->attr.sample_type & PERF_SAMPLE_ADDR;
	if (found)
		options->access = LOAD_ACCESS_SAMPLED;
	return found;
}

unsigned load_fault_keeps(void)
{
	return PROFILE_KEEP_TIME | PROFILE_KEEP_ADDR | PROFILE_ADDR_IS_ACCESS;
}

static bool is_major(const struct profile *profile, uint16_t event)
{
	const char *name = profile_string(profile, profile->events.item[event].name);

	return strncmp(name, "major-faults", 12) == 0;
}

/* What is there, as in "page fault: libc.so.6". */
static void put_place(const struct profile *profile, const struct profile_access *access,
		      char *text, size_t size)
{
	const char *module = profile_string(profile, access->module);
	const char *section = profile_string(profile, access->object);
	bool variable = access->kind == ACCESS_GLOBAL;

	switch ((enum access_kind)access->kind) {
	case ACCESS_HEAP:
		(void)snprintf(text, size, "heap");
		break;
	case ACCESS_STACK:
		(void)snprintf(text, size, "stack");
		break;
	case ACCESS_ANONYMOUS:
		(void)snprintf(text, size, "anonymous memory");
		break;
	case ACCESS_GLOBAL:
	case ACCESS_FILE:
		(void)snprintf(text, size, "%s%s%s", module, variable || *section ? " " : "",
			       variable ? "variables" : section);
		break;
	default:
		(void)snprintf(text, size, "unknown memory");
		break;
	}
}

static const char *access_text(const struct profile_access *access)
{
	const union perf_mem_data_src src = { .val = access->data_src };

	if (!(src.mem_dtlb & PERF_MEM_TLB_OS))
		return "page fault"; /* the access is unknown */
	if (src.mem_dtlb & PERF_MEM_TLB_HIT)
		return src.mem_op & PERF_MEM_OP_STORE ? "copy on write" : "page fault, protected";
	return src.mem_op & PERF_MEM_OP_STORE  ? "page fault, written"
	       : src.mem_op & PERF_MEM_OP_EXEC ? "page fault, executed"
					       : "page fault, read";
}

/* What the kernel did for it, of faults that were over when they were sampled. */
static const char *done_text(const struct profile_access *access)
{
	const union perf_mem_data_src src = { .val = access->data_src };

	return src.mem_dtlb & PERF_MEM_TLB_OS && src.mem_lvl & PERF_MEM_LVL_IO ? ", from swap"
	       : access->page_bytes >= HUGE_BYTES			       ? ", huge page"
									       : "";
}

static void put_frame(struct profile *profile, struct profile_sample *sample)
{
	const struct profile_access *access = &profile->accesses.item[sample->addr];
	struct frame frame = { .module = profile_module(profile, "[page fault]", "") };
	char place[200], text[256];

	put_place(profile, access, place, sizeof(place));
	(void)snprintf(text, sizeof(text), "[%s%s: %s]", access_text(access), done_text(access),
		       place);
	frame.function = strtab_puts(profile->strings, text);
	sample->stack = profile_stack_push(profile, sample->stack, profile_frame(profile, &frame));
}

/* Time that major faults took, as an event of its own. */
static void add_waits(struct profile *profile)
{
	VEC(struct profile_sample) added = { 0 };
	uint16_t number = 0;

	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample sample = profile->samples.item[i];
		uint64_t us = sample.addr < profile->accesses.count
				      ? profile->accesses.item[sample.addr].weight
				      : 0;

		if (!us || !is_major(profile, sample.event))
			continue;
		if (!added.count)
			number = profile_event(profile, FAULT_WAIT_EVENT, "ns");
		sample.event = number;
		sample.weight *= us * 1000;
		vec_push(&added, sample);
	}
	profile_add_all(profile, added.item, added.count);
	vec_done(&added);
}

void load_fault_finish(struct profile *profile, bool waits, unsigned keep)
{
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *sample = &profile->samples.item[i];

		if (sample->addr < profile->accesses.count &&
		    profile->accesses.item[sample->addr].addr)
			put_frame(profile, sample);
	}
	if (waits)
		add_waits(profile);
	vec_done(&profile->accesses);
	load_merge(profile, keep);
}
