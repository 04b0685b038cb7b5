/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangled names: C++ (Itanium), Rust (legacy and v0), D. Names that are not certainly mangled
 * stay as they are: a C function `f` stays `f`. Uses libiberty. */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

/* A malloc'd demangled name, or NULL when `name` is not a mangled one. Names longer than 64 KiB are
 * left alone. */
char *demangle(const char *name);
/* The same with the types of parameters, of C++ alone. */
char *demangle_whole(const char *name);

#endif
