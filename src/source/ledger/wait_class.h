/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which system calls wait for what. */
#ifndef SOURCE_WAIT_CLASS_H
#define SOURCE_WAIT_CLASS_H

#include <stdint.h>

#include "event/ledger_account.h"

/* Fills the table by system call number of this architecture. */
void wait_classes(uint8_t class_of[LEDGER_SYSCALLS]);

#endif
