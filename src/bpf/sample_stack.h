/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between bpf/sample_stack.bpf.c and source/bpf/bpf_sample_stacks.c, besides the
 * records of bpf/cpu.h. The payload of one is a word: perf wrote the sample that the stack belongs
 * to after that time, and before the record's own. */
#ifndef BPF_SAMPLE_STACK_H
#define BPF_SAMPLE_STACK_H

#define SAMPLE_STACK_RINGS 2u /* of perf, for each CPU */

#endif
