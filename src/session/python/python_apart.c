/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two sides (see python_apart.h). An object's bytes are asked for a block at a time, as its
 * parts lie together. */
#include "session/python/python_apart.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define BLOCK_BYTES 512
#define MOST_READ   ((size_t)2 << 20)
#define MOST_TEXT   ((size_t)64 << 10)
#define MOST_ROWS   ((size_t)1 << 20)

struct request {
	struct python_layout layout;
	uint64_t code;
};

/* What is asked for (wanted > 0), or the end. */
struct reply {
	uint64_t addr, wanted;
	uint64_t name_len, file_len, rows;
	struct python_identity identity;
	uint64_t good;
};

void python_read_done(struct python_read *read)
{
	python_function_done(&read->function);
	buf_done(&read->name);
	buf_done(&read->file);
}

/* The side that parses. */

struct far_memory {
	struct python_memory memory; /* first */
	const struct python_channel *channel;
	uint64_t block_addr, block_len;
	uint8_t block[BLOCK_BYTES];
	bool broken;
};

/* Returns how many bytes there are. */
static uint64_t ask(struct far_memory *far, uint64_t addr, void *to, size_t len)
{
	const struct python_channel *channel = far->channel;
	const struct reply reply = { .addr = addr, .wanted = len };
	uint64_t got = 0;

	far->broken = far->broken || !channel->send(channel->context, &reply, sizeof(reply)) ||
		      !channel->receive(channel->context, &got, sizeof(got)) || got > len ||
		      !channel->receive(channel->context, to, got);
	return far->broken ? 0 : got;
}

static bool read_far(const struct python_memory *memory, uint64_t addr, void *to, size_t len)
{
	struct far_memory *far = (struct far_memory *)(uintptr_t)memory;
	uint64_t offset = addr - far->block_addr;

	if (len > MOST_READ)
		return false;
	if (len > BLOCK_BYTES / 2)
		return ask(far, addr, to, len) == len;
	if (offset > far->block_len || len > far->block_len - offset) {
		far->block_addr = addr & ~(uint64_t)(BLOCK_BYTES / 2 - 1); /* on the same page */
		far->block_len = ask(far, far->block_addr, far->block, BLOCK_BYTES);
		offset = addr - far->block_addr;
	}
	if (offset > far->block_len || len > far->block_len - offset)
		return false;
	memcpy(to, far->block + offset, len);
	return true;
}

/* There may be nothing at all. */
static bool send_some(const struct python_channel *channel, const void *data, size_t len)
{
	return !len || channel->send(channel->context, data, len);
}

static bool send_read(const struct python_channel *channel, const struct python_read *read,
		      bool good)
{
	const struct reply reply = { .name_len = good ? read->name.len : 0,
				     .file_len = good ? read->file.len : 0,
				     .rows = read->function.row_count,
				     .identity = read->function.identity,
				     .good = good };

	return channel->send(channel->context, &reply, sizeof(reply)) &&
	       send_some(channel, read->name.data, reply.name_len) &&
	       send_some(channel, read->file.data, reply.file_len) &&
	       send_some(channel, read->function.row, reply.rows * sizeof(*read->function.row));
}

bool python_apart_answer(const struct python_channel *channel)
{
	struct far_memory far = { .memory.read = read_far, .channel = channel };
	struct python_read read = { 0 };
	struct request request;
	bool good;

	if (!channel->receive(channel->context, &request, sizeof(request)))
		return false;
	far.memory.layout = &request.layout;
	good = python_function_read(&far.memory, request.code, &read.function, &read.name,
				    &read.file);
	good = !far.broken && send_read(channel, &read, good);
	python_read_done(&read);
	return good;
}

/* The side that reads. */

static bool answer(const struct python_channel *channel, const struct python_source *source,
		   const struct reply *reply)
{
	uint8_t small[BLOCK_BYTES], *bytes = small;
	uint64_t got;
	bool fine;

	if (reply->wanted > MOST_READ)
		return false;
	if (reply->wanted > sizeof(small))
		bytes = mem_alloc(reply->wanted);
	got = source->read(source->pid, reply->addr, bytes, reply->wanted);
	fine = channel->send(channel->context, &got, sizeof(got)) && send_some(channel, bytes, got);
	if (bytes != small)
		free(bytes);
	return fine;
}

static bool take_text(const struct python_channel *channel, uint64_t len, struct buf *ret)
{
	size_t before = ret->len;

	if (!len)
		return true;
	return len <= MOST_TEXT && !buf_extend(ret, len) &&
	       channel->receive(channel->context, ret->data + before, len);
}

static bool take_read(const struct python_channel *channel, const struct reply *reply,
		      struct python_read *ret)
{
	ret->function.identity = reply->identity;
	if (reply->rows > MOST_ROWS || !take_text(channel, reply->name_len, &ret->name) ||
	    !take_text(channel, reply->file_len, &ret->file))
		return false;
	if (!reply->rows)
		return true;
	ret->function.row = mem_alloc(reply->rows * sizeof(*ret->function.row));
	ret->function.row_count = reply->rows;
	return channel->receive(channel->context, ret->function.row,
				reply->rows * sizeof(*ret->function.row));
}

bool python_apart_read(const struct python_channel *channel, const struct python_source *source,
		       uint64_t code, struct python_read *ret, bool *ret_good)
{
	const struct request request = { *source->layout, code };
	struct python_read read = { 0 };
	struct reply reply;
	bool fine = channel->send(channel->context, &request, sizeof(request));

	*ret_good = false;
	while (fine) {
		fine = channel->receive(channel->context, &reply, sizeof(reply));
		if (!fine || !reply.wanted)
			break;
		fine = answer(channel, source, &reply);
	}
	fine = fine && take_read(channel, &reply, &read);
	if (fine && reply.good) {
		*ret = read;
		*ret_good = true;
		return true;
	}
	python_read_done(&read);
	return fine;
}
