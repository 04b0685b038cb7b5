/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of locks by their addresses: a program's variables from the symbols of its files, with the
 * offset into them, and the kernel's from kallsyms. */
#ifndef SESSION_LOCK_LOCK_NAMES_H
#define SESSION_LOCK_LOCK_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/strtab.h"

struct buf;
struct capture;
struct lock_namer;
struct lock_table;
struct proc_table;
struct profile;
struct profile_object;
struct strtab;

/* Puts the locks of a profile's samples of lock-wait, with the names of their variables, into
 * profile->objects; other locks get an empty name. It reads binaries. `symfs`: "" = none. capture:
 * of the loaded recording, from load_options.capture. */
void lock_names_keep(struct profile *profile, const struct capture *capture, const char *symfs);
/* Names the rows by those, and by the running kernel's variables. */
void lock_names_find(struct lock_table *table, struct profile *profile);

/* Puts names of variables one by one, and nothing where there is none. What it has read of binaries
 * is kept until the end. */
struct lock_namer *lock_namer_new(struct proc_table *procs, const char *symfs);
void lock_namer_put(struct lock_namer *namer, uint32_t pid, uint64_t address, struct buf *ret);
void lock_namer_free(struct lock_namer *namer);

/* Names objects by the variables of their processes, as lock_names_keep() does. */
void lock_names_user(struct proc_table *procs, const char *symfs, struct strtab *strings,
		     struct profile_object *item, size_t count);
/* The running kernel's variables at addresses; empty = none. */
void lock_names_kernel(struct strtab *strings, const uint64_t *address, size_t count,
		       string_id *ret);

#endif
