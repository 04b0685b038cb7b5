/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of kernel types that our programs read, written by hand so that building needs neither
 * a vmlinux.h nor the BTF of the building machine. Only names and types of members count: libbpf
 * looks their offsets up in the running kernel when it loads a program (CO-RE). */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include <linux/types.h>

#include <linux/bpf.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	int pid;  /* what user space calls the thread id */
	int tgid; /* what user space calls the process id */
};

#pragma clang attribute pop

#endif
