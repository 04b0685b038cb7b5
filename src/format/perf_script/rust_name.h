/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rust names that an older perf demangled halfway, as C++: "a::_$u7b$$u7b$closure$u7d$$u7d$::h" and
 * 16 hex digits. The escapes are those of rustc's legacy mangling. */
#ifndef FORMAT_PERF_SCRIPT_RUST_NAME_H
#define FORMAT_PERF_SCRIPT_RUST_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* Appends the readable name and returns true, or returns false for any other name. */
bool rust_name_finish(const char *name, size_t len, struct buf *ret);

#endif
