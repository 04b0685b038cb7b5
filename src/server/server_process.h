/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server until a signal ends it: in this process, or in one of its own beside an agent, which
 * ends with it. */
#ifndef SERVER_SERVER_PROCESS_H
#define SERVER_SERVER_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

struct err;
struct server_options;

/* duration_ns 0 = until a signal. */
int server_process_run(const struct server_options *options, uint64_t duration_ns, struct err *err);
/* Call it before starting threads. Returns when the server listens, or why it does not. */
int server_process_start(const struct server_options *options, pid_t *ret, struct err *err);
void server_process_end(pid_t pid);

#endif
