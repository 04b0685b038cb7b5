/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of the running kernel: /proc/kcore, an ELF core file. Addresses of its segments are
 * the kernel's. Only root can open it, so open it before entering a sandbox. Format:
 * fs/proc/kcore.c of the kernel. Immutable after open. */
#ifndef SYMBOL_KCORE_H
#define SYMBOL_KCORE_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct kcore;

struct kcore_bytes {
	uint8_t *data;
	size_t len;
};

/* path NULL = /proc/kcore. Always returns an object; if the file cannot be read, kcore_read() says
 * why. */
struct kcore *kcore_open(const char *path);
void kcore_close(struct kcore *kcore); /* NULL is fine */

uint16_t kcore_machine(const struct kcore *kcore); /* EM_* */
/* The bytes of a range of addresses, as many as one segment has; free() the data. */
int kcore_read(const struct kcore *kcore, uint64_t start, uint64_t end, struct kcore_bytes *ret,
	       struct err *err);

#endif
