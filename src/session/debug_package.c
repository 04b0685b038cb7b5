/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See debug_package.h. */
#include "session/debug_package.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "profile/nameless.h"
#include "profile/profile.h"

#define MAX_LIST ((size_t)16 << 20)

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (const char *p = text; (p = strstr(p, line)); p += len)
		if ((p == text || p[-1] == '\n') && (p[len] == '\n' || !p[len]))
			return true;
	return false;
}

/* Packages of before /bin and /lib became links have the shorter path. */
static bool owns(const char *list, const char *path)
{
	return has_line(list, path) || (strncmp(path, "/usr/", 5) == 0 && has_line(list, path + 4));
}

static bool list_owns(const char *folder, const char *name, const char *path)
{
	struct buf text = { .limit = MAX_LIST };
	struct err ignored = { 0 };
	char list[512];
	bool found;

	(void)snprintf(list, sizeof(list), "%s/%s", folder, name);
	found = !fd_read_file(list, &text, &ignored) && text.data && owns(text.data, path);
	buf_done(&text);
	return found;
}

/* The C library's symbols have a package of their own kind. */
static void name_package(const char *list, size_t len, char *ret, size_t size)
{
	const char *colon = memchr(list, ':', len);
	size_t name = colon ? (size_t)(colon - list) : len;

	(void)snprintf(ret, size, "%.*s-%s", (int)name, list,
		       name == 5 && memcmp(list, "libc6", 5) == 0 ? "dbg" : "dbgsym");
}

/* Packages have no files elsewhere. */
static bool can_be_owned(const char *path)
{
	static const char *const places[] = { "/usr/", "/bin/", "/sbin/", "/lib", "/opt/" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return strncmp(path, "/usr/local/", 11) != 0;
	return false;
}

bool debug_package_find(const char *folder, const char *path, char *ret, size_t size)
{
	static const char suffix[] = ".list";
	DIR *dir = can_be_owned(path) ? opendir(folder) : NULL;
	bool found = false;

	if (!dir)
		return false;
	for (struct dirent *entry; !found && (entry = readdir(dir));) {
		size_t len = strlen(entry->d_name);

		if (len < sizeof(suffix) || strcmp(entry->d_name + len - 5, suffix) != 0)
			continue;
		found = list_owns(folder, entry->d_name, path);
		if (found)
			name_package(entry->d_name, len - 5, ret, size);
	}
	(void)closedir(dir); /* only read */
	return found;
}

void debug_package_advise(struct profile *profile, const char *folder)
{
	struct nameless nameless;
	char package[128], remedy[256];

	if (!nameless_find(profile, &nameless) || !strstr(nameless.problem, "stripped") ||
	    !debug_package_find(folder, nameless.path, package, sizeof(package)))
		return;
	(void)snprintf(remedy, sizeof(remedy), "install %s, or use --debuginfod", package);
	profile->modules.item[nameless.module].remedy = strtab_puts(profile->strings, remedy);
}
