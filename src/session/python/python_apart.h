/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code objects of Python processes, taken apart by a process that may not read the memory of others
 * for one that may, but parses nothing. The first asks the second for bytes. */
#ifndef SESSION_PYTHON_PYTHON_APART_H
#define SESSION_PYTHON_PYTHON_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "symbol/python/python_code.h"

struct python_read {
	struct python_function function; /* to be freed */
	struct buf name, file;
};

void python_read_done(struct python_read *read);

/* How the two talk; false: no more. */
struct python_channel {
	bool (*send)(void *context, const void *data, size_t len);
	bool (*receive)(void *context, void *data, size_t len);
	void *context;
};

/* Answers a request of the other side, from its first byte on. */
bool python_apart_answer(const struct python_channel *channel);

struct python_source {
	/* As process_vm_readv(2): the number of bytes that could be read. */
	uint64_t (*read)(uint32_t pid, uint64_t addr, void *to, size_t len);
	const struct python_layout *layout;
	uint32_t pid;
};

/* python_function_read() over there. *ret_good: whether there is such a function, in *ret. False:
 * the other side does not answer as it should. */
bool python_apart_read(const struct python_channel *channel, const struct python_source *source,
		       uint64_t code, struct python_read *ret, bool *ret_good);

#endif
