/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction that a sample hit: its bytes from the module's file, and their number. */
#ifndef SESSION_SCRIPT_SCRIPT_CODE_H
#define SESSION_SCRIPT_SCRIPT_CODE_H

#include <stddef.h>
#include <stdint.h>

struct replay_frame;
struct script_code;
struct symbol_options;

/* The options are borrowed. */
struct script_code *script_code_new(const struct symbol_options *options);
void script_code_free(struct script_code *code); /* NULL is fine */
/* The length of the instruction; 0 when its code or the decoder is missing. Borrowed until the next
 * call. */
size_t script_code_at(struct script_code *code, const struct replay_frame *frame,
		      const uint8_t **ret);

#endif
