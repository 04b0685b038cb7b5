/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are not counted here or cannot be more than 0, and why: a line for each reason. */
#ifndef SESSION_STAT_NOTES_H
#define SESSION_STAT_NOTES_H

#include <stddef.h>

struct counter_set;

/* What has no room is cut off. */
void stat_notes(const struct counter_set *set, char *ret, size_t room);

#endif
