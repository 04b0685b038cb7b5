/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the devices of files are called on this machine, as sysfs and the table of mounts tell. */
#ifndef SOURCE_BLOCK_DEVICE_H
#define SOURCE_BLOCK_DEVICE_H

#include <stdint.h>

struct buf;

/* The number as the kernel keeps it (LEDGER_MINOR_BITS). name: "dm-0"; the mount point of what
 * needs no device; "8:1" when neither is known. about: what one calls it oneself and what is built
 * upon it, "slow, part of md0", or what is mounted, "fuse.sshfs", or nothing. root: "" for this
 * machine. */
void block_device_name(const char *root, uint32_t device, struct buf *name, struct buf *about);

#endif
