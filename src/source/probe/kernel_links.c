/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See kernel_links.h. The PMU: kernel/events/core.c, "kprobe". */
#include "source/probe/kernel_links.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/bpf/bpf_error.h"
#include "source/probe/probe_choice.h"
#include "source/probe/probe_links.h"

#define KPROBE_DEVICE "/sys/bus/event_source/devices/kprobe/"
#define MULTI_RETURN  1u

/* Functions, by column, and what is attached to them. */
struct columns {
	const char **names;
	__u64 *cookies;
	int program;
	bool at_return;
};

static int link_multi(const struct columns *columns, size_t first, size_t count)
{
	LIBBPF_OPTS(bpf_link_create_opts, options,
		    .kprobe_multi = { .flags = columns->at_return ? MULTI_RETURN : 0,
				      .cnt = (uint32_t)count,
				      .syms = columns->names + first,
				      .cookies = columns->cookies + first });
	int fd = bpf_link_create(columns->program, 0, BPF_TRACE_KPROBE_MULTI, &options);

	return fd < 0 ? -errno : fd;
}

/* The kernel looks for the names after it has found that it has such links: an unknown one shows
 * it. */
bool kernel_links_multi(void)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	const char *name = "no such function";
	__u64 cookie = 0;
	struct columns columns = { .names = &name, .cookies = &cookie };
	AUTO_CLOSE int program = -1;
	int fd;

	bpf_be_quiet();
	program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cupel_kprobes", "GPL", code,
				sizeof(code) / sizeof(code[0]), &options);
	if (program < 0)
		return false;
	columns.program = program;
	fd = link_multi(&columns, 0, 1);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0 || fd == -ESRCH || fd == -ENOENT;
}

bool kernel_links_possible(void)
{
	return access(KPROBE_DEVICE "type", F_OK) == 0 || kernel_links_multi();
}

void kernel_links_prepare(struct bpf_program *program, const struct probe_choice *choice)
{
	const enum bpf_attach_type one_each = (enum bpf_attach_type)0;
	bool multi = choice->kernel.count && !choice->by_event && kernel_links_multi();

	(void)bpf_program__set_autoload(program, choice->kernel.count != 0);
	if (choice->kernel.count)
		(void)bpf_program__set_expected_attach_type(program, multi ? BPF_TRACE_KPROBE_MULTI
									   : one_each);
}

/* One link, unless the kernel refuses a function: then they are halved until it is found. */
static int link_halves(struct probe_links *links, const struct columns *columns, size_t first,
		       size_t count)
{
	int fd = link_multi(columns, first, count), code;

	if (fd >= 0) {
		vec_push(&links->fds, fd);
		return 0;
	}
	if (fd == -EPERM || fd == -EACCES || fd == -ENOMEM || fd == -EOPNOTSUPP)
		return fd;
	if (count == 1) {
		vec_push(&links->refused, (uint32_t)columns->cookies[first]);
		return 0;
	}
	code = link_halves(links, columns, first, count / 2);
	if (!code)
		code = link_halves(links, columns, first + count / 2, count - count / 2);
	return code;
}

static int link_all(struct probe_links *links, const struct bpf_program *program,
		    const struct probe_choice *choice, bool at_return)
{
	size_t count = choice->kernel.count;
	AUTO_FREE __u64 *cookies = mem_zalloc(count * sizeof(*cookies));
	AUTO_FREE const char **names = mem_zalloc(count * sizeof(*names));
	const struct columns columns = { names, cookies, bpf_program__fd(program), at_return };

	for (size_t i = 0; i < count; i++) {
		cookies[i] = choice->kernel.item[i].number;
		names[i] = choice->kernel.item[i].name;
	}
	return link_halves(links, &columns, 0, count);
}

static int read_number(const char *path, uint32_t *ret, struct err *err)
{
	struct buf text = { .limit = 64 };
	int code = fd_read_file(path, &text, err);
	const char *digits = code ? NULL : strpbrk(text.data, "0123456789");

	*ret = digits ? (uint32_t)strtoul(digits, NULL, 10) : 0;
	buf_done(&text);
	return code;
}

static int link_event(struct probe_links *links, const struct bpf_program *program,
		      struct perf_event_attr *attr, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .perf_event.bpf_cookie = cookie);
	long event = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	int fd;

	if (event < 0)
		return -errno;
	vec_push(&links->fds, (int)event);
	fd = bpf_link_create(bpf_program__fd(program), (int)event, BPF_PERF_EVENT, &options);
	if (fd < 0)
		return -errno;
	vec_push(&links->fds, fd);
	return 0;
}

static int link_each(struct probe_links *links, const struct bpf_program *program,
		     const struct probe_choice *choice, bool at_return, struct err *err)
{
	uint32_t type, return_bit;
	int code = read_number(KPROBE_DEVICE "type", &type, err);

	if (!code)
		code = read_number(KPROBE_DEVICE "format/retprobe", &return_bit, err);
	for (size_t i = 0; !code && i < choice->kernel.count; i++) {
		const struct probe_kernel_function *function = &choice->kernel.item[i];
		struct perf_event_attr attr = { .type = type,
						.size = sizeof(attr),
						.config1 = (uint64_t)(uintptr_t)function->name };

		attr.config = (uint64_t)at_return << return_bit;
		code = link_event(links, program, &attr, function->number);
		if (code == -EINVAL || code == -ENOENT || code == -EADDRNOTAVAIL ||
		    code == -EOPNOTSUPP) {
			vec_push(&links->refused, function->number);
			code = 0;
		}
		if (code)
			return bpf_fail(err, code, function->name);
	}
	return code;
}

int kernel_links_attach(struct probe_links *links, const struct bpf_program *program,
			const struct probe_choice *choice, bool at_return, struct err *err)
{
	size_t refused = links->refused.count;
	int code;

	if (!choice->kernel.count)
		return 0;
	if (bpf_program__expected_attach_type(program) == BPF_TRACE_KPROBE_MULTI) {
		code = link_all(links, program, choice, at_return);
		if (code)
			(void)bpf_fail(err, code, "functions of the kernel");
	} else {
		code = link_each(links, program, choice, at_return, err);
	}
	if (!code && links->refused.count - refused == choice->kernel.count)
		return err_set(err, -EOPNOTSUPP, "the kernel does not let %s be probed",
			       choice->kernel.count == 1 ? choice->kernel.item[0].name
							 : "any of these functions");
	return code;
}
