/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of frames in folded text (see fold_name.h). */
#include "format/folded/fold_name.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "format/folded/folded.h"

static bool starts_at(const char *name, size_t len, size_t at, const char *text)
{
	size_t n = strlen(text);

	return len - at >= n && memcmp(name + at, text, n) == 0;
}

/* True directly after the C++ keyword, but not after a name that ends with it. */
static bool follows_operator(const char *name, size_t at)
{
	return at >= 8 && memcmp(name + at - 8, "operator", 8) == 0 &&
	       (at == 8 || !(isalnum((unsigned char)name[at - 9]) || name[at - 9] == '_'));
}

/* The closing bracket of the one at `at`; len if there is none. */
static size_t closing(const char *name, size_t len, size_t at)
{
	size_t depth = 0;

	for (; at < len; at++) {
		if (strchr("(<{[", name[at]) && !follows_operator(name, at))
			depth++;
		else if (name[at] == '>' && at && name[at - 1] == '-')
			continue; /* an arrow */
		else if (strchr(")>}]", name[at]) && depth && --depth == 0)
			return at;
	}
	return len;
}

/* Go writes methods as "net/http.(*Client).Do". */
static bool is_go_method(const char *name, size_t len)
{
	const char *open = memmem(name, len, ".(", 2);

	return open && memmem(open, len - (size_t)(open - name), ").", 2);
}

/* One step of fold_drop_arguments(): how many bytes from `at` are kept; 0 = these are arguments. */
static size_t kept_at(const char *name, size_t len, size_t at)
{
	size_t close;

	if (follows_operator(name, at)) {
		if (starts_at(name, len, at, "()") || starts_at(name, len, at, "<<") ||
		    starts_at(name, len, at, "->"))
			return 2;
		return name[at] == '(' ? 0 : 1;
	}
	if (starts_at(name, len, at, "(anonymous namespace)"))
		return strlen("(anonymous namespace)");
	if (name[at] == '(')
		return 0;
	if (name[at] != '<' && name[at] != '{')
		return 1;
	close = closing(name, len, at);
	return close == len ? 1 : close + 1 - at; /* unbalanced: an ordinary byte */
}

void fold_drop_arguments(const char *name, size_t len, struct buf *ret)
{
	size_t before = ret->len;

	if (is_go_method(name, len)) {
		(void)buf_append(ret, name, len);
		return;
	}
	for (size_t at = 0; at < len;) {
		size_t kept = kept_at(name, len, at);

		if (kept) {
			(void)buf_append(ret, name + at, kept);
			at += kept;
			continue;
		}
		at = closing(name, len, at) + 1; /* "f(int)::local" continues after its arguments */
		if (at >= len || !starts_at(name, len, at, "::"))
			break;
	}
	if (ret->len == before) /* nothing but arguments: a long name is better than none */
		(void)buf_append(ret, name, len);
}

/* The rule of the Perl script: drops everything from the first "(" on. */
static void drop_like_perl(const char *name, size_t len, struct buf *ret)
{
	size_t at = 0;

	while (!is_go_method(name, len) && at < len &&
	       (name[at] != '(' || starts_at(name, len, at, "(anonymous namespace)")))
		at++;
	(void)buf_append(ret, name, is_go_method(name, len) ? len : at);
}

/* Characters that folded text cannot contain. */
static void clean(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == ';')
			s[i] = ':';
		else if (s[i] == '\n' || s[i] == '\r' || s[i] == '\0')
			s[i] = ' ';
	}
}

static void remove_quotes(struct buf *ret, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < ret->len; i++)
		if (ret->data[i] != '"' && ret->data[i] != '\'')
			ret->data[to++] = ret->data[i];
	ret->len = to;
	if (ret->data)
		ret->data[to] = 0;
}

static void put_function(const char *name, size_t len, const struct fold_options *options,
			 bool java, struct buf *ret)
{
	size_t from = ret->len;

	if (java && name[0] == 'L' && memchr(name, '/', len)) {
		name++;
		len--;
	}
	if (options->names == FOLD_NAMES_WHOLE)
		(void)buf_append(ret, name, len);
	else if (options->names == FOLD_NAMES_PERL)
		drop_like_perl(name, len, ret);
	else
		fold_drop_arguments(name, len, ret);
	if (options->names != FOLD_NAMES_WHOLE)
		remove_quotes(ret, from);
	if (ret->data)
		clean(ret->data + from, ret->len - from);
}

/* "[libc.so.6]", and with --addrs "[libc.so.6 <7f12>]". */
static void put_unknown(const struct profile *profile, const struct frame *frame,
			const struct fold_options *options, struct buf *ret)
{
	const char *module =
		frame->module ? profile_string(profile, profile->modules.item[frame->module].name)
			      : "unknown";
	size_t from;

	(void)buf_putc(ret, '[');
	from = ret->len;
	(void)buf_puts(ret, module);
	if (options->names != FOLD_NAMES_WHOLE)
		remove_quotes(ret, from);
	if (options->addrs)
		(void)buf_printf(ret, " <%llx>",
				 (unsigned long long)(frame->pc ? frame->pc : frame->offset));
	(void)buf_putc(ret, ']');
	clean(ret->data + from, ret->len - from);
}

/* Frames without a module come from text: their kind was read from an annotation, which is kept.
 * Java's inlined methods (a->b) are always marked, as the Perl does. */
static const char *annotation(const struct frame *frame, const struct fold_options *options)
{
	bool from_text = frame->module == 0;

	if (frame->inlined && (options->inlined || from_text || frame->kind == FRAME_JIT))
		return "_[i]";
	if (from_text && !frame->function.v)
		return "";
	if (frame->kind == FRAME_KERNEL && (options->kernel || from_text))
		return "_[k]";
	if (frame->kind == FRAME_JIT && (options->jit || from_text))
		return "_[j]";
	return "";
}

static bool ends_with(const struct buf *text, const char *end)
{
	size_t n = strlen(end);

	return text->len >= n && memcmp(text->data + text->len - n, end, n) == 0;
}

void fold_frame_name(const struct profile *profile, frame_id id, const struct fold_options *options,
		     bool java, struct buf *ret)
{
	const struct frame *frame = &profile->frames.item[id.v];
	const char *note = annotation(frame, options);

	if (frame->function.v)
		put_function(profile_string(profile, frame->function),
			     strtab_len(profile->strings, frame->function), options, java, ret);
	else
		put_unknown(profile, frame, options, ret);
	if (!ends_with(ret, note))
		(void)buf_puts(ret, note);
	if ((options->srcline || options->context) && frame->file.v) {
		const char *file = profile_string(profile, frame->file);
		const char *slash = strrchr(file, '/');

		(void)buf_printf(ret, ":%s", slash ? slash + 1 : file);
		if (frame->line)
			(void)buf_printf(ret, ":%u", frame->line);
	}
}

void fold_root_name(const struct profile *profile, thread_id id, const struct fold_options *options,
		    struct buf *ret)
{
	const struct profile_thread *thread = &profile->threads.item[id.v];
	size_t from = ret->len;

	(void)buf_puts(ret, profile_string(profile, thread->comm));
	for (size_t i = from; i < ret->len; i++)
		if (ret->data[i] == ' ')
			ret->data[i] = '_';
	if (ret->data)
		clean(ret->data + from, ret->len - from);
	if (!options->pid && !options->tid)
		return;
	if (thread->pid == UINT32_MAX)
		(void)buf_puts(ret, "-?");
	else
		(void)buf_printf(ret, "-%u", thread->pid);
	if (options->tid)
		(void)buf_printf(ret, "/%u", thread->tid);
}
