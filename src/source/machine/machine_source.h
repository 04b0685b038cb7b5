/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's state (event/machine.h), once per second, and for the last interval at the end. */
#ifndef SOURCE_MACHINE_SOURCE_H
#define SOURCE_MACHINE_SOURCE_H

#include "source/source.h"

/* Of struct source_options it reads pids and program, for the throttling of the first one's control
 * group, and clock. */
extern const struct source_ops source_machine;

#endif
