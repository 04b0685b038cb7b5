/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input of unknown format: a file, a pipe, stdin ("-") or a queue of bytes, gunzipped on the fly
 * when it starts with the gzip magic. Peek first, then either stream it or take it whole. */
#ifndef FORMAT_INPUT_H
#define FORMAT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct byte_queue;
struct err;
struct input;

/* path "-" is stdin, NULL perf.data; a folder is a recording in perf's directory format. */
int input_open(const char *path, struct input **ret, struct err *err);
/* Another file of that folder; -ENOTDIR when the input is not one. */
int input_open_member(const struct input *input, const char *member, struct input **ret,
		      struct err *err);
/* For tests and fuzzers: bytes in memory, borrowed. */
struct input *input_memory(const void *data, size_t len);
/* Bytes in memory, borrowed, that came with another input; has the name of that input. */
struct input *input_part(const struct input *of, const void *data, size_t len, uint64_t modified_s);
/* The bytes that another thread puts into the queue, which is borrowed; `name` is for messages. */
struct input *input_queue(struct byte_queue *queue, const char *name);
void input_close(struct input *input); /* NULL is fine */

const char *input_name(const struct input *input);    /* for messages */
uint64_t input_modified_s(const struct input *input); /* mtime; 0 for memory */
uint32_t input_owner(const struct input *input); /* uid; (uint32_t)-1 when not a regular file */
/* The first bytes (up to 64 KiB) without consuming them. */
int input_peek(struct input *input, const uint8_t **ret, size_t *ret_len, struct err *err);
/* Streams; 0 at the end, -errno on error. */
ssize_t input_read(struct input *input, void *data, size_t len);
/* Sets err for what input_read() returned below 0. Returns the number. */
int input_error(const struct input *input, ssize_t n, struct err *err);
/* Whether the input is packed with gzip and, as far as it was read, damaged or without its end. */
bool input_is_cut(const struct input *input);
/* True for a regular uncompressed file: input_map() is then cheap. */
bool input_seekable(const struct input *input);
/* Whether it is packed, and can be read from its beginning again, as often as needed: a file, or a
 * pipe until input_read() goes past the first bytes. Then only the packed bytes are in memory. */
bool input_rewinds(const struct input *input);
/* Reads a pipe to its end the first time. */
int input_rewind(struct input *input, struct err *err);
/* The packed bytes from any place, after input_rewind(); 0 at the end, -errno on error. */
ssize_t input_read_packed(const struct input *input, uint64_t at, void *data, size_t len);
/* The whole content as memory (mmap, or read up to 8 GiB). Borrowed until input_close(). */
int input_map(struct input *input, const uint8_t **ret, size_t *ret_len, struct err *err);
/* Declares that mapped bytes before `offset` are no longer needed, to limit peak memory. They are
 * released in large steps: input_releases() returns whether input_release() would. */
bool input_releases(const struct input *input, size_t offset);
void input_release(struct input *input, size_t offset);
/* Maps some of them in advance, which saves page faults. Thread-safe, like the next. */
void input_fetch_part(const struct input *input, const void *data, size_t len);
/* Releases some of them at once. */
void input_release_part(const struct input *input, const void *data, size_t len);

#endif
