/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the file that a module was mapped from: the same bytes, not only the same path. Tries the
 * path, the process's root and map_files (containers, deleted files, memfds), then perf's build-id
 * cache. Never accepts a file with another build id than the recorded one; without a recorded id,
 * compares device and inode, and uses a file with the same path as the last resort. */
#ifndef PROC_MODULE_FILE_H
#define PROC_MODULE_FILE_H

#include <stdbool.h>

struct elf_file;
struct err;
struct module;

/* Opens the ELF file of a MODULE_FILE module. symfs: prefix for files instead of the live system's;
 * "" or NULL: none. Sets *doubtful if only the path matches. On failure err has a reason for the
 * user ("no such file", "build id differs: file changed since recording"). */
int module_file_open(const struct module *module, const char *symfs, struct elf_file **ret,
		     bool *doubtful, struct err *err);

/* The file of a module that module->pid has mapped now. The path alone is not enough: a
 * container's library is not the host's. The inode decides, since the devices that maps and
 * stat(2) name differ on some file systems (overlayfs, btrfs). */
int module_file_open_mapped(const struct module *module, struct elf_file **ret, struct err *err);

#endif
