/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins samples that perf took with their user stacks, which a BPF program behind perf walked
 * (bpf/sample_stack.bpf.c). Both come from one CPU in the order of time, but through two rings, and
 * either may be missing: perf may have had no room, or the program. So a stack says between which
 * times perf wrote its sample, and belongs to the last one of that thread in there, and to what
 * other events made of the same hit. A sample is never given another one's stack. Used from one
 * thread. */
#ifndef SOURCE_BPF_STACK_JOIN_H
#define SOURCE_BPF_STACK_JOIN_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct event;
struct event_set;
struct perf_event_header;
struct sink;
struct stack_join;

/* events must outlive it. */
struct stack_join *stack_join_new(const struct event_set *events);
void stack_join_free(struct stack_join *join); /* NULL is fine */
/* A sample as it came: kernel frames, no user stack. Copied. */
void stack_join_sample(struct stack_join *join, const struct perf_event_header *header);
/* A stack, as bpf_stacks delivers it: its payload is the beginning of its time. Copied. */
void stack_join_stack(struct stack_join *join, const struct event *stack);
/* All rings were read once: delivers samples with their stacks, and those of the round before that
 * have none with STACK_STOP_NOT_TAKEN. last: those of this round too. */
int stack_join_round(struct stack_join *join, bool last, struct sink *to, struct err *err);
/* Samples delivered without their stack so far. */
uint64_t stack_join_missing(const struct stack_join *join);

#endif
