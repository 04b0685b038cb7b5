/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes unwind tables in a child process, which has no privileges but those for reading
 * (base/sandbox.h) and little memory: binaries belong to others, and a flaw in their parsers must
 * not give away what the recorder may do. The fork server starts the child for the first table, and
 * again after one that ended it. For one thread at a time. */
#ifndef SESSION_UNWIND_TABLE_MAKER_H
#define SESSION_UNWIND_TABLE_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "event/event.h"

struct compact;
struct elf_file;
struct fork_server;
struct module;

struct table_maker {
	struct fork_server *server; /* NULL = there are no privileges to lose: no child is needed */
	int socket;		    /* -1 = there is no child */
	pid_t pid;
	bool unfiltered;      /* the kernel refused the filter of system calls */
	struct elf_file *elf; /* without a child: the open binary */
	bool drafted;	      /* of the open binary */
};

#define TABLE_MAKER_NONE(server) ((struct table_maker){ (server), .socket = -1 })

/* Opens the module's file. false = it cannot be opened; *failed: because the child ended. */
bool table_maker_open(struct table_maker *maker, const struct module *module,
		      struct build_id *ret_key, bool *failed);
/* Its table, marked with the key, and the CPU time that this took; NULL = it needs too much. The
 * first call may return a draft (COMPACT_DRAFT); the table is made by the next one. */
struct compact *table_maker_build(struct table_maker *maker, const struct build_id *key,
				  uint64_t *ret_ns);
/* No table is needed, or none but the draft. Either this or build() ends each open() that
 * succeeded. */
void table_maker_skip(struct table_maker *maker);
/* Ends the child. */
void table_maker_close(struct table_maker *maker);

#endif
