/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bpf/slow_calls.bpf.c shares with user space. */
#ifndef BPF_SLOW_CALLS_H
#define BPF_SLOW_CALLS_H

#define SLOW_CALLS_MAX 16u /* stacks that can be asked for; a power of two */

#endif
