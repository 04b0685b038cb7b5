/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many processes of its own a recorder may have: itself, and its children in the sandbox. */
#ifndef BPF_OWN_H
#define BPF_OWN_H

#define OWN_PROCESSES 4

#endif
