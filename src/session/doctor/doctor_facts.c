/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several checks need, read once. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "session/doctor/doctor_check.h"
#include "source/namespace.h"

#define FILE_LIMIT ((size_t)4 << 20)

const char *doctor_read(const struct doctor *doctor, const char *path)
{
	struct buf text = { .limit = FILE_LIMIT };
	struct err ignored = { 0 };
	char full[PATH_MAX];
	char *ret = NULL;
	int code;

	if (snprintf(full, sizeof(full), "%s%s", doctor->options->root, path) >= (int)sizeof(full))
		return NULL;
	code = fd_read_file(full, &text, &ignored);
	if (!code || code == -E2BIG) { /* its beginning will do */
		while (text.len && strchr(" \n", text.data[text.len - 1]))
			text.len--;
		ret = arena_strndup(doctor->arena, text.len ? text.data : "", text.len);
	}
	buf_done(&text);
	return ret;
}

long doctor_number(const struct doctor *doctor, const char *path, long missing)
{
	const char *text = doctor_read(doctor, path);
	char *end;
	long value;

	if (!text || !text[0])
		return missing;
	value = strtol(text, &end, 10);
	return end == text ? missing : value;
}

/* The number behind "Name:" in /proc/self/status. */
static uint64_t status_value(const char *status, const char *name, int base)
{
	const char *line = status ? strstr(status, name) : NULL;

	return line ? strtoull(line + strlen(name), NULL, base) : 0;
}

static bool file_exists(const struct doctor *doctor, const char *path)
{
	char full[PATH_MAX];

	return snprintf(full, sizeof(full), "%s%s", doctor->options->root, path) <
		       (int)sizeof(full) &&
	       access(full, F_OK) == 0;
}

static bool names_container(const char *text)
{
	static const char *const word[] = { "docker", "kubepods", "libpod", "/lxc/", "containerd" };

	for (size_t i = 0; text && i < sizeof(word) / sizeof(word[0]); i++)
		if (strstr(text, word[i]))
			return true;
	return false;
}

/* Images that were made for containers also run as virtual machines, with the files of containers.
 */
static bool is_container(const struct doctor *doctor, const char *status)
{
	bool marked = file_exists(doctor, "/.dockerenv") ||
		      file_exists(doctor, "/run/.containerenv") ||
		      getenv("KUBERNETES_SERVICE_HOST");
	bool bounded = status && !(status_value(status, "CapBnd:", 16) >> CAP_SYS_ADMIN & 1);

	return names_container(doctor_read(doctor, "/proc/1/cgroup")) ||
	       names_container(doctor_read(doctor, "/proc/self/cgroup")) ||
	       (marked && (doctor->in_pid_namespace || bounded));
}

/* Without /proc. */
static void ask_kernel(struct doctor *doctor)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data) == 0)
		doctor->capabilities = (uint64_t)data[1].effective << 32 | data[0].effective;
	doctor->seccomp = prctl(PR_GET_SECCOMP) > 0 ? SECCOMP_MODE_FILTER : 0;
}

void doctor_facts(struct doctor *doctor)
{
	const char *status = doctor_read(doctor, "/proc/self/status");

	doctor->root_user = geteuid() == 0;
	doctor->has_proc = status != NULL;
	doctor->has_sys = file_exists(doctor, "/sys/kernel");
	if (status) {
		doctor->capabilities = status_value(status, "CapEff:", 16);
		doctor->seccomp = (long)status_value(status, "Seccomp:", 10);
	} else {
		ask_kernel(doctor);
	}
	doctor->paranoid =
		doctor_number(doctor, "/proc/sys/kernel/perf_event_paranoid", PARANOID_UNKNOWN);
	doctor->in_user_namespace =
		namespace_is_other(doctor->options->root, "user", INITIAL_USER_NAMESPACE);
	doctor->in_pid_namespace =
		namespace_is_other(doctor->options->root, "pid", INITIAL_PID_NAMESPACE);
	doctor->in_container = is_container(doctor, status);
	bpf_kinds_try(doctor->bpf);
}

bool doctor_has(const struct doctor *doctor, unsigned capability)
{
	return doctor->capabilities >> capability & 1;
}

bool doctor_is_refusal(const struct doctor *doctor, int code)
{
	return code == -EACCES || code == -EPERM || (code == -ENOSYS && doctor->seccomp);
}
