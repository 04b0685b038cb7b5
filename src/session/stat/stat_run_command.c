/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands around runs (see stat_run_command.h). */
#include "session/stat/stat_run_command.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"

int stat_run_command(const char *command, struct err *err)
{
	char *words[] = { (char[]){ "sh" }, (char[]){ "-c" }, NULL, NULL };
	int status, error;
	pid_t pid;

	if (!command)
		return 0;
	words[2] = mem_strdup(command);
	error = posix_spawn(&pid, "/bin/sh", NULL, NULL, words, environ);
	free(words[2]);
	if (error)
		return err_set(err, -error, "%s: %s", command, strerror(error));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_errno(err, "%s", command);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(err, -ECANCELED, "%s: exited with status %d", command,
			       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
