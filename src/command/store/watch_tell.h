/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where findings of cupel watch go besides standard output: appended to a file, posted to an
 * address, and into the file that remembers them. */
#ifndef COMMAND_STORE_WATCH_TELL_H
#define COMMAND_STORE_WATCH_TELL_H

struct err;

struct watch_tell {
	const char *append, *post, *state; /* NULL = not */
};

/* What a round found: text for people, a JSON object per line, lines for the state. */
struct watch_round {
	const char *text, *json, *known;
};

/* Does nothing without findings (json is ""). The state is written last, so what could not be sent
 * is sent the next time. */
int watch_tell(const struct watch_tell *where, const struct watch_round *round, struct err *err);

#endif
