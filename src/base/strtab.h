/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interned strings. Ids are dense, start at 0 (the empty string) and stay valid until
 * strtab_free(), as do the pointers. Not thread-safe for writing. Every string is tidied
 * (text_tidy() in base/buf.h) to fit on one line of a terminal. */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint32_t v;
} string_id;

#define STRING_EMPTY ((string_id){ 0 })

struct strtab;

struct strtab *strtab_new(void);
string_id strtab_intern(struct strtab *tab, const char *s, size_t len);
string_id strtab_puts(struct strtab *tab, const char *s);
const char *strtab_get(const struct strtab *tab, string_id id); /* borrowed */
size_t strtab_len(const struct strtab *tab, string_id id);	/* strlen of it */
size_t strtab_count(const struct strtab *tab);
void strtab_free(struct strtab *tab);

#endif
