/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of perf that are not built yet, and what to type instead. */
#ifndef COMMAND_PERF_WORDS_H
#define COMMAND_PERF_WORDS_H

/* The hint for a command of perf; NULL = not one, or built. */
const char *perf_word_instead(const char *name);

#endif
