/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of "1,22,333" and of "0-3,8" (see id_list.h). */
#include "source/id_list.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>

#include "base/err.h"

bool id_take(const char **text, int limit, int *ret)
{
	int64_t value = 0;

	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); (*text)++) {
		value = value * 10 + (**text - '0');
		if (value >= limit)
			return false;
	}
	*ret = (int)value;
	return true;
}

int id_list_parse(const char *text, const char *kind, struct id_list *list, struct err *err)
{
	for (const char *p = text; p; p++) {
		int id;

		if (!id_take(&p, INT_MAX, &id) || !id || (*p && *p != ','))
			return err_usage(err, "%s: not a list of %s ids", text, kind);
		vec_push(list, id);
		if (!*p)
			break;
	}
	return 0;
}

int cpu_list_parse(const char *text, struct id_list *list)
{
	for (;; text++) {
		int low, high;

		if (!id_take(&text, CPU_LIST_MAX, &low))
			return -EINVAL;
		high = low;
		if (*text == '-') {
			text++;
			if (!id_take(&text, CPU_LIST_MAX, &high) || high < low)
				return -EINVAL;
		}
		if (list->count + (size_t)(high - low) >= CPU_LIST_MAX)
			return -EINVAL;
		for (int cpu = low; cpu <= high; cpu++)
			vec_push(list, cpu);
		if (*text == '\0')
			return 0;
		if (*text != ',')
			return -EINVAL;
	}
}
