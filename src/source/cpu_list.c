/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing of "0-3,8" (see cpu_list.h). */
#include "source/cpu_list.h"

#include <ctype.h>
#include <errno.h>

static int take_number(const char **text, int *ret)
{
	int value = 0;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	for (; isdigit((unsigned char)**text); (*text)++) {
		value = value * 10 + (**text - '0');
		if (value >= CPU_LIST_MAX)
			return -EINVAL;
	}
	*ret = value;
	return 0;
}

int cpu_list_parse(const char *text, struct cpu_list *list)
{
	for (;;) {
		int low, high;

		if (take_number(&text, &low))
			return -EINVAL;
		high = low;
		if (*text == '-') {
			text++;
			if (take_number(&text, &high) || high < low)
				return -EINVAL;
		}
		if (list->count + (size_t)(high - low) >= CPU_LIST_MAX)
			return -EINVAL;
		for (int cpu = low; cpu <= high; cpu++)
			vec_push(list, cpu);
		if (*text == '\0')
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}
