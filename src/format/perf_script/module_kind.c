/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of code by the module names that perf prints (see module_kind.h). */
#include "format/perf_script/module_kind.h"

#include <stdbool.h>
#include <string.h>

#define KERNEL_HALF ((uint64_t)1 << 63)

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && memcmp(s + len - n, end, n) == 0;
}

static bool starts_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

enum frame_kind module_kind(const char *path, uint64_t pc)
{
	size_t len = strlen(path);

	if (path[0] == '[') {
		if (starts_with(path, "[guest."))
			return FRAME_GUEST;
		if (starts_with(path, "[JIT]"))
			return FRAME_JIT;
		if (starts_with(path, "[vdso") || starts_with(path, "[vsyscall") ||
		    starts_with(path, "[heap") || starts_with(path, "[stack") ||
		    starts_with(path, "[anon") || starts_with(path, "[uprobes"))
			return FRAME_USER;
		if (!starts_with(path, "[unknown"))
			return FRAME_KERNEL;
	}
	if (ends_with(path, len, "vmlinux") || ends_with(path, len, ".ko") ||
	    ends_with(path, len, ".ko.gz") || ends_with(path, len, ".ko.xz") ||
	    ends_with(path, len, ".ko.zst") || strstr(path, "/vmlinux-"))
		return FRAME_KERNEL;
	if (strncmp(path, "/tmp/perf-", 10) == 0 && ends_with(path, len, ".map"))
		return FRAME_JIT;
	if (strstr(path, "/jitted-") && ends_with(path, len, ".so"))
		return FRAME_JIT;
	return pc >= KERNEL_HALF ? FRAME_KERNEL : FRAME_USER;
}
