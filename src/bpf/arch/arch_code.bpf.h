/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU that the programs are for: what its instructions mean to a walk. */
#ifndef BPF_ARCH_ARCH_CODE_BPF_H
#define BPF_ARCH_ARCH_CODE_BPF_H

#if defined(__TARGET_ARCH_x86)
#include "bpf/arch/x86_64_code.bpf.h"
#elif defined(__TARGET_ARCH_arm64)
#include "bpf/arch/aarch64_code.bpf.h"
#else
#error "add src/bpf/arch/<cpu>_code.bpf.h"
#endif

#endif
