/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words that this process was started with: like the kernel's own copy of them, one for a
 * process. */
#include "command/command.h"
#include "command/option/option.h"

static struct option_words process_words;

void command_set_words(const struct option_words *words)
{
	process_words = *words;
}

const struct option_words *command_words(void)
{
	return &process_words;
}
