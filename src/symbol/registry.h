/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ops of the symbolizers there are, symbolizer_NAME for each line of symbolizers.def. */
#ifndef SYMBOL_REGISTRY_H
#define SYMBOL_REGISTRY_H

struct symbolizer_ops;

#define SYMBOLIZER(name) extern const struct symbolizer_ops symbolizer_##name;
#include "symbol/symbolizers.def"
#undef SYMBOLIZER

#endif
