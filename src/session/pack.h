/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs a recording with what another machine needs to show it as this one does
 * (format/archive/archive.h). */
#ifndef SESSION_PACK_H
#define SESSION_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_writer;
struct err;
struct recording;

struct pack_options {
	bool binaries; /* whole binaries, their debug files and the kernel's symbols as well */
};

struct pack_tally {
	size_t modules, jit_files, binaries;
	size_t missing; /* binaries that are not here, or are others by now */
	uint64_t recording_bytes, name_bytes, binary_bytes;
	bool stacks; /* samples hold copied stacks, so binaries were packed for their unwinding */
};

/* Reads the recording once; it must not have been read before. */
int pack_recording(struct recording *recording, const struct pack_options *options,
		   struct archive_writer *writer, struct pack_tally *ret, struct err *err);

#endif
