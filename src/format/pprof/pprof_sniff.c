/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether bytes may be a pprof profile, and its time (see pprof.h). */
#include "format/pprof/pprof.h"
#include "format/pprof/pprof_wire.h"

#define SNIFF_FIELDS   8
#define FIELD_TIME     9
#define FIELD_DURATION 10
#define DAY_NS	       ((uint64_t)86400 * 1000000000u)

/* Bytes that no text has. */
static bool is_binary(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < len && i < 256; i++)
		if (head[i] < 9)
			return true;
	return false;
}

/* The first fields are ones of Profile, and of its kinds. */
int pprof_sniff(const uint8_t *head, size_t len)
{
	static const char kinds[] = "?bbbbbbnnnnbn?n"; /* by number: bytes or number */
	struct wire whole = { .at = head, .end = head + len };
	struct wire_field field;
	size_t fields = 0;

	if (!is_binary(head, len))
		return 0;
	while (fields < SNIFF_FIELDS && wire_next(&whole, &field)) {
		if (field.number == 0 || field.number >= sizeof(kinds) - 1 ||
		    kinds[field.number] == (field.is_bytes ? 'n' : 'b'))
			return 0;
		fields++;
	}
	return fields >= 3 || (fields && whole.at == whole.end) ? 2 : 0;
}

uint64_t pprof_end_ns(const uint8_t *data, size_t len)
{
	struct wire wire = { .at = data, .end = data + len };
	uint64_t time = 0, duration = 0;
	struct wire_field field;

	while (wire_next(&wire, &field)) {
		if (field.is_bytes)
			continue;
		if (field.number == FIELD_TIME)
			time = field.value;
		else if (field.number == FIELD_DURATION && field.value < DAY_NS)
			duration = field.value;
	}
	return time && time < UINT64_MAX - DAY_NS ? time + duration : 0;
}
