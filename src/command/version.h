/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The version line, for `cupel version` and `cupel --version`. */
#ifndef COMMAND_VERSION_H
#define COMMAND_VERSION_H

void version_print(void);

#endif
