/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules of a profile: as the recording has them, and in lists of options. Private to
 * session/annotate. */
#ifndef SESSION_ANNOTATE_MODULE_H
#define SESSION_ANNOTATE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct module;
struct profile;

/* The recording's module with the path and build id of the profile's; NULL = none. */
const struct module *annotate_find_module(const struct capture *capture,
					  const struct profile *profile, uint32_t number);
/* Whether a list of names or paths, with commas between them, has it; list NULL = yes. */
bool annotate_is_listed(const struct profile *profile, uint32_t number, const char *list);

#endif
