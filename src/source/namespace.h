/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is this a namespace that the machine started with? include/linux/proc_ns.h has their inodes. */
#ifndef SOURCE_NAMESPACE_H
#define SOURCE_NAMESPACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#define INITIAL_USER_NAMESPACE 0xEFFFFFFDu
#define INITIAL_PID_NAMESPACE  0xEFFFFFFCu

/* kind: "user" or "pid"; root is a prefix of /proc. False as well if that cannot be found out. */
static inline bool namespace_is_other(const char *root, const char *kind, ino_t initial)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/proc/self/ns/%s", root, kind) < (int)sizeof(path) &&
	       !stat(path, &st) && st.st_ino != initial;
}

#endif
