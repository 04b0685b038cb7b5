/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a system call is about: paths, command lines and files. */
#ifndef BPF_ACTIVITY_CALL_ABOUT_BPF_H
#define BPF_ACTIVITY_CALL_ABOUT_BPF_H

#include "bpf/activity/deliver.bpf.h"
#include "bpf/activity/path.bpf.h"
#include "bpf/wait/waited_file.bpf.h"

#define WORD_BYTES 128 /* of an argument of a program that could not be run */
#define MAX_WORDS  19

/* The words of execve(), each with its NUL, as far as they fit. */
SUBPROGRAM int put_words(struct activity *to, __u64 words)
{
	__u64 at = 0, word;
	long len;

	for (__u32 i = 0; to && i < MAX_WORDS; i++) {
		if (bpf_probe_read_user(&word, sizeof(word), (const void *)(words + i * 8ull)) ||
		    !word)
			break;
		__asm__ volatile("" : "+r"(at));
		if (at > ACTIVITY_TEXT - WORD_BYTES)
			break;
		len = bpf_probe_read_user_str(to->text + at, WORD_BYTES, (const void *)word);
		if (len <= 0 || len > WORD_BYTES)
			break;
		at += (__u64)len;
	}
	if (to)
		to->text_len = (__u32)at;
	return 0;
}

/* Of the program that runs now. */
static __always_inline void put_own_words(struct activity *to, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
	__u64 len;

	if (!mm)
		return;
	len = mm->arg_end - mm->arg_start;
	__asm__ volatile("" : "+r"(len));
	if (len > ACTIVITY_TEXT)
		len = ACTIVITY_TEXT;
	__asm__ volatile("" : "+r"(len));
	if (!bpf_probe_read_user(to->text, len, (const void *)mm->arg_start))
		to->text_len = (__u32)len;
}

static __always_inline void put_path(struct activity *to, __u64 address)
{
	long len = bpf_probe_read_user_str(to->text, ACTIVITY_TEXT, (const void *)address);

	to->text_len = len > 0 ? (__u32)len - 1 : 0;
}

/* The whole path of the file that was opened. */
SUBPROGRAM int put_opened(struct activity *to, __u64 fd)
{
	struct file *file = open_file(bpf_get_current_task_btf(), fd);

	if (!to || !file)
		return 0;
	to->text_len = put_names(to->text, ACTIVITY_TEXT, file);
	to->number[CALL_NAMES] = 1;
	return 0;
}

static __always_inline void put_name(struct activity *to, struct file *file)
{
	const unsigned char *name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
	long len = bpf_probe_read_kernel_str(to->text, 128, name);

	to->text_len = len > 0 ? (__u32)len - 1 : 0;
}

static __always_inline bool on_wanted_system(struct inode *inode)
{
	const char *name = BPF_CORE_READ(inode, i_sb, s_type, name);
	char type[16] = "";

	if (!rules.file_system[0])
		return true;
	(void)bpf_probe_read_kernel_str(type, sizeof(type), name);
	for (int i = 0; i < 16; i++) {
		if (type[i] != rules.file_system[i])
			return false;
		if (!type[i])
			break;
	}
	return true;
}

/* False: it is not to be shown. */
static __always_inline bool put_file(struct activity *to, struct file *file, __u64 offset,
				     bool has_offset)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	__u32 kind = BPF_CORE_READ(inode, i_mode) & FILE_KIND;
	__u64 bytes = to->number[FILE_READ_BYTES] + to->number[FILE_WRITE_BYTES];

	if ((kind != KIND_REG && rules.only_regular) || !on_wanted_system(inode))
		return false;
	to->number[FILE_TYPE] = kind == KIND_REG ? 'R' : kind == KIND_SOCKET ? 'S' : 'O';
	to->number[FILE_DEVICE] = BPF_CORE_READ(inode, i_sb, s_dev);
	to->number[FILE_INODE] = BPF_CORE_READ(inode, i_ino);
	to->number[FILE_OFFSET] = offset;
	if (!has_offset && kind == KIND_REG)
		to->number[FILE_OFFSET] = (__u64)BPF_CORE_READ(file, f_pos) - bytes;
	put_name(to, file);
	return true;
}

#endif
