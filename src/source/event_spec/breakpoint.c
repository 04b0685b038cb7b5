/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breakpoints as text (see breakpoint.h). */
#include "source/event_spec/breakpoint.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool take_number(const char **text, uint64_t *ret)
{
	char *stop;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*ret = strtoull(*text, &stop, 0);
	if (errno || stop == *text)
		return false;
	*text = stop;
	return true;
}

/* ":rwx", in any order; a colon with anything else starts the modifiers. */
static bool take_access(const char **text, uint32_t *ret)
{
	const char *spot = *text;

	if (*spot != ':' || !spot[1] || !strchr("rwx", spot[1]))
		return true;
	for (spot++; *spot && *spot != ':'; spot++) {
		if (!strchr("rwx", *spot))
			return false;
		*ret |= *spot == 'r'   ? HW_BREAKPOINT_R
			: *spot == 'w' ? HW_BREAKPOINT_W
				       : HW_BREAKPOINT_X;
	}
	*text = spot;
	return true;
}

bool breakpoint_parse(const char **text, struct perf_event_attr *ret)
{
	const char *spot = *text;
	uint64_t address, len = 0;
	uint32_t access = 0;

	if (!take_number(&spot, &address))
		return false;
	if (*spot == '/') {
		spot++;
		if (!take_number(&spot, &len) || len == 0 || len > 8)
			return false;
	}
	if (!take_access(&spot, &access) || (*spot && *spot != ':'))
		return false;
	if (!access)
		access = HW_BREAKPOINT_RW;
	if (!len)
		len = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	ret->bp_addr = address;
	ret->bp_len = len;
	ret->bp_type = access;
	*text = spot;
	return true;
}
