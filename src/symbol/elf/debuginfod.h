/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Debug files from debuginfod servers (DEBUGINFOD_URLS), through libdebuginfod, which is loaded on
 * first use and has its own cache. Used only on request. A server cannot block the work: a request
 * without progress for the time limit is aborted and is the last one; all requests together get six
 * times the limit. */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

struct build_id;
struct debuginfod_session;
struct elf_file;
struct err;

/* Does not fail and does nothing yet. timeout_s 0 = 10. */
struct debuginfod_session *debuginfod_session_new(unsigned timeout_s);
void debuginfod_session_free(struct debuginfod_session *session); /* NULL is fine */

/* The debug file with a build id. Returns -ENOENT if no server has it; -ENOSYS without servers or
 * library; -ETIME if servers do not answer (then also for all later requests). Thread-safe. */
int debuginfod_session_open(struct debuginfod_session *session, const struct build_id *id,
			    struct elf_file **ret, struct err *err);

#endif
