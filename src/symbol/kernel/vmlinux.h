/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the image of the recorded kernel: the file that the user names, or a debug file with its
 * build id. */
#ifndef SYMBOL_VMLINUX_H
#define SYMBOL_VMLINUX_H

#include <stdint.h>

struct elf_file;
struct err;
struct module;
struct symbol_options;

/* *ret_slide is what to add to an address of the image to get a recorded one. err is set only if
 * the user's file is not it. */
int vmlinux_open_file(const struct module *module, const struct symbol_options *options,
		      struct elf_file **ret, uint64_t *ret_slide, struct err *err);

#endif
