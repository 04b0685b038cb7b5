/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses specifications of probes (see probe_spec.h). */
#include "source/probe/probe_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"

#define MAX_TEXT 4096

enum place { IN_BINARY, IN_KERNEL, IN_EITHER, IS_TRACEPOINT };

static const struct {
	const char *prefix;
	enum probe_kind kind;
	enum place place;
} prefixes[] = {
	{ "probe:", PROBE_ENTRY, IN_BINARY },
	{ "uprobe:", PROBE_ENTRY, IN_BINARY },
	{ "uretprobe:", PROBE_RETURN, IN_BINARY },
	{ "usdt:", PROBE_USDT, IN_BINARY },
	{ "tracepoint:", PROBE_TRACEPOINT, IS_TRACEPOINT },
	{ "kprobe:", PROBE_ENTRY, IN_KERNEL },
	{ "kretprobe:", PROBE_RETURN, IN_KERNEL },
	{ "p:", PROBE_ENTRY, IN_EITHER },
	{ "r:", PROBE_RETURN, IN_EITHER },
	{ "u:", PROBE_USDT, IN_BINARY },
	{ "t:", PROBE_TRACEPOINT, IS_TRACEPOINT },
};

bool probe_is_glob(const char *text)
{
	size_t depth = 0;

	/* a `*` among types of parameters is a pointer's */
	for (; *text; text++) {
		depth += *text == '(';
		depth -= *text == ')' && depth;
		if (!depth && strchr("*?[", *text))
			return true;
	}
	return false;
}

void probe_spec_done(struct probe_spec *spec)
{
	free(spec->text);
	*spec = (struct probe_spec){ 0 };
}

static int refuse(struct err *err, const char *text, const char *why)
{
	(void)err_set(err, -EINVAL, "'%s': %s", text, why);
	(void)err_hint(err, "write BINARY:FUNCTION, as c:malloc or /usr/bin/bash:readline; "
			    "usdt:BINARY:NAME; t:CATEGORY:EVENT");
	return err->code;
}

static bool take_number(const char *text, uint64_t *ret)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 0);
	return !errno && !*end;
}

/* "file.c:12", "work:3", "work;sum*", "work@file.c". */
static bool is_source(const char *text)
{
	const char *colon = strrchr(text, ':'), *at = strchr(text, '@');
	uint64_t line;

	if (strchr(text, ';'))
		return text[0] != ';';
	if (at && at != text && strchr(at, '.') && !strchr(at + 1, '@'))
		return true;
	return colon && colon != text && colon[-1] != ':' && take_number(colon + 1, &line) &&
	       line && line <= UINT32_MAX;
}

/* FUNCTION[+offset][%return], 0xADDRESS or a place of the source. */
static const char *parse_place(struct probe_spec *spec, char *text)
{
	char *sign = strrchr(text, '%'), *plus;

	if (sign && strcmp(sign, "%return") == 0) {
		*sign = '\0';
		spec->kind = PROBE_RETURN;
	}
	if (!*text)
		return "there is no function";
	if (take_number(text, &spec->address)) {
		spec->has_address = true;
	} else if (is_source(text)) {
		spec->source = text;
	} else {
		plus = strrchr(text, '+');
		if (plus && plus != text && take_number(plus + 1, &spec->offset))
			*plus = '\0';
		spec->function = text;
	}
	if (spec->kind == PROBE_RETURN && (spec->offset || spec->source))
		return "a function returns as a whole: without an offset or a line";
	return NULL;
}

static const char *parse_usdt(struct probe_spec *spec, char *text)
{
	char *colon = strchr(text, ':');

	if (colon) {
		*colon = '\0';
		spec->provider = text[0] ? text : NULL;
		text = colon + 1;
	}
	spec->function = text;
	return *text ? NULL : "there is no name of a probe";
}

static bool is_file(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

/* C++ names contain two colons in a row. */
char *probe_spec_binary_end(char *text)
{
	char *colon = strchr(text, ':'), *end;

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	end = colon;
	if (*text != '/' && *text != '.')
		return end;
	for (; colon; colon = strchr(colon + 1, ':')) {
		*colon = '\0';
		end = is_file(text) ? colon : end;
		*colon = ':';
	}
	return end;
}

static const char *parse_binary(struct probe_spec *spec, char *text, enum place place)
{
	char *colon = probe_spec_binary_end(text);

	if (place == IS_TRACEPOINT) {
		if (!colon || colon == text || !colon[1])
			return "a tracepoint is CATEGORY:NAME";
		*colon = '\0';
		spec->binary = text;
		spec->function = colon + 1;
		return NULL;
	}
	if (place == IN_KERNEL || !colon) {
		if (place == IN_BINARY && spec->kind == PROBE_USDT)
			return "the binary is missing";
		return parse_place(spec, text);
	}
	*colon = '\0';
	spec->binary = text[0] ? text : NULL;
	if (spec->kind == PROBE_USDT)
		return spec->binary ? parse_usdt(spec, colon + 1) : "the binary is missing";
	return parse_place(spec, colon + 1);
}

int probe_spec_parse(const char *text, struct probe_spec *ret, struct err *err)
{
	struct probe_spec spec = { 0 };
	enum place place = IN_EITHER;
	size_t len = strnlen(text, MAX_TEXT), skip = 0;
	const char *wrong;

	if (len == MAX_TEXT)
		return err_set(err, -EINVAL, "a probe's name is too long");
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strncmp(text, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
			continue;
		spec.kind = prefixes[i].kind;
		place = prefixes[i].place;
		skip = strlen(prefixes[i].prefix);
		break;
	}
	spec.text = memcpy(mem_alloc(len + 1), text, len + 1);
	wrong = parse_binary(&spec, spec.text + skip, place);
	if (wrong) {
		probe_spec_done(&spec);
		return refuse(err, text, wrong);
	}
	*ret = spec;
	return 0;
}
