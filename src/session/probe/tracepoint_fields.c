/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads lines of a format such as "field:const char * filename;	offset:24;	size:8;
 * signed:0;" (see tracepoint_fields.h). */
#include "session/probe/tracepoint_fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/event_spec/tracepoint.h"

#define MAX_FORMAT (1u << 20)
#define MAX_OFFSET 65536u

/* The number behind "key:" in a line; false without. */
static bool take_number(const char *line, const char *key, uint32_t *ret)
{
	const char *at = strstr(line, key);
	unsigned long value;
	char *end;

	if (!at)
		return false;
	value = strtoul(at + strlen(key), &end, 10);
	if (end == at + strlen(key) || *end != ';' || value > MAX_OFFSET)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* "const char * filename", "char comm[16]", "__data_loc char[] name": the name is the last word. */
static void take_declaration(char *text, struct tracepoint_field *field)
{
	char *end = text + strlen(text), *bracket = strchr(text, '['), *name;
	bool has_char = strstr(text, "char") != NULL, is_array = bracket != NULL, is_pointer;

	if (bracket && bracket > text && strchr(bracket, ' ') == NULL)
		end = bracket;
	for (name = end; name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
		name--;
	*end = '\0';
	field->name = name;
	is_pointer = memchr(text, '*', (size_t)(name - text)) != NULL;
	field->is_text = has_char;
	field->is_relative = strncmp(text, "__rel_loc", 9) == 0;
	if (field->is_relative || strncmp(text, "__data_loc", 10) == 0)
		field->kind = FIELD_ELSEWHERE;
	else if (is_array && has_char)
		field->kind = FIELD_TEXT;
	else if (is_pointer && has_char)
		field->kind = FIELD_POINTER;
}

static bool parse_line(char *line, struct tracepoint_field *ret)
{
	struct tracepoint_field field = { 0 };
	char *text = strstr(line, "field:"), *end;
	uint32_t is_signed = 0;

	if (!text || !take_number(line, "\toffset:", &field.offset) ||
	    !take_number(line, "\tsize:", &field.size))
		return false;
	(void)take_number(line, "\tsigned:", &is_signed);
	field.is_signed = is_signed;
	text += strlen("field:");
	end = strchr(text, ';');
	if (!end)
		return false;
	*end = '\0';
	take_declaration(text, &field);
	*ret = field;
	return *field.name != '\0';
}

void tracepoint_fields_parse(char *format, struct tracepoint_fields *ret)
{
	struct tracepoint_field field;

	for (char *line = format, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (parse_line(line, &field))
			vec_push(&ret->item, field);
	}
}

int tracepoint_fields_read(const char *category, const char *name, struct arena *arena,
			   struct tracepoint_fields *ret, struct err *err)
{
	struct buf path = { 0 }, text = { .limit = MAX_FORMAT };
	const char *tracefs;
	int code = tracefs_find("", arena, &tracefs, err);

	if (!code) {
		(void)buf_printf(&path, "%s/events/%s/%s/format", tracefs, category, name);
		code = fd_read_file(path.data, &text, err);
	}
	if (!code)
		tracepoint_fields_parse(arena_strdup(arena, text.data ? text.data : ""), ret);
	buf_done(&path);
	buf_done(&text);
	return code;
}

const struct tracepoint_field *tracepoint_fields_find(const struct tracepoint_fields *fields,
						      const char *name)
{
	for (size_t i = 0; i < fields->item.count; i++)
		if (!strcmp(fields->item.item[i].name, name))
			return &fields->item.item[i];
	return NULL;
}

void tracepoint_fields_done(struct tracepoint_fields *fields)
{
	vec_done(&fields->item);
}
