/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What our programs read of the kernel's files, disks and sockets (see kernel.h). */
#ifndef BPF_KERNEL_IO_H
#define BPF_KERNEL_IO_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct file_system_type {
	const char *name;
};

struct super_block {
	unsigned int s_dev;
	struct file_system_type *s_type;
};

struct inode {
	unsigned short i_mode;
	unsigned int i_rdev;
	unsigned long i_ino;
	unsigned int i_generation;
	long long i_size;
	struct super_block *i_sb;
};

struct block_device {
	unsigned int bd_dev;
};

struct page {
	struct address_space *mapping;
	unsigned long compound_head; /* of a part of a larger one: its address, plus one */
};

struct bio_vec {
	struct page *bv_page;
};

struct bio {
	struct block_device *bi_bdev; /* since Linux 5.12 */
	struct bio_vec *bi_io_vec;
};

struct gendisk {
	int major, first_minor;
	char disk_name[32];
};

struct request_queue {
	struct gendisk *disk; /* since Linux 5.16 */
};

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	unsigned long __sector;
	struct bio *bio; /* the first of those it is made of */
};

struct qstr {
	unsigned int len;
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	long long f_pos;
	void *private_data; /* of a socket: struct socket */
};

struct address_space {
	struct inode *host;
};

struct folio {
	struct address_space *mapping;
	unsigned long index;
	unsigned long _flags_1; /* of large ones: the low 8 bits are the order */
};

enum pageflags {
	PG_head = 6, /* the value is the running kernel's */
};

struct in6_address {
	unsigned char byte[16];
};

struct sock_common {
	unsigned int skc_daddr, skc_rcv_saddr;
	unsigned short skc_dport; /* big-endian */
	unsigned short skc_family;
	unsigned char skc_state;
	struct in6_address skc_v6_daddr, skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	unsigned short sk_protocol;
};

struct inet_sock {
	unsigned short inet_sport; /* big-endian; stays when the socket is closed */
};

struct tcp_sock {
	__u64 bytes_received, bytes_acked;
	__u32 snd_nxt;
};

struct socket {
	struct sock *sk;
};

struct sk_buff {
	unsigned short protocol; /* big-endian */
	unsigned short transport_header, network_header;
	unsigned char *head;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

#pragma clang attribute pop

#endif
