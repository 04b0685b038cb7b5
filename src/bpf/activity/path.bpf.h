/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path of a file: its names from the file up to the root, each followed by a NUL; user space
 * reverses them. A mount has the name of its mount point. An empty name at the end says that there
 * are more. */
#ifndef BPF_ACTIVITY_PATH_BPF_H
#define BPF_ACTIVITY_PATH_BPF_H

#include "bpf/kernel.h"
#include "bpf/subprogram.bpf.h"

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#define PATH_NAMES 24
#define NAME_BYTES 128		    /* longer names are cut */
#define NAME_ROOM  (NAME_BYTES + 2) /* with the empty name, and a NUL of user space */

/* Writes the path into text, which has room for `size` bytes (a constant). Returns its bytes. */
static __always_inline __u32 put_names(char *text, const __u32 size, const struct file *file)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry), *parent;
	struct vfsmount *mounted = BPF_CORE_READ(file, f_path.mnt);
	struct mount *mount, *outer;
	__u64 at = 0;
	long len;

	for (int i = 0; i < PATH_NAMES; i++) {
		if (dentry == BPF_CORE_READ(mounted, mnt_root)) {
			mount = (void *)((char *)mounted -
					 bpf_core_field_offset(struct mount, mnt));
			outer = BPF_CORE_READ(mount, mnt_parent);
			if (!outer || outer == mount)
				return (__u32)at;
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			mounted =
				(void *)((char *)outer + bpf_core_field_offset(struct mount, mnt));
			continue;
		}
		parent = BPF_CORE_READ(dentry, d_parent);
		__asm__ volatile("" : "+r"(at));
		if (!parent || parent == dentry)
			return (__u32)at;
		if (at > size - NAME_ROOM)
			break;
		/* Again, for the verifier: it does not know the limit of a copy in memory. */
		__asm__ volatile("if %0 <= %1 goto +1\n\t%0 = %1"
				 : "+r"(at)
				 : "i"(size - NAME_ROOM));
		len = bpf_probe_read_kernel_str(text + at, NAME_BYTES,
						BPF_CORE_READ(dentry, d_name.name));
		if (len <= 0 || len > NAME_BYTES)
			break;
		at += (__u64)len;
		dentry = parent;
	}
	__asm__ volatile("if %0 <= %1 goto +1\n\t%0 = %1" : "+r"(at) : "i"(size - 2));
	text[at] = '\0';
	return (__u32)at + 1;
}

#endif
