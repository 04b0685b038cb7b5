/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dictionary of OTLP (see otlp_tables.h). */
#include "format/otlp/otlp_tables.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"

#define VALUE_MAX 4096 /* bytes of text */

enum dictionary_field {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION,
	DICTIONARY_FUNCTION,
	DICTIONARY_LINK,
	DICTIONARY_STRING,
	DICTIONARY_ATTRIBUTE,
	DICTIONARY_STACK,
};

enum value_field {
	VALUE_STRING = 1,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_STRING_INDEX = 8,
};

static struct otlp_text text_of(struct wire bytes)
{
	return (struct otlp_text){ (const char *)bytes.at, (size_t)(bytes.end - bytes.at) };
}

struct otlp_text otlp_string(const struct otlp_tables *tables, uint64_t index)
{
	return index < tables->strings.count ? tables->strings.item[index]
					     : (struct otlp_text){ "", 0 };
}

void otlp_put_value(const struct otlp_tables *tables, struct wire value, struct buf *ret)
{
	struct wire_field field;

	while (wire_next(&value, &field)) {
		struct otlp_text text = { "", 0 };

		if (field.number == VALUE_STRING && field.is_bytes)
			text = text_of(field.bytes);
		else if (field.number == VALUE_STRING_INDEX && !field.is_bytes)
			text = otlp_string(tables, field.value);
		else if (field.number == VALUE_INT && !field.is_bytes)
			(void)buf_printf(ret, "%" PRId64, (int64_t)field.value);
		else if (field.number == VALUE_BOOL && !field.is_bytes)
			(void)buf_puts(ret, field.value ? "true" : "false");
		(void)buf_append(ret, text.s, text.len < VALUE_MAX ? text.len : VALUE_MAX);
	}
}

uint64_t otlp_number(struct wire value)
{
	struct wire_field field;
	uint64_t number = 0;

	while (wire_next(&value, &field))
		if (field.number == VALUE_INT && !field.is_bytes)
			number = field.value;
	return number;
}

struct otlp_pair otlp_key_value(const struct otlp_tables *tables, struct wire message)
{
	struct otlp_pair pair = { { "", 0 }, { message.end, message.end, false } };
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1 && field.is_bytes)
			pair.key = text_of(field.bytes);
		else if (field.number == 2 && field.is_bytes)
			pair.value = field.bytes;
		else if (field.number == 3 && !field.is_bytes && !pair.key.len)
			pair.key = otlp_string(tables, field.value);
	}
	return pair;
}

/* KeyValueAndUnit. */
static struct otlp_pair read_attribute(const struct otlp_tables *tables, struct wire message)
{
	struct otlp_pair pair = { { "", 0 }, { message.end, message.end, false } };
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1 && !field.is_bytes)
			pair.key = otlp_string(tables, field.value);
		else if (field.number == 2 && field.is_bytes)
			pair.value = field.bytes;
	}
	return pair;
}

static uint32_t index_of(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : 0;
}

/* The attribute of that name among the indices, or 0. */
static uint32_t find_attribute(const struct otlp_tables *tables, struct wire_field *indices,
			       const char *name)
{
	uint64_t index;

	while (wire_number(indices, &index))
		if (index < tables->attributes.count &&
		    tables->attributes.item[index].key.len == strlen(name) &&
		    memcmp(tables->attributes.item[index].key.s, name, strlen(name)) == 0)
			return (uint32_t)index;
	return 0;
}

static void read_mapping(struct otlp_tables *tables, struct wire message)
{
	struct otlp_mapping mapping = { 0 };
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			mapping.start = field.value;
		else if (field.number == 3)
			mapping.offset = field.value;
		else if (field.number == 4)
			mapping.path = index_of(field.value);
		else if (field.number == 5 && !mapping.build_id)
			mapping.build_id =
				find_attribute(tables, &field, "process.executable.build_id.gnu");
	}
	vec_push(&tables->mappings, mapping);
}

static void read_location(struct otlp_tables *tables, struct wire message)
{
	struct otlp_location location = { .message = message };
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			location.mapping = index_of(field.value);
		else if (field.number == 2)
			location.address = field.value;
		else if (field.number == 4 && !location.frame_type)
			location.frame_type = find_attribute(tables, &field, "profile.frame.type");
	}
	vec_push(&tables->locations, location);
}

static void read_function(struct otlp_tables *tables, struct wire message)
{
	struct otlp_function function = { 0 };
	struct wire_field field;

	while (wire_next(&message, &field)) {
		if (field.number == 1)
			function.name = index_of(field.value);
		else if (field.number == 2 && !function.name)
			function.name = index_of(field.value);
		else if (field.number == 3)
			function.file = index_of(field.value);
	}
	vec_push(&tables->functions, function);
}

/* Mappings and locations look at attributes, those at strings. */
void otlp_tables_read(struct wire dictionary, struct otlp_tables *ret)
{
	static const uint32_t order[] = { DICTIONARY_STRING, DICTIONARY_ATTRIBUTE, 0 };

	*ret = (struct otlp_tables){ 0 };
	for (size_t pass = 0; pass < sizeof(order) / sizeof(order[0]); pass++) {
		struct wire wire = dictionary;
		struct wire_field field;

		while (wire_next(&wire, &field)) {
			if (!field.is_bytes || (order[pass] && field.number != order[pass]))
				continue;
			if (order[pass] == DICTIONARY_STRING)
				vec_push(&ret->strings, text_of(field.bytes));
			else if (order[pass] == DICTIONARY_ATTRIBUTE)
				vec_push(&ret->attributes, read_attribute(ret, field.bytes));
			else if (field.number == DICTIONARY_MAPPING)
				read_mapping(ret, field.bytes);
			else if (field.number == DICTIONARY_LOCATION)
				read_location(ret, field.bytes);
			else if (field.number == DICTIONARY_FUNCTION)
				read_function(ret, field.bytes);
			else if (field.number == DICTIONARY_STACK)
				vec_push(&ret->stacks, field.bytes);
		}
	}
}

void otlp_tables_done(struct otlp_tables *tables)
{
	vec_done(&tables->strings);
	vec_done(&tables->mappings);
	vec_done(&tables->locations);
	vec_done(&tables->functions);
	vec_done(&tables->attributes);
	vec_done(&tables->stacks);
}
