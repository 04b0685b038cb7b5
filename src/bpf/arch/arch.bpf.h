/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU that the programs are for: how to read a task's registers. */
#ifndef BPF_ARCH_ARCH_BPF_H
#define BPF_ARCH_ARCH_BPF_H

#if defined(__TARGET_ARCH_x86)
#include "bpf/arch/x86_64.bpf.h"
#elif defined(__TARGET_ARCH_arm64)
#include "bpf/arch/aarch64.bpf.h"
#else
#error "add src/bpf/arch/<cpu>.bpf.h"
#endif

#endif
