/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting of tables by address: stable and linear, since symbol tables are large and qsort() of
 * one takes longer than reading it. */
#ifndef SYMBOL_ADDRESS_SORT_H
#define SYMBOL_ADDRESS_SORT_H

#include <stddef.h>

/* Items start with their uint64_t address; count < 2^32. Sorts in place. */
void address_sort(void *item, size_t count, size_t item_bytes);

#endif
