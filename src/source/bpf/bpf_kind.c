/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/bpf_kind.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/buf.h"
#include "base/fd.h"
#include "source/bpf/bpf_error.h"

/* From Linux 6.6; the headers that programs are built with may be older. */
#define ATTACH_UPROBE_MULTI 48

#define MAX_PROGRAMS 65536

/* BPF_LINK_CREATE for uprobe_multi: that part of union bpf_attr. */
struct uprobe_multi_link {
	uint32_t program_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, multi_flags, pid, reserved;
};

static const struct {
	const char *name;
	enum bpf_prog_type type;
	uint32_t attach_type;
	const char *target; /* a type of the kernel */
	uint32_t target_kind;
} kinds[BPF_KINDS] = {
	[BPF_KIND_PERF_EVENT] = { "perf_event", BPF_PROG_TYPE_PERF_EVENT, 0, NULL, 0 },
	[BPF_KIND_RAW_TP] = { "raw_tp", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, NULL, 0 },
	[BPF_KIND_TP_BTF] = { "tp_btf", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
			      "btf_trace_sched_switch", BTF_KIND_TYPEDEF },
	[BPF_KIND_ITER] = { "iter", BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, "bpf_iter_task",
			    BTF_KIND_FUNC },
	[BPF_KIND_UPROBE_MULTI] = { "uprobe_multi", BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, NULL,
				    0 },
};

const char *bpf_kind_name(enum bpf_kind kind)
{
	return kinds[kind].name;
}

/* Loads "return 0". Returns a descriptor, or -errno. */
static int load_nothing(enum bpf_kind kind, uint32_t target)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		    .expected_attach_type = (enum bpf_attach_type)kinds[kind].attach_type,
		    .attach_btf_id = target);
	int fd = bpf_prog_load(kinds[kind].type, "cupel_doctor", "GPL", code,
			       sizeof(code) / sizeof(code[0]), &options);

	return fd < 0 ? -errno : fd;
}

/* The kernel looks at rights and at the kind of link before it finds that "/" has no code: -EBADF
 * says that it would have attached. */
static int try_uprobe_multi(int program)
{
	uint64_t offset = 0;
	struct uprobe_multi_link link = {
		.program_fd = (uint32_t)program,
		.attach_type = ATTACH_UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t) "/",
		.offsets = (uint64_t)(uintptr_t)&offset,
		.count = 1,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));

	if (fd >= 0) {
		(void)close((int)fd); /* it has no code either way */
		return 0;
	}
	return errno == EBADF ? 0 : -errno;
}

static int try_kind(enum bpf_kind kind, const struct btf *types)
{
	AUTO_CLOSE int fd = -1;
	int target = 0;

	if (kinds[kind].target) {
		target = types ? btf__find_by_name_kind(types, kinds[kind].target,
							kinds[kind].target_kind)
			       : -ENOENT;
		if (target < 0)
			return -ENOENT;
	}
	fd = load_nothing(kind, (uint32_t)target);
	if (fd < 0)
		return fd;
	return kind == BPF_KIND_UPROBE_MULTI ? try_uprobe_multi(fd) : 0;
}

void bpf_kinds_try(int ret[BPF_KINDS])
{
	struct btf *types;

	bpf_be_quiet();
	types = btf__load_vmlinux_btf();
	for (enum bpf_kind kind = 0; kind < BPF_KINDS; kind++)
		ret[kind] = try_kind(kind, types);
	btf__free(types);
}

int bpf_uprobe_multi_try(void)
{
	bpf_be_quiet();
	return try_kind(BPF_KIND_UPROBE_MULTI, NULL);
}

static bool takes_samples(const struct bpf_prog_info *info)
{
	switch (info->type) {
	case BPF_PROG_TYPE_PERF_EVENT:
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_TRACING:
		return true;
	default:
		return false;
	}
}

static void add_program(struct bpf_attached *all, struct bpf_prog_info *info)
{
	size_t len = strlen(all->names);

	text_tidy(info->name, strnlen(info->name, sizeof(info->name)));
	if (len + sizeof(info->name) + 3 < sizeof(all->names))
		(void)snprintf(all->names + len, sizeof(all->names) - len, "%s%.*s",
			       len ? ", " : "", (int)sizeof(info->name), info->name);
	all->count++;
}

int bpf_attached_list(struct bpf_attached *ret)
{
	uint32_t id = 0;

	*ret = (struct bpf_attached){ 0 };
	for (unsigned i = 0; i < MAX_PROGRAMS; i++) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		if (bpf_prog_get_next_id(id, &id))
			return errno == ENOENT ? 0 : -errno;
		AUTO_CLOSE int fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
			continue; /* it has gone */
		if (takes_samples(&info))
			add_program(ret, &info);
	}
	return 0;
}
