/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of stored samples: names and values, {service="web", host="a"}. Sorted by name, each name
 * once; a label with an empty value is the same as none. Names are [a-zA-Z_][a-zA-Z0-9_.]*, values
 * are any text (made printable, at most LABEL_VALUE_MAX bytes). */
#ifndef STORE_LABEL_SET_H
#define STORE_LABEL_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct buf;
struct err;

#define LABEL_NAME_MAX	64
#define LABEL_VALUE_MAX 1024
#define LABELS_MAX	64

struct label {
	char *name, *value; /* owned by the set */
};

/* Zero-initialise. */
struct label_set {
	VEC(struct label) labels;
};

bool label_name_is_valid(const char *name, size_t len);
/* Adds or replaces; an empty value removes. A longer value is cut, further labels than LABELS_MAX
 * and invalid names are refused: false. */
bool label_set_put(struct label_set *set, const char *name, const char *value);
/* "name=value", as on the command line; fails with err_usage(). */
int label_set_put_text(struct label_set *set, const char *text, struct err *err);
void label_set_put_all(struct label_set *set, const struct label_set *from);
/* "" if it has none. */
const char *label_set_get(const struct label_set *set, const char *name);
/* {a="x", b="y"}: a selector that finds it. */
void label_set_text(const struct label_set *set, struct buf *ret);
void label_set_clear(struct label_set *set); /* it can be used again */
void label_set_done(struct label_set *set);

#endif
