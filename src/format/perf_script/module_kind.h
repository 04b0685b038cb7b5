/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guesses the kind of code from a module's name, because text formats contain nothing else. */
#ifndef FORMAT_PERF_SCRIPT_MODULE_KIND_H
#define FORMAT_PERF_SCRIPT_MODULE_KIND_H

#include <stdint.h>

#include "profile/profile.h"

/* path as perf prints it: "[kernel.kallsyms]", "[nf_nat]", "/usr/lib/libc.so.6",
 * "/tmp/perf-1.map", "" = unknown; pc decides if the name does not. */
enum frame_kind module_kind(const char *path, uint64_t pc);

#endif
