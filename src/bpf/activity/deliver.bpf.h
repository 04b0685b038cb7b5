/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an activity goes to user space (event/activity.h): one by one through a ring, or added up in
 * a map by the fields that the tool chose. The rules are constants, so that the verifier drops what
 * a tool does not need. */
#ifndef BPF_ACTIVITY_DELIVER_BPF_H
#define BPF_ACTIVITY_DELIVER_BPF_H

#include "bpf/activity/making.bpf.h"
#include "bpf/log2.h"

static __always_inline void add_in(void *map, struct making *making)
{
	static const struct activity_sum empty;
	const struct activity *from = &making->activity;
	struct activity_sum *sum = bpf_map_lookup_elem(map, &making->key);

	if (!sum) {
		(void)bpf_map_update_elem(map, &making->key, &empty, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, &making->key);
	}
	if (!sum) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	__sync_fetch_and_add(&sum->count, 1);
	__sync_fetch_and_add(&sum->ns, from->ns);
	for (__u32 i = 0; i < ACTIVITY_NUMBERS; i++)
		if (rules.summed >> i & 1 && from->number[i])
			__sync_fetch_and_add(&sum->number[i], from->number[i]);
}

static __always_inline __u32 bucket_of(const struct activity *from)
{
	__u64 value = from->ns;

	if (rules.distribution >= ACTIVITY_OF_NUMBER)
		value = from->number[(rules.distribution - ACTIVITY_OF_NUMBER) &
				     (ACTIVITY_NUMBERS - 1)];
	return log2_of(rules.unit > 1 ? value / rules.unit : value);
}

static __always_inline void choose_text(struct activity_key *key, const struct activity *from)
{
	__u64 len = from->text_len;

	__builtin_memset(key->text, 0, sizeof(key->text));
	__asm__ volatile("" : "+r"(len));
	if (len > ACTIVITY_KEY_TEXT)
		len = ACTIVITY_KEY_TEXT;
	__asm__ volatile("" : "+r"(len));
	(void)bpf_probe_read_kernel(key->text, len, from->text);
}

SUBPROGRAM int choose_key(struct making *making)
{
	struct activity_key *key;
	const struct activity *from;

	if (!making)
		return 0;
	key = &making->key;
	from = &making->activity;
	__builtin_memset(key, 0, offsetof(struct activity_key, text));
	for (__u32 i = 0; i < ACTIVITY_NUMBERS; i++)
		if (rules.by >> i & 1)
			key->number[i] = from->number[i];
	if (rules.by & ACTIVITY_BY_PID)
		key->pid = from->pid;
	if (rules.by & ACTIVITY_BY_TID)
		key->tid = from->tid;
	if (rules.by & ACTIVITY_BY_OPERATION)
		key->operation = from->operation;
	if (rules.by & ACTIVITY_BY_COMM)
		__builtin_memcpy(key->comm, from->comm, sizeof(key->comm));
	if (rules.distribution)
		key->bucket = bucket_of(from);
	if (rules.by & ACTIVITY_BY_TEXT)
		choose_text(key, from);
	return 0;
}

/* Of the innermost one. Before Linux 6.5 a function that is verified by itself cannot use memory
 * that it is given as a key, so it looks the map up. */
SUBPROGRAM int send_or_add(void)
{
	const __u32 zero = 0;
	struct scratch *here = bpf_map_lookup_elem(&scratch, &zero);
	struct making *making;
	__u64 len, place;

	if (!here)
		return 0;
	place = here->depth - 1;
	__asm__ volatile("" : "+r"(place));
	if (place >= NESTED)
		return 0;
	making = &here->making[place];
	if (making->activity.ns < rules.min_ns)
		return 0;
	if (rules.sums) {
		(void)choose_key(making);
		if (odd_turn)
			add_in(&odd_sums, making);
		else
			add_in(&sums, making);
		return 0;
	}
	len = making->activity.text_len;
	__asm__ volatile("" : "+r"(len));
	if (len > ACTIVITY_TEXT)
		len = ACTIVITY_TEXT;
	__asm__ volatile("" : "+r"(len));
	if (bpf_ringbuf_output(&activities, &making->activity,
			       offsetof(struct activity, text) + len, 0))
		__sync_fetch_and_add(&lost, 1);
	return 0;
}

/* What begin_activity() gave, finished. Gives it back. */
static __always_inline int deliver(const struct activity *activity)
{
	(void)activity; /* it is the innermost one */
	(void)send_or_add();
	give_back();
	return 0;
}

#endif
