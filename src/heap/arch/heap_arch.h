/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the libraries that stand before an allocator need to know about the CPU. */
#ifndef HEAP_ARCH_HEAP_ARCH_H
#define HEAP_ARCH_HEAP_ARCH_H

#if defined(__x86_64__)
#include "heap/arch/x86_64.h"
#elif defined(__aarch64__)
#include "heap/arch/aarch64.h"
#else
#error "add src/heap/arch/<cpu>.h"
#endif

#endif
