/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what the flight recorder holds as a recording of its own. */
#ifndef SESSION_AGENT_AGENT_DUMP_H
#define SESSION_AGENT_AGENT_DUMP_H

struct err;
struct fork_server;
struct live;

#define AGENT_DUMP_PATH 4096

struct agent_dump_from {
	struct live *live;
	struct fork_server *forks; /* to start the process that copies */
};

/* FOLDER/flight-TIME-REASON.data, with build ids; the folder is made. ret: its path, with room for
 * AGENT_DUMP_PATH bytes. */
int agent_dump(const struct agent_dump_from *from, const char *folder, const char *reason,
	       char *ret, struct err *err);

#endif
