/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers to questions about a store, by the functions that `cupel query` has:
 *
 *     /api/labels /api/timeline /api/functions /api/unknown    JSON
 *     /flame /diff                                             pages with the viewer
 *     /export?format=NAME                                      a file in any format
 *
 * They run in a process of their own (worker.h). */
#ifndef SERVER_ANSWER_H
#define SERVER_ANSWER_H

#include <stdbool.h>

struct err;
struct question_place;
struct reply;
struct request;

/* Whether there is such a path. */
bool answer_knows(const char *path);
/* Errors become replies. */
void answer(const char *target, const struct question_place *place, struct reply *reply);

#endif
