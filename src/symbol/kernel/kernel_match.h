/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the running kernel is the recorded one. After a reboot the same kernel is at another
 * address (KASLR): the recorded address of _text gives the difference. */
#ifndef SYMBOL_KERNEL_MATCH_H
#define SYMBOL_KERNEL_MATCH_H

#include <stdint.h>

struct err;
struct kallsyms;
struct module;
struct symbol_options;

/* For a module that is the kernel or one of its modules: what to add to an address of kallsyms to
 * get a recorded one. -ESTALE if it is another kernel. */
int kernel_match(const struct kallsyms *kallsyms, const struct module *module,
		 const struct symbol_options *options, uint64_t *ret_slide, struct err *err);

#endif
