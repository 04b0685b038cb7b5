/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decoding records in kernel ABI, by the plan worked out per event (event/desc.c). Every length a
 * record claims is checked against the record's own size, and nothing outside it is read.
 * ABI: perf_event_open(2), include/uapi/linux/perf_event.h. */
#include "event/perf_record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "event/desc.h"
#include "event/perf_record_sample.h"

#define MMAP_BUILD_ID_MISC (1 << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */

static uint32_t low_half(uint64_t word)
{
	uint32_t half[2];

	memcpy(half, &word, sizeof(half));
	return half[0];
}

static uint32_t high_half(uint64_t word)
{
	uint32_t half[2];

	memcpy(half, &word, sizeof(half));
	return half[1];
}

static void decode_fixed(const struct event_desc *desc, const uint64_t *body, struct event *ret)
{
	const struct perf_record_plan *plan = &desc->plan;

	if (plan->identifier >= 0)
		ret->id = body[plan->identifier];
	if (plan->id >= 0)
		ret->id = body[plan->id];
	if (plan->ip >= 0)
		ret->sample.ip = body[plan->ip];
	if (plan->tid >= 0) {
		ret->pid = low_half(body[plan->tid]);
		ret->tid = high_half(body[plan->tid]);
	}
	if (plan->time >= 0) {
		ret->has_time = true;
		ret->time_ns = body[plan->time];
	}
	if (plan->addr >= 0)
		ret->sample.addr = body[plan->addr];
	if (plan->stream_id >= 0)
		ret->stream_id = body[plan->stream_id];
	if (plan->cpu >= 0)
		ret->cpu = low_half(body[plan->cpu]);
	if (plan->period >= 0)
		ret->sample.period = body[plan->period];
	else
		ret->sample.period = desc->attr.sample_period ? desc->attr.sample_period : 1;
}

/* The event a record belongs to, by the id at its fixed place. Records made up by perf itself carry
 * id 0 and count as the first event's. */
static const struct event_desc *find_desc(const struct event_set *set, const uint64_t *body,
					  size_t words, bool sample)
{
	const struct event_desc *first;
	const struct perf_record_plan *plan;
	int place;

	if (!set->desc.count)
		return NULL;
	first = set->desc.item[0];
	if (set->desc.count == 1)
		return first;
	plan = &first->plan;
	if (sample)
		place = plan->identifier >= 0 ? plan->identifier : plan->id;
	else if (plan->trailer_identifier >= 0)
		place = (int)words - 1;
	else
		place = plan->trailer_id < 0 ? -1
					     : (int)words - plan->trailer_words + plan->trailer_id;
	if (place < 0 || (size_t)place >= words)
		return sample && !set->mixed ? first : set->mixed ? NULL : first;
	return body[place] ? event_set_find(set, body[place]) : first;
}

static int decode_sample(const struct event_set *set, const uint64_t *body, size_t words,
			 struct event *ret, struct err *err)
{
	const struct event_desc *desc = find_desc(set, body, words, true);

	if (!desc)
		return err_set(err, -ENOENT, "sample of an unknown event");
	if (words < desc->plan.fixed_words)
		return err_set(err, -EBADMSG, "sample of %zu bytes is too short", words * 8);
	ret->type = EVENT_SAMPLE;
	ret->desc = desc;
	decode_fixed(desc, body, ret);
	if (!desc->plan.tail)
		return 0;
	if (perf_record_sample_tail(desc, body + desc->plan.fixed_words, body + words,
				    &ret->sample))
		return 0;
	return err_set(err, -EBADMSG, "sample: lengths exceed its %zu bytes", words * 8);
}

/* Decodes the trailer and returns the number of words before it. A record too short for one has
 * none. */
static size_t decode_trailer(const struct event_set *set, const uint64_t *body, size_t words,
			     struct event *ret)
{
	const struct event_desc *desc = find_desc(set, body, words, false);
	const struct perf_record_plan *plan = desc ? &desc->plan : NULL;
	const uint64_t *trailer;

	ret->desc = desc;
	if (!plan || !plan->trailer_words || words < plan->trailer_words)
		return words;
	trailer = body + words - plan->trailer_words;
	if (plan->trailer_tid >= 0) {
		ret->pid = low_half(trailer[plan->trailer_tid]);
		ret->tid = high_half(trailer[plan->trailer_tid]);
	}
	if (plan->trailer_time >= 0) {
		ret->has_time = true;
		ret->time_ns = trailer[plan->trailer_time];
	}
	if (plan->trailer_identifier >= 0)
		ret->id = trailer[plan->trailer_identifier];
	if (plan->trailer_id >= 0)
		ret->id = trailer[plan->trailer_id];
	if (plan->trailer_stream_id >= 0)
		ret->stream_id = trailer[plan->trailer_stream_id];
	if (plan->trailer_cpu >= 0)
		ret->cpu = low_half(trailer[plan->trailer_cpu]);
	return words - plan->trailer_words;
}

/* A NUL-terminated string from word `from` on. */
static bool get_string(const uint64_t *body, size_t words, size_t from, const char **ret)
{
	if (from >= words || !memchr(body + from, '\0', (words - from) * 8))
		return false;
	*ret = (const char *)(body + from);
	return true;
}

static void set_task(struct event *ret, uint64_t word)
{
	ret->pid = low_half(word);
	ret->tid = high_half(word);
}

static bool decode_mmap(const uint64_t *body, size_t words, struct event *ret)
{
	if (words < 5 || !get_string(body, words, 4, &ret->mmap.path))
		return false;
	ret->type = EVENT_MMAP;
	set_task(ret, body[0]);
	ret->mmap.start = body[1];
	ret->mmap.len = body[2];
	ret->mmap.pgoff = body[3];
	ret->mmap.prot = ret->misc & PERF_RECORD_MISC_MMAP_DATA ? PROT_READ : PROT_EXEC;
	return true;
}

/* Linux 3.12 to 3.15 wrote MMAP2 without protection and flags: their place holds the path, which
 * is no sensible protection. */
static size_t mmap2_path(const uint64_t *body, size_t words)
{
	return words > 7 && low_half(body[7]) > UINT16_MAX ? 7 : 8;
}

/* The bit is not proof: kernels up to 6.18 at least also set it in the records of a session that
 * did not ask for build ids while another one does, with device and inode in place as ever. */
static bool has_build_id(const struct event *event, const uint8_t *place)
{
	bool asked = event->desc && event->desc->attr.build_id;

	if (!(event->misc & MMAP_BUILD_ID_MISC) || place[0] == 0 || place[0] > BUILD_ID_MAX ||
	    place[1] || place[2] || place[3])
		return false;
	for (size_t i = place[0]; i < BUILD_ID_MAX; i++)
		if (place[4 + i])
			return false;
	return asked || place[0] >= 16; /* the lengths linkers make; a major number is small */
}

static bool decode_mmap2(const uint64_t *body, size_t words, struct event *ret)
{
	const uint8_t *place = (const uint8_t *)(body + 4);
	size_t path = mmap2_path(body, words);

	if (!get_string(body, words, path, &ret->mmap.path))
		return false;
	ret->type = EVENT_MMAP;
	set_task(ret, body[0]);
	ret->mmap.start = body[1];
	ret->mmap.len = body[2];
	ret->mmap.pgoff = body[3];
	if (has_build_id(ret, place)) {
		ret->mmap.build_id.len = place[0];
		memcpy(ret->mmap.build_id.bytes, place + 4, BUILD_ID_MAX);
	} else {
		ret->mmap.maj = low_half(body[4]);
		ret->mmap.min = high_half(body[4]);
		ret->mmap.ino = body[5];
		ret->mmap.ino_generation = body[6];
	}
	ret->mmap.prot = path == 8 ? low_half(body[7]) : PROT_EXEC;
	ret->mmap.flags = path == 8 ? high_half(body[7]) : 0;
	return true;
}

static bool decode_comm(const uint64_t *body, size_t words, struct event *ret)
{
	if (words < 2 || !get_string(body, words, 1, &ret->comm.name))
		return false;
	ret->type = EVENT_COMM;
	set_task(ret, body[0]);
	ret->comm.exec = ret->misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static bool decode_task(const uint64_t *body, size_t words, enum event_type type, struct event *ret)
{
	if (words < 3)
		return false;
	ret->type = type;
	ret->pid = low_half(body[0]);
	ret->tid = low_half(body[1]);
	ret->task.ppid = high_half(body[0]);
	ret->task.ptid = high_half(body[1]);
	if (!ret->has_time) {
		ret->has_time = body[2] != 0;
		ret->time_ns = body[2];
	}
	return true;
}

static bool decode_throttle(const uint64_t *body, size_t words, enum event_type type,
			    struct event *ret)
{
	if (words < 3)
		return false;
	ret->type = type;
	ret->id = body[1];
	ret->stream_id = body[2];
	if (!ret->has_time) {
		ret->has_time = true;
		ret->time_ns = body[0];
	}
	return true;
}

static bool decode_lost(const uint64_t *body, size_t words, struct event *ret)
{
	if (words < 2)
		return false;
	ret->type = EVENT_LOST;
	ret->id = body[0];
	ret->lost.count = body[1];
	return true;
}

static bool decode_lost_samples(const uint64_t *body, size_t words, struct event *ret)
{
	if (words < 1)
		return false;
	ret->type = EVENT_LOST_SAMPLES;
	ret->lost.count = body[0];
	return true;
}

static bool decode_switch(const uint64_t *body, size_t words, bool cpu_wide, struct event *ret)
{
	if (cpu_wide && words < 1)
		return false;
	ret->type = EVENT_SWITCH;
	ret->sched.out = ret->misc & PERF_RECORD_MISC_SWITCH_OUT;
	ret->sched.preempt = ret->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	ret->sched.cpu_wide = cpu_wide;
	ret->sched.other_pid = cpu_wide ? low_half(body[0]) : UINT32_MAX;
	ret->sched.other_tid = cpu_wide ? high_half(body[0]) : UINT32_MAX;
	return true;
}

static bool decode_namespaces(const uint64_t *body, size_t words, struct event *ret)
{
	const size_t item_words = sizeof(struct perf_ns_link_info) / 8;

	if (words < 2 || body[1] > (words - 2) / item_words)
		return false;
	ret->type = EVENT_NAMESPACES;
	set_task(ret, body[0]);
	ret->namespaces.count = body[1];
	ret->namespaces.item = (const struct perf_ns_link_info *)(body + 2);
	return true;
}

static bool decode_ksymbol(const uint64_t *body, size_t words, struct event *ret)
{
	uint16_t half[2];

	if (words < 3 || !get_string(body, words, 2, &ret->ksymbol.name))
		return false;
	ret->type = EVENT_KSYMBOL;
	memcpy(half, (const uint8_t *)body + 12, sizeof(half));
	ret->ksymbol.addr = body[0];
	ret->ksymbol.len = low_half(body[1]);
	ret->ksymbol.ksym_type = half[0];
	ret->ksymbol.flags = half[1];
	return true;
}

static bool decode_bpf(const uint64_t *body, size_t words, struct event *ret)
{
	uint16_t half[2];

	if (words < 2)
		return false;
	ret->type = EVENT_BPF;
	memcpy(half, body, sizeof(half));
	ret->bpf.type = half[0];
	ret->bpf.flags = half[1];
	ret->bpf.id = high_half(body[0]);
	memcpy(ret->bpf.tag, body + 1, sizeof(ret->bpf.tag));
	return true;
}

static bool decode_cgroup(const uint64_t *body, size_t words, struct event *ret)
{
	if (words < 2 || !get_string(body, words, 1, &ret->cgroup.path))
		return false;
	ret->type = EVENT_CGROUP;
	ret->cgroup.id = body[0];
	return true;
}

static bool decode_read(const uint64_t *body, size_t words, struct event *ret)
{
	if (words < 2)
		return false;
	ret->type = EVENT_READ;
	set_task(ret, body[0]);
	ret->read.values = body + 1;
	ret->read.len = (uint32_t)((words - 1) * 8);
	return true;
}

/* Every kind but samples; `words` is the body without the trailer. */
static bool decode_other(uint32_t type, const uint64_t *body, size_t words, struct event *ret)
{
	switch (type) {
	case PERF_RECORD_MMAP:
		return decode_mmap(body, words, ret);
	case PERF_RECORD_MMAP2:
		return decode_mmap2(body, words, ret);
	case PERF_RECORD_COMM:
		return decode_comm(body, words, ret);
	case PERF_RECORD_FORK:
		return decode_task(body, words, EVENT_FORK, ret);
	case PERF_RECORD_EXIT:
		return decode_task(body, words, EVENT_EXIT, ret);
	case PERF_RECORD_LOST:
		return decode_lost(body, words, ret);
	case PERF_RECORD_LOST_SAMPLES:
		return decode_lost_samples(body, words, ret);
	case PERF_RECORD_THROTTLE:
		return decode_throttle(body, words, EVENT_THROTTLE, ret);
	case PERF_RECORD_UNTHROTTLE:
		return decode_throttle(body, words, EVENT_UNTHROTTLE, ret);
	case PERF_RECORD_SWITCH:
		return decode_switch(body, words, false, ret);
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return decode_switch(body, words, true, ret);
	case PERF_RECORD_NAMESPACES:
		return decode_namespaces(body, words, ret);
	case PERF_RECORD_KSYMBOL:
		return decode_ksymbol(body, words, ret);
	case PERF_RECORD_BPF_EVENT:
		return decode_bpf(body, words, ret);
	case PERF_RECORD_CGROUP:
		return decode_cgroup(body, words, ret);
	case PERF_RECORD_READ:
		return decode_read(body, words, ret);
	default:
		return true; /* stays EVENT_UNKNOWN */
	}
}

int perf_record_decode(const struct event_set *set, const struct perf_event_header *header,
		       struct event *ret, struct err *err)
{
	const uint64_t *body = (const uint64_t *)(header + 1);
	size_t words;

	if (header->size < sizeof(*header))
		return err_set(err, -EBADMSG, "record of %u bytes", header->size);
	words = (header->size - sizeof(*header)) / 8;
	*ret = (struct event){ .misc = header->misc,
			       .pid = UINT32_MAX,
			       .tid = UINT32_MAX,
			       .cpu = UINT32_MAX,
			       .raw = header };
	if (header->type == PERF_RECORD_SAMPLE)
		return decode_sample(set, body, words, ret, err);
	words = decode_trailer(set, body, words, ret);
	if (!decode_other(header->type, body, words, ret))
		return err_set(err, -EBADMSG, "record of type %u: lengths exceed the record",
			       header->type);
	return 0;
}

const struct event_desc *perf_record_desc(const struct event_set *set,
					  const struct perf_event_header *header)
{
	if (header->size < sizeof(*header))
		return NULL;
	return find_desc(set, (const uint64_t *)(header + 1), (header->size - sizeof(*header)) / 8,
			 header->type == PERF_RECORD_SAMPLE);
}

bool perf_record_any_payload(const struct event_desc *desc, const struct perf_event_header *header,
			     const uint8_t **ret, uint32_t *ret_len)
{
	const uint64_t *body = (const uint64_t *)(header + 1);
	size_t words = (header->size - sizeof(*header)) / 8, fixed = desc->plan.fixed_words;
	struct event_sample sample = { 0 };

	if (header->size < sizeof(*header) || words < fixed ||
	    !perf_record_sample_tail(desc, body + fixed, body + words, &sample))
		return false;
	*ret = sample.raw;
	*ret_len = sample.raw_len;
	return true;
}

/* Records of kernels without sample_id_all: some carry a time in their body. */
static bool body_time(uint32_t type, const uint64_t *body, size_t words, uint64_t *ret_ns)
{
	if (words < 3)
		return false;
	if (type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT)
		*ret_ns = body[2];
	else if (type == PERF_RECORD_THROTTLE || type == PERF_RECORD_UNTHROTTLE)
		*ret_ns = body[0];
	else
		return false;
	return *ret_ns != 0;
}

bool perf_record_time(const struct event_set *set, const struct perf_event_header *header,
		      uint64_t *ret_ns)
{
	const uint64_t *body = (const uint64_t *)(header + 1);
	bool sample = header->type == PERF_RECORD_SAMPLE;
	const struct event_desc *desc;
	size_t words;
	int place;

	if (header->size < sizeof(*header))
		return false;
	words = (header->size - sizeof(*header)) / 8;
	if (!set->mixed && set->desc.count)
		desc = set->desc.item[0]; /* all have the same layout */
	else
		desc = find_desc(set, body, words, sample);
	if (!desc)
		return false;
	if (sample)
		place = desc->plan.time;
	else if (!desc->plan.trailer_words)
		return body_time(header->type, body, words, ret_ns);
	else
		place = desc->plan.trailer_time < 0
				? -1
				: (int)words - desc->plan.trailer_words + desc->plan.trailer_time;
	if (place < 0 || (size_t)place >= words)
		return false;
	*ret_ns = body[place];
	return true;
}
