/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives up what a process needs no more once it only reads: afterwards it cannot change anything
 * but what its descriptors are open for. It can open files for reading alone, and start threads;
 * it cannot start a process, reach another one or the network, or make memory executable. Of the
 * capabilities those stay that let it read (CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE for the roots of
 * containers, CAP_SYSLOG for addresses of the kernel). Holds for the thread that calls it and all
 * that it starts: call it before there are others. */
#ifndef BASE_SANDBOX_H
#define BASE_SANDBOX_H

struct err;

/* 0, or -errno where the kernel does not have it (seccomp: Linux 3.5). */
int sandbox_enter(struct err *err);

#endif
