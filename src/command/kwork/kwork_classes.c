/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of the kernel's work (see kwork_classes.h). */
#include "command/kwork/kwork_classes.h"

#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "profile/kwork.h"

int kwork_classes_parse(const char *list, unsigned usual, unsigned *ret, struct err *err)
{
	unsigned classes = 0;

	for (; list && *list; list += *list == ',') {
		size_t len = strcspn(list, ",");
		unsigned class = 0;

		while (class < KWORK_CLASSES &&
		       (strlen(kwork_class_name((enum kwork_class) class)) != len ||
			strncmp(list, kwork_class_name((enum kwork_class) class), len) != 0))
			class ++;
		if (class == KWORK_CLASSES)
			return command_usage(err,
					     "-k: unknown kind '%.*s': "
					     "there are irq, softirq, workqueue and sched",
					     (int)len, list);
		classes |= 1u << class;
		list += len;
	}
	*ret = classes ? classes : usual;
	return 0;
}
