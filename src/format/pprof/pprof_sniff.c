/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether bytes may be a pprof profile (see pprof.h). */
#include "format/pprof/pprof.h"
#include "format/pprof/pprof_wire.h"

#define SNIFF_FIELDS 8

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
