/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user half of bpf/cpu.h: the tree of stacks that the kernel part refers to, and the samples
 * that come out of its records. The kernel is trusted, yet sizes are checked: a mistake of ours
 * must not become a memory error. Used from one thread. */
#ifndef SOURCE_BPF_BPF_STACKS_H
#define SOURCE_BPF_BPF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_stacks;
struct err;
struct event_set;
struct sink;

struct bpf_stacks_options {
	const struct event_set *events;
	uint64_t seed;
	bool many_events;     /* samples contain their event */
	bool with_ip;	      /* samples contain their ip, because kernel frames are left out */
	bool with_payload;    /* samples contain bytes of their program, as event_sample.raw */
	bool payload_is_addr; /* they are a word, as event_sample.addr instead */
	uint32_t max_nodes;   /* that the tree may grow to before it starts anew; 0 = usual */
	uint64_t *seen; /* the kernel part's table, to be cleared for a new start; may be NULL */
};

struct bpf_stacks_stats {
	uint64_t bytes;	     /* of all records, with the ring's own header */
	uint64_t samples;    /* delivered */
	uint64_t unresolved; /* dropped, because the nodes they refer to never arrived */
};

struct bpf_stacks *bpf_stacks_new(const struct bpf_stacks_options *options);
void bpf_stacks_free(struct bpf_stacks *stacks); /* NULL is fine */

struct bpf_stacks_record {
	int cpu; /* of the ring */
	const void *data;
	size_t len;
};

/* Delivers an EVENT_SAMPLE (nothing for a definition), at once or after the record that this one
 * refers to. Its chain ends with the stop reason (event/stop.h). One that user space must unwind
 * has user registers and stack bytes, and the kernel's part as chain. */
int bpf_stacks_take(struct bpf_stacks *stacks, const struct bpf_stacks_record *record,
		    struct sink *sink, struct err *err);
/* All rings were read once. */
int bpf_stacks_round(struct bpf_stacks *stacks, struct sink *sink, struct err *err);
const struct bpf_stacks_stats *bpf_stacks_stats(const struct bpf_stacks *stacks);

#endif
