/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where names come from on every machine: the kernel's list and libc's symbols; and the folder
 * where they are kept. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/user_cache.h"
#include "session/doctor/doctor_binary.h"
#include "session/doctor/doctor_check.h"

#define KALLSYMS_BYTES 65536

/* True if a line has an address other than 0, which is what is shown in place of hidden ones. */
static bool shows_addresses(const char *path)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = mem_alloc(KALLSYMS_BYTES + 1);
	ssize_t len = fd < 0 ? -1 : fd_read_full(fd, text, KALLSYMS_BYTES);
	bool shown = false;

	text[len < 0 ? 0 : len] = '\0';
	for (const char *line = text; line && *line && !shown; line = strchr(line, '\n')) {
		line += *line == '\n';
		shown = strtoull(line, NULL, 16) != 0;
	}
	free(text);
	return shown;
}

void check_kernel_names(struct doctor *doctor, struct doctor_finding *finding)
{
	long restriction = doctor_number(doctor, "/proc/sys/kernel/kptr_restrict", 0);
	bool lacks_rights, paranoid;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", doctor->options->root) <
		    (int)sizeof(path) &&
	    shows_addresses(path)) {
		finding_set(doctor, finding, DOCTOR_OK, "/proc/kallsyms has addresses");
		return;
	}
	finding->consequence = "kernel frames have no names, if there are any";
	if (access(path, R_OK)) {
		finding_set(doctor, finding, DOCTOR_MISSING, "/proc/kallsyms: %s", strerror(errno));
		return;
	}
	finding_set(doctor, finding, DOCTOR_MISSING,
		    "/proc/kallsyms hides addresses "
		    "(kptr_restrict is %ld)",
		    restriction);
	lacks_rights = restriction < 2 && doctor->root_user && !doctor->in_user_namespace;
	paranoid = doctor->paranoid >= 2 && (!doctor->root_user || doctor->in_user_namespace);
	if (lacks_rights || (!restriction && !paranoid))
		finding_needs_rights(doctor, finding); /* CAP_SYSLOG */
	else
		finding_command(doctor, finding, "sudo sysctl%s%s",
				restriction ? " kernel.kptr_restrict=0" : "",
				paranoid ? " kernel.perf_event_paranoid=1" : "");
}

/* Cupel's own libc is that of most programs. */
void check_libc_names(struct doctor *doctor, struct doctor_finding *finding)
{
	const char *maps = doctor_read(doctor, "/proc/self/maps");
	const char *name = maps ? strstr(maps, "/libc.so") : NULL;
	const char *end = name ? strchr(name, '\n') : NULL;

	while (name && name > maps && name[-1] != ' ')
		name--;
	if (!end) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "cupel has no libc mapped to look at");
		return;
	}
	doctor_judge_binary(doctor, finding,
			    arena_strndup(doctor->arena, name, (size_t)(end - name)));
	if (finding->level == DOCTOR_LIMITED && !access("/etc/debian_version", F_OK)) {
		finding->fix = NULL;
		finding_command(doctor, finding, "sudo apt install libc6-dbg");
	}
}

/* The user's folder, or the first one above it that is there, which then must be writable. */
void check_cache(struct doctor *doctor, struct doctor_finding *finding)
{
	char path[PATH_MAX];
	struct stat st;
	bool is_there;

	finding->consequence = "every start is slower: unwind tables and the kernel's names are "
			       "made again, and debug information is unpacked again";
	if (!user_cache_path(path, sizeof(path))) {
		finding_set(doctor, finding, DOCTOR_LIMITED,
			    "no folder: HOME is not set, or is another user's");
		finding_command(doctor, finding, "export HOME=~");
		return;
	}
	is_there = !stat(path, &st);
	finding->found = arena_strdup(doctor->arena, path);
	while (!is_there && strrchr(path, '/') > path) {
		*strrchr(path, '/') = '\0';
		if (!stat(path, &st))
			break;
	}
	if (access(path, W_OK | X_OK)) {
		finding_set(doctor, finding, DOCTOR_LIMITED, "%s: %s", path, strerror(errno));
		finding->fix = "set XDG_CACHE_HOME to a folder that you may write";
	} else if (is_there && (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))) {
		finding_set(doctor, finding, DOCTOR_LIMITED,
			    "%s belongs to another user, or others may write it", path);
		finding_command(doctor, finding, "sudo chown $(id -u) %s; chmod go-w %s", path,
				path);
	} else {
		finding->consequence = NULL;
		finding->level = DOCTOR_OK;
	}
}
