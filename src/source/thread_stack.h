/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack of a thread that sleeps, read from its process's memory. */
#ifndef SOURCE_THREAD_STACK_H
#define SOURCE_THREAD_STACK_H

#include <stddef.h>
#include <stdint.h>

#define THREAD_STACK_MOST (32u << 10) /* bytes */

/* Reads the stack from `sp` up to `top`, or as much as can be read, into room for
 * THREAD_STACK_MOST bytes. Returns the bytes; 0 = it cannot be read, or the thread has not been at
 * one place all the time. */
size_t thread_stack_read(uint32_t pid, uint32_t tid, uint64_t sp, uint64_t top, uint8_t *ret);

#endif
