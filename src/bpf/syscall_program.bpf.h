/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a call of exec began to run, for its line: path and words are not where they were when the
 * call began. */
#ifndef BPF_SYSCALL_PROGRAM_H
#define BPF_SYSCALL_PROGRAM_H

#include "bpf/kernel.h"

#include "event/syscall.h"

#include <bpf/bpf_helpers.h>

/* The file that a thread has just begun to run, and its arguments: those of the call are gone with
 * the memory. */
struct program_path {
	__u32 len; /* 0 = no call of exec returns */
	char path[SYSCALL_COPY_MAX];
	__u32 words_len; /* 0 = not known */
	char words[SYSCALL_COPY_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct program_path);
} program_paths SEC(".maps");

/* They are on the new stack, one behind the other. */
static __always_inline void keep_words(struct program_path *to, struct task_struct *task,
				       struct linux_binprm *program)
{
	struct mm_struct *mm = task->mm;
	__u64 len;

	to->words_len = 0;
	if (!mm || program->interp != program->filename)
		return; /* a script: its interpreter has other arguments */
	len = mm->arg_end - mm->arg_start;
	__asm__ volatile("" : "+r"(len));
	if (len > SYSCALL_COPY_MAX)
		len = SYSCALL_COPY_MAX;
	__asm__ volatile("" : "+r"(len));
	if (!bpf_probe_read_user(to->words, len, (const void *)mm->arg_start))
		to->words_len = (__u32)len;
}

static __always_inline void keep_path(struct task_struct *task, struct linux_binprm *program)
{
	struct program_path *to =
		bpf_task_storage_get(&program_paths, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	long len;

	if (!to)
		return;
	len = bpf_probe_read_kernel_str(to->path, sizeof(to->path), program->filename);
	to->len = len > 0 && len <= SYSCALL_COPY_MAX ? (__u32)len : 1;
	keep_words(to, task, program);
}

#endif
