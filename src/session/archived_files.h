/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The binaries in an archive, for whatever opens those of modules (proc/module_bundle.h). */
#ifndef SESSION_ARCHIVED_FILES_H
#define SESSION_ARCHIVED_FILES_H

struct module_bundle;
struct tar;

/* The tar is borrowed. */
void archived_files_init(struct module_bundle *ret, const struct tar *tar);

#endif
