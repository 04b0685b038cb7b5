/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's configuration: a line each, # begins a comment.
 *
 *     label NAME=VALUE              of all samples
 *     rule {SELECTOR} NAME=VALUE    of processes with these labels; later rules see earlier ones'
 *     deny {SELECTOR}               their processes are not stored (their time is, as "[denied]")
 */
#ifndef SESSION_AGENT_CONFIG_H
#define SESSION_AGENT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "store/label_set.h"

struct err;
struct selector;

struct agent_rule {
	struct selector *selector;
	char *label; /* NAME=VALUE; NULL: deny */
};

struct agent_config {
	struct label_set labels;
	VEC(struct agent_rule) rules;
};

/* `name` is for messages, which have the number of the line. */
int agent_config_parse(const char *name, const char *text, struct agent_config *ret,
		       struct err *err);
/* A missing file is an error. */
int agent_config_read(const char *path, struct agent_config *ret, struct err *err);
/* Adds what the rules say. False: such a process is not to be stored. */
bool agent_config_apply(const struct agent_config *config, struct label_set *labels);
void agent_config_done(struct agent_config *config);

#endif
