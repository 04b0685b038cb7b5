/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries that few runs need. A dynamic program is not linked against them, because relocating a
 * large library costs every start milliseconds: library_load() loads one at first use. A static
 * program has them linked, and loads nothing. CUPEL_STATIC says which of the two is being built.
 *
 *	struct example {
 *		typeof(example_open) *example_open;
 *	};
 *	static const struct library_function functions[] = {
 *		LIBRARY_LINKED(struct example, example_open),
 *	}; */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stddef.h>

struct err;

struct library_function {
	const char *name;
	size_t offset;	      /* of the pointer to it in the user's table */
	void (*linked)(void); /* in a static program; NULL = it is always loaded */
};

struct library {
	const char *file; /* as dlopen(3) takes it: "libexample.so.1" */
	const struct library_function *functions;
	size_t function_count;
};

/* A function that a static program is linked with; the library's header must declare it. */
#ifdef CUPEL_STATIC
#define LIBRARY_LINKED(table, function)                                          \
	{                                                                        \
#function, offsetof(table, function), (void (*)(void))(function) \
	}
#else
#define LIBRARY_LINKED(table, function) LIBRARY_LOADED(table, function)
#endif
/* A function that is loaded by any program; needs no header of the library. */
#define LIBRARY_LOADED(table, function)                    \
	{                                                  \
#function, offsetof(table, function), NULL \
	}

/* Fills the table of pointers to functions, which stay valid until the program ends. Returns
 * -ENOSYS if the library or one of its functions is missing; then the table is as it was. A second
 * call is cheap. Any thread may call it. */
int library_load(const struct library *library, void *ret_table, struct err *err);

#endif
