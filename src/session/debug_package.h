/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The package that brings a file's debug symbols, where dpkg manages the files. */
#ifndef SESSION_DEBUG_PACKAGE_H
#define SESSION_DEBUG_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

struct profile;

#define DEBUG_PACKAGE_LISTS "/var/lib/dpkg/info"

/* Finds the owner of `path` in the lists of a folder (PACKAGE.list, PACKAGE:ARCHITECTURE.list), and
 * returns the usual name of its debug package; false: no package has the file. */
bool debug_package_find(const char *folder, const char *path, char *ret, size_t size);
/* Gives the module that lacks most symbols its package as remedy, if it is a stripped file that a
 * package of the lists owns. */
void debug_package_advise(struct profile *profile, const char *folder);

#endif
