/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine is like (event/machine.h), once a second, and at the end for what came since. */
#ifndef SOURCE_MACHINE_SOURCE_H
#define SOURCE_MACHINE_SOURCE_H

#include "source/source.h"

/* Of struct source_options it reads pids and program, for the throttling of the first one's control
 * group, and clock. */
extern const struct source_ops source_machine;

#endif
