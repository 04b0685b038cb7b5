/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits the memory of a process that reads untrusted files to 64 MB plus 16 times the size of its
 * inputs on disk. The kernel enforces it (RLIMIT_DATA), so allocators, libraries and thread stacks
 * count. Each opened input must be reported here; the first one sets the limit, the others raise
 * it.
 *
 * Inputs do not determine what a recorder needs: it has a fixed limit. Its children that read
 * binaries have the same, enforced by the kernel. The recorder itself must go on: it asks
 * memory_limit_full() before it keeps more of what programs may make as large as they like, and
 * counts what it leaves out. Thread-safe. */
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct stat;

/* Sanitizers reserve terabytes of data, so there is no limit with them. */
#ifndef __has_feature /* gcc has the macro below instead */
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define MEMORY_LIMIT_METERED false
#else
#define MEMORY_LIMIT_METERED true
#endif

#define MEMORY_LIMIT_LEAST    ((uint64_t)64 << 20)
#define MEMORY_LIMIT_FACTOR   16
#define MEMORY_LIMIT_RECORDER ((uint64_t)256 << 20)

/* No limit in this process: the user trusts the inputs. */
void memory_limit_trust(void);
bool memory_limit_trusted(void);
/* This process records, with so much memory at most; 0: MEMORY_LIMIT_RECORDER. */
void memory_limit_record(uint64_t bytes);
/* What that was set to. */
uint64_t memory_limit_recorder(void);
/* Whether a recorder has as much as it may. The kernel is asked now and then only. */
bool memory_limit_full(void);
/* Starts the limit for an input, in a process with so many threads. The error message prints name
 * unchanged: tidy it first. */
void memory_limit_begin(const char *name, unsigned threads);
/* Starts a limit of memory_limit_recorder() for a recorder's child that reads binaries. */
void memory_limit_child(void);
/* Reports bytes of input, on disk or from a pipe. Nothing happens before memory_limit_begin(). */
void memory_limit_input(uint64_t bytes);
/* All that was reported so far. */
uint64_t memory_limit_inputs(void);
/* Bytes that a regular file takes on disk, at most its size. */
uint64_t memory_limit_disk_bytes(int fd, const struct stat *st);
/* -EFBIG when the file claims far more bytes than it has on disk. */
int memory_limit_check(int fd, const struct stat *st, struct err *err);
/* Most bytes that packed data may become. */
uint64_t memory_limit_unpacked(uint64_t packed_bytes);
/* What the kernel counts of this process; 0 = not known. */
uint64_t memory_limit_used(void);
/* Bytes that may still be allocated, at least 1; 0 = there is no limit. */
uint64_t memory_limit_left(void);
/* Called before that exit; NULL = nothing. */
void memory_limit_at_end(void (*end)(void));
/* Reports that the limit was reached and exits. Returns if there is no limit. */
void memory_limit_reached(void);

#endif
