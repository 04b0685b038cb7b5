/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of processes: uid, cgroup, unit, container, build (of the main binary), service, and what
 * the configuration's rules add. Looked up in /proc when a process is first seen, and inherited
 * from the parent for one that had ended by then. Safe for two threads. */
#ifndef SESSION_AGENT_LABELS_H
#define SESSION_AGENT_LABELS_H

#include <stddef.h>
#include <stdint.h>

struct agent_config;
struct agent_labels;
struct label_set;

/* root: prefix of /proc, "" on a live system. The configuration is borrowed. */
struct agent_labels *agent_labels_new(const char *root, const struct agent_config *config);
void agent_labels_free(struct agent_labels *labels); /* NULL is fine */
/* comm: the present name; another one than before is another program. */
void agent_labels_see(struct agent_labels *labels, uint32_t pid, const char *comm);
/* parent 0: it runs another program from now on. */
void agent_labels_fork(struct agent_labels *labels, uint32_t pid, uint32_t parent);
/* Copies the labels of a process; none if it was never seen. */
void agent_labels_get(struct agent_labels *labels, uint32_t pid, struct label_set *ret);
/* Forgets processes that were not seen since the time before the last time. */
void agent_labels_forget(struct agent_labels *labels);
size_t agent_labels_count(struct agent_labels *labels);

/* cgroup, unit, container and service of the path of a cgroup, as in /proc/PID/cgroup. */
void agent_labels_of_cgroup(const char *path, struct label_set *ret);

#endif
