/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of C++ chosen among those of one name by the types of their parameters:
 * "ns::f(char const*, int)". Blanks do not count, `const char *` is `char const*`, std::string
 * stands for what it is. */
#ifndef SESSION_PROBE_PROBE_SIGNATURE_H
#define SESSION_PROBE_PROBE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct elf_function;
struct elf_functions;
struct err;

/* Whether a symbol has that name, or matches that glob; mangled ones as shown, too. demangled:
 * consider those. */
bool probe_name_matches(const char *symbol, const char *wanted, bool demangled);
/* Whether types of parameters are behind the name. */
bool probe_has_signature(const char *wanted);
/* Whether the symbol is that function. One that is `const` or a clone is meant as well, unless more
 * is behind the parameters. */
bool probe_signature_matches(const char *symbol, const char *wanted);
/* The symbol with the types of its parameters, malloc'd; NULL = it has none. */
char *probe_signature(const char *symbol);
/* Appends a line if functions of one name have different parameters. */
void probe_note_overloads(const char *name, const struct elf_function *const *functions,
			  size_t count, struct buf *notes);
/* After such a function was not found: the hint has those that differ in their parameters. False:
 * there are none. */
bool probe_hint_overloads(const char *wanted, const struct elf_functions *functions,
			  struct err *err);

#endif
