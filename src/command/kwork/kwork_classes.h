/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of the kernel's work that perf's -k names. */
#ifndef COMMAND_KWORK_KWORK_CLASSES_H
#define COMMAND_KWORK_KWORK_CLASSES_H

struct err;

/* "irq,softirq" as bits of enum kwork_class; NULL = `usual`. Returns 0, or command_usage(). */
int kwork_classes_parse(const char *list, unsigned usual, unsigned *ret, struct err *err);

#endif
