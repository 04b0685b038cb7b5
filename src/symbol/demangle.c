/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangling by libiberty, guarded: the style is chosen by the prefix, so that a C name is never
 * read as a mangled type; very long output is cut off. Formats: Itanium C++ ABI, Rust RFC 2603
 * and its legacy form, the D ABI. */
#include "symbol/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"

#define MAX_INPUT ((size_t)64 << 10)
/* D's demangler has no recursion limit: 4 KiB of nesting needs about 500 KiB of stack. */
#define MAX_INPUT_D ((size_t)4 << 10)
/* A few hundred bytes of back references can expand to gigabytes of text. */
#define MAX_OUTPUT ((size_t)64 << 10)

struct output {
	struct buf text;
	jmp_buf full;
};

typedef int demangler(const char *mangled, int options, demangle_callbackref callback,
		      void *opaque);

static void append(const char *s, size_t len, void *opaque)
{
	struct output *out = opaque;

	/* The demanglers hold no heap memory during callbacks. */
	if (buf_append(&out->text, s, len))
		longjmp(out->full, 1);
}

/* whole: with parameters, which perf does not print */
static char *run_with(demangler *demangle_with, const char *name, bool whole)
{
	struct output *out = mem_zalloc(sizeof(*out));
	char *text;

	out->text.limit = MAX_OUTPUT;
	if (setjmp(out->full) ||
	    !demangle_with(name, whole ? DMGL_PARAMS : DMGL_NO_OPTS, append, out))
		buf_done(&out->text);
	text = out->text.data; /* NULL after buf_done() */
	free(out);
	return text;
}

static char *run(demangler *demangle_with, const char *name)
{
	return run_with(demangle_with, name, false);
}

/* GCC and LLVM mark clones by suffixes: foo.isra.0, foo.cold. They stay. */
static char *demangle_cpp(const char *name)
{
	const char *suffix = strchr(name, '.');
	char *head, *text, *ret;
	size_t len;

	if (!suffix)
		return run(cplus_demangle_v3_callback, name);
	head = strndup(name, (size_t)(suffix - name));
	text = head ? run(cplus_demangle_v3_callback, head) : NULL;
	free(head);
	if (!text)
		return run(cplus_demangle_v3_callback, name);
	len = strlen(text);
	ret = mem_realloc(text, len + strlen(suffix) + 1);
	memcpy(ret + len, suffix, strlen(suffix) + 1);
	return ret;
}

/* Apple-style blocks of Clang: ___ZN3foo3barEv_block_invoke_2. */
static char *demangle_block(const char *name)
{
	const char *tail = strstr(name, "_block_invoke");
	const char *start = name + strspn(name, "_") - 1;
	char *head, *ret;
	size_t len;

	if (!tail || start - name > 3 || tail < start)
		return NULL;
	head = strndup(start, (size_t)(tail - start));
	ret = head ? run(cplus_demangle_v3_callback, head) : NULL;
	free(head);
	if (!ret)
		return NULL;
	len = strlen(ret);
	ret = mem_realloc(ret, len + strlen(tail) + 1);
	memcpy(ret + len, tail, strlen(tail) + 1);
	return ret;
}

static char *demangle_d(const char *name)
{
	return strlen(name) <= MAX_INPUT_D ? dlang_demangle(name, DMGL_NO_OPTS) : NULL;
}

char *demangle(const char *name)
{
	char *ret;

	if (name[0] != '_' || strnlen(name, MAX_INPUT + 1) > MAX_INPUT)
		return NULL;
	switch (name[1]) {
	case 'R':
		return run(rust_demangle_callback, name);
	case 'Z':
		ret = run(rust_demangle_callback, name);
		return ret ? ret : demangle_cpp(name);
	case 'D':
		return isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain") ? demangle_d(name)
										  : NULL;
	case '_':
		return name[2] == '_' ? demangle_block(name) : NULL;
	default:
		return NULL;
	}
}

char *demangle_whole(const char *name)
{
	if (name[0] != '_' || name[1] != 'Z' || strnlen(name, MAX_INPUT + 1) > MAX_INPUT)
		return NULL;
	return run_with(cplus_demangle_v3_callback, name, true);
}
