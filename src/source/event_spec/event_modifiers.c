/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event modifiers with perf's meaning (see event_modifiers.h and perf-list(1)). Naming a privilege
 * level excludes all others not named; naming G or H does the same for guest and host. */
#include "source/event_spec/event_modifiers.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "source/event_spec/event_parse.h"

#define LETTERS "ukhGHpPSDWe"

bool event_modifiers_valid(const char *modifiers)
{
	return *modifiers && strspn(modifiers, LETTERS) == strlen(modifiers);
}

static void start_privilege(struct perf_event_attr *attr)
{
	if (!(attr->exclude_user || attr->exclude_kernel || attr->exclude_hv))
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
}

static int apply_letter(struct event_spec *spec, char letter, bool guest_named, struct err *err)
{
	struct perf_event_attr *attr = &spec->attr;

	switch (letter) {
	case 'u':
	case 'k':
	case 'h':
		start_privilege(attr);
		spec->exclude_given = true;
		if (letter == 'u')
			attr->exclude_user = 0;
		else if (letter == 'k')
			attr->exclude_kernel = 0;
		else
			attr->exclude_hv = 0;
		if (letter == 'u' && !guest_named)
			attr->exclude_guest = 1;
		return 0;
	case 'G':
		attr->exclude_guest = 0;
		return 0;
	case 'H':
		attr->exclude_host = 0;
		return 0;
	case 'p':
		if (attr->precise_ip == 3)
			return err_usage(err, "modifier 'p' given more than three times");
		attr->precise_ip++;
		if (!guest_named)
			attr->exclude_guest = 1;
		return 0;
	case 'P':
		spec->precise_max = true;
		return 0;
	case 'S':
		spec->sample_read = true;
		return 0;
	case 'D':
		attr->pinned = 1;
		return 0;
	case 'W':
		spec->weak_group = true;
		return 0;
	default: /* e */
		attr->exclusive = 1;
		return 0;
	}
}

int event_modifiers_apply(struct event_spec *spec, const char *modifiers, bool group,
			  struct err *err)
{
	bool guest_named = strpbrk(modifiers, "GH") != NULL;

	if (!*modifiers)
		return 0;
	if (!event_modifiers_valid(modifiers)) {
		const char *bad = modifiers + strspn(modifiers, LETTERS);

		err_usage(err, "unknown modifier '%c'", *bad);
		return err_hint(err, "expected u (user), k (kernel), h (hypervisor), G (guest), "
				     "H (host), p (precise), P, S, D, W, e");
	}
	if (!group || guest_named)
		spec->attr.exclude_guest = spec->attr.exclude_host = guest_named;
	for (const char *letter = modifiers; *letter; letter++)
		if (apply_letter(spec, *letter, guest_named, err))
			return err->code;
	return 0;
}
