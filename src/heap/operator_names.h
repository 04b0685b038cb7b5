/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of C++'s operators new and delete, as its ABI writes them where size_t is unsigned
 * long. */
#ifndef HEAP_OPERATOR_NAMES_H
#define HEAP_OPERATOR_NAMES_H

/* operator new(size_t), new[], nothrow, with an alignment, with both. */
#define HEAP_NEWS(X)                             \
	X(_Znwm, 0)                              \
	X(_Znam, 0)                              \
	X(_ZnwmRKSt9nothrow_t, 0)                \
	X(_ZnamRKSt9nothrow_t, 0)                \
	X(_ZnwmSt11align_val_t, 1)               \
	X(_ZnamSt11align_val_t, 1)               \
	X(_ZnwmSt11align_val_tRKSt9nothrow_t, 1) \
	X(_ZnamSt11align_val_tRKSt9nothrow_t, 1)

/* operator delete(void *), delete[], with a size, nothrow, with an alignment, with two of them. */
#define HEAP_DELETES(X)                        \
	X(_ZdlPv)                              \
	X(_ZdaPv)                              \
	X(_ZdlPvm)                             \
	X(_ZdaPvm)                             \
	X(_ZdlPvRKSt9nothrow_t)                \
	X(_ZdaPvRKSt9nothrow_t)                \
	X(_ZdlPvSt11align_val_t)               \
	X(_ZdaPvSt11align_val_t)               \
	X(_ZdlPvmSt11align_val_t)              \
	X(_ZdaPvmSt11align_val_t)              \
	X(_ZdlPvSt11align_val_tRKSt9nothrow_t) \
	X(_ZdaPvSt11align_val_tRKSt9nothrow_t)

#endif
