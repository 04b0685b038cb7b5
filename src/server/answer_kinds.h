/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers that answer.c chooses from. Each sets type, download and body of the reply. */
#ifndef SERVER_ANSWER_KINDS_H
#define SERVER_ANSWER_KINDS_H

struct err;
struct question_place;
struct reply;
struct request;

typedef int answer_kind(const struct request *request, const struct question_place *place,
			struct reply *reply, struct err *err);

answer_kind answer_labels, answer_timeline, answer_functions, answer_unknown;
answer_kind answer_flame, answer_diff, answer_export;

#endif
