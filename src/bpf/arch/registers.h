/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct pt_regs, the user registers of a task, and how many of them a sample carries. User space
 * includes it too. */
#ifndef BPF_ARCH_REGISTERS_H
#define BPF_ARCH_REGISTERS_H

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#include "bpf/arch/x86_64_registers.h"
#elif defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#include "bpf/arch/aarch64_registers.h"
#else
#error "add src/bpf/arch/<cpu>_registers.h"
#endif

#endif
