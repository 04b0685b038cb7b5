/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GNU build id of a file or of the running kernel, read with a few small reads and without
 * mapping or parsing the whole file (proc/elf_file.h does that). Everything in the file is
 * checked. */
#ifndef PROC_BUILD_ID_H
#define PROC_BUILD_ID_H

#include <stdbool.h>

struct build_id;

/* Returns false if the file has none or is not an ELF file. Does not move the offset of fd. */
bool build_id_read_fd(int fd, struct build_id *ret);
/* Only regular files are opened. */
bool build_id_read_file(const char *path, struct build_id *ret);
/* Of the running kernel, from ROOT/sys/kernel/notes; of a kernel module when `module` is not NULL.
 */
bool build_id_read_kernel(const char *root, const char *module, struct build_id *ret);

#endif
