/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A limit for the memory of a process that reads what others wrote: 64 MB and 16 times the bytes
 * that its inputs take on disk. The kernel meters it (RLIMIT_DATA), so allocators, libraries and
 * stacks of threads all count. Whoever opens an input says so here; the first one puts the limit
 * in place, each further one raises it. What recorders need does not come from inputs: they have
 * no such limit. Thread-safe. */
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct stat;

/* Sanitizers reserve terabytes of data: with them nothing is metered. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY_LIMIT_METERED false
#else
#define MEMORY_LIMIT_METERED true
#endif

#define MEMORY_LIMIT_LEAST  ((uint64_t)64 << 20)
#define MEMORY_LIMIT_FACTOR 16

/* No limit in this process: the user trusts the inputs. */
void memory_limit_trust(void);
/* The limit begins, for an input of that name, which a refusal prints as it is (tidy it first), in
 * a process of so many threads. */
void memory_limit_begin(const char *name, unsigned threads);
/* So many bytes of input were found on disk, or came through a pipe. Nothing happens before
 * memory_limit_begin(). */
void memory_limit_input(uint64_t bytes);
/* Bytes that a regular file takes on disk, at most its size. */
uint64_t memory_limit_disk_bytes(const struct stat *st);
/* -EFBIG when the file claims far more bytes than it has on disk. */
int memory_limit_check(const struct stat *st, struct err *err);
/* Most bytes that packed data may become. */
uint64_t memory_limit_unpacked(uint64_t packed_bytes);
/* Says that the limit is reached and ends the process. Returns when there is no limit. */
void memory_limit_reached(void);

#endif
