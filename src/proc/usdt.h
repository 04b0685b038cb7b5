/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static probes of a binary (USDT, SDT): the notes in .note.stapsdt. Format:
 * https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation */
#ifndef PROC_USDT_H
#define PROC_USDT_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct elf_file;

#define USDT_MAX_PROBES 65536 /* further ones are ignored */

struct usdt_probe {
	const char *provider, *name, *arguments; /* in the data */
	uint64_t address;   /* linked; of several places with one name, this one */
	uint64_t semaphore; /* 0 = none */
};

struct usdt_list {
	VEC(struct usdt_probe) probe;
	size_t malformed; /* notes that were skipped */
};

/* The probes of a binary; the strings are in its file. */
void usdt_read(const struct elf_file *elf, struct usdt_list *ret);
/* The notes of such a section. `shape` gives byte order and class. */
void usdt_parse(const struct elf_file *shape, const uint8_t *data, size_t len,
		struct usdt_list *ret);
void usdt_done(struct usdt_list *list);

#endif
