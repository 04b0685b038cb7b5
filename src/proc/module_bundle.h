/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binaries that came with a recording (session/archived_files.h), which are looked at before any
 * file of this machine, or that a recorder has open (session/record/record_files.h). */
#ifndef PROC_MODULE_BUNDLE_H
#define PROC_MODULE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build_id;

struct bundled_file {
	const uint8_t *data; /* valid as long as the recording is read; NULL = not there */
	size_t len;
};

struct module_bundle {
	/* A binary ("elf") or its debug file ("debug"), by build id; without one by path,
	 * with the only build id that the path has there.
	 * Thread-safe. */
	struct bundled_file (*find)(const struct module_bundle *bundle, const struct build_id *id,
				    const char *path, const char *file);
	const void *context;
	bool last; /* behind files of this machine that prove to be the module's */
};

#endif
