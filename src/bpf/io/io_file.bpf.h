/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a request is about. */
#ifndef BPF_IO_FILE_BPF_H
#define BPF_IO_FILE_BPF_H

#include "bpf/activity/socket.bpf.h"
#include "bpf/io/io_sums.bpf.h"
#include "bpf/wait/waited_file.bpf.h"

static __always_inline __u8 kind_of_file(const struct inode *inode, __u32 mode)
{
	switch (mode & FILE_KIND) {
	case KIND_REG:
		return IO_FILE_REGULAR;
	case KIND_SOCKET:
		return IO_FILE_SOCKET;
	case KIND_FIFO:
		return IO_FILE_PIPE;
	case KIND_BLOCK:
		return IO_FILE_BLOCK;
	case KIND_CHAR:
		return is_terminal(BPF_CORE_READ(inode, i_rdev)) ? IO_FILE_TERMINAL : IO_FILE_OTHER;
	default:
		return IO_FILE_OTHER;
	}
}

static __always_inline void name_socket(struct io_names *names, struct file *file)
{
	struct socket *socket = (struct socket *)BPF_CORE_READ(file, private_data);
	struct sock *sock = BPF_CORE_READ(socket, sk);

	if (!is_tcp(sock))
		return;
	names->family = BPF_CORE_READ(sock, __sk_common.skc_family);
	names->ports = socket_ports(sock);
	put_addresses(names->text, sock);
	names->len = SOCKET_ADDRESSES;
}

/* Keeps the name of a file that has none yet. */
SUBPROGRAM int name_file(struct io_making *making, __u64 at)
{
	struct file *file = (struct file *)at;
	struct io_file_key key = {};

	if (!making)
		return 0;
	key.inode = making->key.inode;
	key.device = making->key.device;
	if (bpf_map_lookup_elem(&file_names, &key))
		return 0;
	making->names.len = making->names.family = making->names.ports = 0;
	if (making->key.file_kind == IO_FILE_SOCKET)
		name_socket(&making->names, file);
	else
		making->names.len = put_names(making->names.text, IO_NAMES, file);
	(void)bpf_map_update_elem(&file_names, &key, &making->names, BPF_ANY);
	return 0;
}

static __always_inline void set_file(struct io_making *making, struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	making->key.file_kind = kind_of_file(inode, BPF_CORE_READ(inode, i_mode));
	making->key.inode = BPF_CORE_READ(inode, i_ino);
	making->key.device = BPF_CORE_READ(inode, i_sb, s_dev);
	(void)name_file(making, (__u64)file);
}

#endif
