/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the devices of files on this machine, from sysfs and the mount table. */
#ifndef SOURCE_BLOCK_DEVICE_H
#define SOURCE_BLOCK_DEVICE_H

#include <stdint.h>

struct buf;

/* The number as the kernel stores it (LEDGER_MINOR_BITS). name: "dm-0"; the mount point if there is
 * no device; "8:1" if neither is known. about: the user-visible name and what is built on it,
 * "slow, part of md0", or what is mounted, "fuse.sshfs", or empty. root: "" for this machine. */
void block_device_name(const char *root, uint32_t device, struct buf *name, struct buf *about);

#endif
