/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared with user space, which sizes the maps of bpf/walk/walk_slot.bpf.h. */
#ifndef BPF_WALK_SLOT_H
#define BPF_WALK_SLOT_H

#define WALK_SPARE_SLOTS 8u

#endif
