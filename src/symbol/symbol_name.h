/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw symbol names made fit to show: demangled, without symbol version, of bounded length, without
 * control characters (a name comes from outside and ends up in terminals and text formats). */
#ifndef SYMBOL_SYMBOL_NAME_H
#define SYMBOL_SYMBOL_NAME_H

#include <stdbool.h>

/* malloc'd. The suffix ("@plt" or "") is appended as is. */
char *symbol_name_present(const char *raw, const char *suffix, bool with_demangling);

/* Whether a shown name is the wanted function or a part or variant of it that the compiler made:
 * "f.constprop.0", "f.isra.0", "f.cold", "f(int) [clone .part.0]" of "f" and "f(int)". */
bool symbol_name_is_clone(const char *name, const char *wanted);

#endif
