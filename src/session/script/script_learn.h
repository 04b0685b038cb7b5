/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program's name comes before its path in a recording, so that all paths are read before the
 * first event is printed with pseudonyms. */
#ifndef SESSION_SCRIPT_SCRIPT_LEARN_H
#define SESSION_SCRIPT_SCRIPT_LEARN_H

struct err;
struct recording;
struct redaction;

/* `base` is not read itself: open it again (recording_again()). */
int script_learn(struct recording *base, struct redaction *redaction, struct err *err);

#endif
