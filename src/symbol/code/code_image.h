/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine code of a module: of its ELF file, the vDSO, the kernel's image, or a jitdump.
 * Only headers are read until code is requested. Offsets are the module's (proc/module.h);
 * addresses are those that objdump shows for the same code. Immutable after open. */
#ifndef SYMBOL_CODE_IMAGE_H
#define SYMBOL_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_image;
struct err;
struct module;
struct symbol_options;

/* Fails with the reason and, as hint, what to do: the file was deleted, was replaced, or the
 * code has no file. */
int code_image_open(const struct module *module, const struct symbol_options *options,
		    struct code_image **ret, struct err *err);
void code_image_close(struct code_image *image); /* NULL is fine */

uint16_t code_image_machine(const struct code_image *image); /* EM_* */
/* Why the code may differ from the code that ran, or NULL. */
const char *code_image_doubt(const struct code_image *image);
/* Code from an offset on; false if there is none. Borrowed. */
bool code_image_at(const struct code_image *image, uint64_t offset, const uint8_t **ret,
		   size_t *ret_len);
/* False outside the module. */
bool code_image_address(const struct code_image *image, uint64_t offset, uint64_t *ret);
bool code_image_offset(const struct code_image *image, uint64_t address, uint64_t *ret);

#endif
