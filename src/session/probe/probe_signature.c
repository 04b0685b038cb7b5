/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See probe_signature.h. */
#include "session/probe/probe_signature.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/vec.h"
#include "source/probe/probe_spec.h"
#include "symbol/demangle.h"
#include "symbol/elf/elf_functions.h"

#define MAX_NAMED  8
#define MAX_NESTED 64 /* depth of types in types; hostile names have thousands */
#define STRING	   "std::__cxx11::basic_string<char,std::char_traits<char>,std::allocator<char>>"

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* The parenthesis that opens the parameters: the one that belongs to the last that closes. NULL =
 * there are none. */
static const char *find_parameters(const char *text)
{
	const char *close = strrchr(text, ')'), *at = close;
	size_t depth = 0;

	for (; at && at >= text; at--) {
		depth += *at == ')';
		if (*at == '(' && --depth == 0)
			break;
	}
	if (!at || at <= text || depth)
		return NULL;
	if (ends_with(text, (size_t)(at - text), "operator") && close == at + 1 &&
	    !strchr(close, ' '))
		return NULL; /* operator(), without parameters */
	return strncmp(at, "(anonymous namespace)", 21) == 0 ? NULL : at;
}

bool probe_has_signature(const char *wanted)
{
	return find_parameters(wanted) != NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Without blanks but those between words. */
static void put_dense(const char *text, size_t len, struct buf *ret)
{
	char last = '\0';
	bool blank = false;

	for (size_t i = 0; i < len; i++) {
		if (text[i] == ' ' || text[i] == '\t') {
			blank = true;
			continue;
		}
		if (blank && is_word(last) && is_word(text[i]))
			(void)buf_putc(ret, ' ');
		blank = false;
		last = text[i];
		(void)buf_putc(ret, last);
	}
}

/* Where a type ends that begins there: in front of what refers to it. */
static size_t type_extent(const char *text)
{
	size_t depth = 0, i;

	for (i = 0; text[i]; i++) {
		depth += text[i] == '<';
		depth -= text[i] == '>' && depth;
		if (!depth && strchr("*&,()[", text[i]))
			break;
	}
	return i;
}

/* One way of writing each: "const char*" → "char const*", STRING → "std::string". */
static void put_plain(const char *dense, unsigned nested, struct buf *ret)
{
	char last = '(';

	for (const char *at = dense; *at;) {
		bool begins = !is_word(last);

		if (begins && strncmp(at, STRING, strlen(STRING)) == 0) {
			(void)buf_puts(ret, "std::string");
			at += strlen(STRING);
			if (is_word(*at))
				(void)buf_putc(ret, ' ');
		} else if (strchr("(,<", last) && strncmp(at, "const ", 6) == 0 &&
			   nested < MAX_NESTED) {
			size_t len = type_extent(at + 6), before = ret->len;
			char *type = strndup(at + 6, len);

			put_plain(type ? type : "", nested + 1, ret);
			(void)buf_puts(ret, ret->len > before && is_word(ret->data[ret->len - 1])
						    ? " const"
						    : "const");
			at += 6 + len;
			free(type);
		} else {
			(void)buf_putc(ret, *at++);
		}
		last = at[-1];
	}
}

/* Name and parameters, and what is behind them: " const", "[clone .isra.0]". */
static void normalize(const char *text, struct buf *ret_function, struct buf *ret_rest)
{
	const char *open = find_parameters(text), *close = strrchr(text, ')');
	struct buf dense = { 0 };

	put_dense(text, open ? (size_t)(close + 1 - text) : strlen(text), &dense);
	(void)buf_puts(ret_function, "");
	put_plain(dense.data ? dense.data : "", 0, ret_function);
	buf_clear(&dense);
	(void)buf_puts(ret_rest, "");
	if (open)
		put_dense(close + 1, strlen(close + 1), ret_rest);
	buf_done(&dense);
}

char *probe_signature(const char *symbol)
{
	char *name = demangle_whole(symbol);

	if (name && find_parameters(name))
		return name;
	free(name);
	return NULL;
}

bool probe_signature_matches(const char *symbol, const char *wanted)
{
	struct buf function = { 0 }, rest = { 0 }, wanted_function = { 0 }, wanted_rest = { 0 };
	AUTO_FREE char *name = probe_signature(symbol);
	bool same;

	if (!name)
		return false;
	normalize(name, &function, &rest);
	normalize(wanted, &wanted_function, &wanted_rest);
	/* Templates have the type of the result in front. */
	same = function.len >= wanted_function.len &&
	       strcmp(function.data + function.len - wanted_function.len, wanted_function.data) ==
		       0;
	if (same && function.len > wanted_function.len)
		same = function.data[function.len - wanted_function.len - 1] == ' ';
	same = same && (!wanted_rest.len || strcmp(rest.data, wanted_rest.data) == 0);
	buf_done(&function);
	buf_done(&rest);
	buf_done(&wanted_function);
	buf_done(&wanted_rest);
	return same;
}

static bool matches(const char *name, const char *wanted)
{
	return probe_is_glob(wanted) ? fnmatch(wanted, name, 0) == 0 : strcmp(name, wanted) == 0;
}

/* "ns::f<int>" of "ns::f", not its member "ns::f<int>::g". */
static bool is_template(const char *name, const char *wanted)
{
	size_t len = strlen(wanted), depth = 0;

	if (!len || strncmp(name, wanted, len) != 0 ||
	    (len >= 8 && strcmp(wanted + len - 8, "operator") == 0))
		return false;
	name += len;
	if (strncmp(name, "::<", 3) == 0) /* Rust */
		name += 2;
	if (*name != '<')
		return false;
	for (; *name; name++) {
		depth += *name == '<';
		depth -= *name == '>' && depth && name[-1] != '-';
		if (!depth)
			break;
	}
	return *name && !name[1];
}

bool probe_name_matches(const char *symbol, const char *wanted, bool demangled)
{
	bool same = matches(symbol, wanted);
	char *name;

	if (!same && demangled && probe_has_signature(wanted))
		return probe_signature_matches(symbol, wanted);
	if (same || !demangled || symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return same;
	name = demangle(symbol);
	if (!name)
		return false;
	same = matches(name, wanted) || is_template(name, wanted);
	free(name);
	return same;
}

/* "'f(int)', 'f(double)'"; returns how many there are. */
static size_t list(const struct elf_function *const *functions, size_t count, struct buf *ret)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *one = probe_signature(functions[i]->name);

		if (one && found++ < MAX_NAMED)
			(void)buf_printf(ret, "%s'%s'", ret->len ? ", " : "", one);
	}
	if (found > MAX_NAMED)
		(void)buf_puts(ret, ", ...");
	return found;
}

void probe_note_overloads(const char *name, const struct elf_function *const *functions,
			  size_t count, struct buf *notes)
{
	struct buf all = { 0 };
	size_t found = list(functions, count, &all);

	if (found > 1)
		(void)buf_printf(notes,
				 "%s: %zu functions have this name, and all are probed: name one "
				 "with its parameters: %s\n",
				 name, found, all.data);
	buf_done(&all);
}

bool probe_hint_overloads(const char *wanted, const struct elf_functions *functions,
			  struct err *err)
{
	const char *open = find_parameters(wanted);
	AUTO_FREE char *plain = open ? strndup(wanted, (size_t)(open - wanted)) : NULL;
	VEC(const struct elf_function *) same = { 0 };
	struct buf all = { 0 };
	size_t found;

	for (size_t i = 0; plain && i < functions->item.count; i++) {
		const struct elf_function *function = &functions->item.item[i];

		if (!function->imported && probe_name_matches(function->name, plain, true))
			vec_push(&same, function);
	}
	found = list(same.item, same.count, &all);
	if (found)
		(void)err_hint(err, "functions of this name are: %s", all.data);
	vec_done(&same);
	buf_done(&all);
	return found;
}
