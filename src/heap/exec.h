/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the preloaded library: programs that the program starts. */
#ifndef HEAP_EXEC_H
#define HEAP_EXEC_H

#include <limits.h>
#include <stdbool.h>

#define EXEC_WORDS 8000		  /* of an environment; programs with more are not sampled */
#define EXEC_NAMES (2 * PATH_MAX) /* of LD_PRELOAD */

/* Takes the library out of the environment, so that the program finds it as it would be without us.
 * From then on the functions that start programs add it for those that it fits into. alone: for
 * none. */
void exec_begin(bool alone);

/* The environment with the library, if it fits into the program. room: for EXEC_WORDS; names: for
 * EXEC_NAMES characters. */
bool exec_environment(const char *path, char *const *env, char **room, char *names);
/* Takes the library out of the environment. */
void exec_clean(void);

#endif
