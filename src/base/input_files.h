/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that this process has read as inputs, so that no output replaces one of them: neither
 * under its own name nor through a link. Thread-safe. */
#ifndef BASE_INPUT_FILES_H
#define BASE_INPUT_FILES_H

#include <stdbool.h>

struct stat;

/* Only regular files count. */
void input_files_add(const struct stat *st);
/* For an input that is opened after the output; one that is not there is left out. */
void input_files_add_path(const char *path);
/* Whether the path leads to one of them. */
bool input_files_have(const char *path);

#endif
