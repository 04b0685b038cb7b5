/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, dispatch, and the only place that prints errors and exits. */
#include <stdio.h>

int main(void)
{
	(void)printf("cupel %s\n", CUPEL_VERSION);
	return 0;
}
