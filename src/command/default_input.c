/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which profile a command reads that was not told one. */
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"

const char *command_default_input(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode)))
		return "-";
	return NULL;
}
