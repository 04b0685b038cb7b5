/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the file a module was mapped from — the same bytes, not merely the same path. Tries the
 * path, the process's root and its map_files link (containers, deleted files, memfds), then perf's
 * build-id cache. A file whose build id differs from the recorded one is never accepted; without a
 * recorded id, device and inode decide, and a file that only has the right path comes last. */
#ifndef PROC_MODULE_FILE_H
#define PROC_MODULE_FILE_H

#include <stdbool.h>

struct elf_file;
struct err;
struct module;

/* The ELF file of a MODULE_FILE module. symfs: prefix for files instead of the live system's; "" or
 * NULL = none. *doubtful tells that nothing but the path speaks for it. On failure err says
 * why in words for the user ("no such file", "build id differs: file changed since recording"). */
int module_file_open(const struct module *module, const char *symfs, struct elf_file **ret,
		     bool *doubtful, struct err *err);

/* The file of a module that module->pid has mapped at this moment, for which "the right path" is
 * not enough: a container's library must not be taken for the host's. The inode decides, since the
 * devices that maps and stat(2) name differ on some file systems (overlayfs, btrfs). */
int module_file_open_mapped(const struct module *module, struct elf_file **ret, struct err *err);

#endif
