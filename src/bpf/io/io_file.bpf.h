/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a request is about. */
#ifndef BPF_IO_FILE_BPF_H
#define BPF_IO_FILE_BPF_H

#include "bpf/activity/socket.bpf.h"
#include "bpf/io/io_sums.bpf.h"
#include "bpf/wait/waited_file.bpf.h"

static __always_inline __u8 kind_of_file(const struct file *file, __u32 mode)
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
		return is_terminal(BPF_CORE_READ(file, f_inode, i_rdev)) ? IO_FILE_TERMINAL
									 : IO_FILE_OTHER;
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
SUBPROGRAM int name_file(__u64 at)
{
	const __u32 outside = 0;
	struct io_making *making = bpf_map_lookup_elem(&makings, &outside);
	struct file *file = (struct file *)at;
	struct io_file_key key;

	if (!making)
		return 0;
	key = key_of_file(&making->key);
	making->names.len = making->names.family = making->names.ports = 0;
	if (making->key.file_kind == IO_FILE_SOCKET)
		name_socket(&making->names, file);
	else
		making->names.len = put_names(making->names.text, IO_NAMES, file);
	(void)bpf_map_update_elem(&file_names, &key, &making->names, BPF_ANY);
	return 0;
}

/* Reading by type costs a few ns, a call of the kernel to read memory more than ten. Returns the
 * file's mode. */
static __always_inline __u32 set_inode(struct io_key *key, struct file *file, __u64 *ret_position)
{
	const struct inode *inode;

	if (!bpf_rdonly_cast) {
		inode = BPF_CORE_READ(file, f_inode);
		key->inode = BPF_CORE_READ(inode, i_ino);
		key->generation = BPF_CORE_READ(inode, i_generation);
		key->device = BPF_CORE_READ(inode, i_sb, s_dev);
		*ret_position = (__u64)BPF_CORE_READ(file, f_pos);
		return BPF_CORE_READ(inode, i_mode);
	}
	file = bpf_rdonly_cast(file, bpf_core_type_id_kernel(struct file));
	inode = file->f_inode;
	key->inode = inode->i_ino;
	key->generation = inode->i_generation;
	key->device = inode->i_sb->s_dev;
	*ret_position = (__u64)file->f_pos;
	return inode->i_mode;
}

/* Returns the position in the file, behind what was read or written. */
static __always_inline __u64 set_file(struct io_making *making, struct file *file)
{
	__u64 position = 0;
	__u32 mode = set_inode(&making->key, file, &position);
	struct io_file_key key = key_of_file(&making->key);

	making->key.file_kind = kind_of_file(file, mode);
	if (!bpf_map_lookup_elem(&file_names, &key))
		(void)name_file((__u64)file);
	return position;
}

#endif
