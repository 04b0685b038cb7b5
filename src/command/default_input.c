/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which profile a command reads. */
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "command/option/option.h"

const char *command_default_input(void)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode)))
		return "-";
	return NULL;
}

int command_take_input(const struct option_words *words, const char *option, const char **ret,
		       struct err *err)
{
	int given = words->argc + (option != NULL);

	if (given > 1)
		return command_usage(err, "unexpected argument '%s': expected one input",
				     words->argv[words->argc - 1]);
	*ret = words->argc ? words->argv[0] : option ? option : command_default_input();
	return 0;
}
