/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/bpf_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/err.h"

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

void bpf_be_quiet(void)
{
	(void)libbpf_set_print(say_nothing);
}

bool bpf_kernel_since(unsigned major, unsigned minor)
{
	unsigned a, b;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &a, &b) == 2 &&
	       (a > major || (a == major && b >= minor));
}

int bpf_fail(struct err *err, int code, const char *step)
{
	/* E2BIG is not about arguments here */
	(void)err_set(err, code, "%s: %s", step,
		      code == -E2BIG ? "larger than this kernel allows" : strerror(-code));
	if (code == -EPERM || code == -EACCES) {
		(void)err_hint(err, geteuid() ? "run as root, or with CAP_BPF and CAP_PERFMON"
					      : "kernel lockdown or a container without CAP_BPF "
						"and CAP_PERFMON forbids it, even for root");
		return err_hint_add(err, "; see: cupel doctor");
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_hint(err, "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	return code;
}
