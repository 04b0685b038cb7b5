/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs (see input.h). Regular files are mapped immediately, everything else is a stream behind a
 * small buffer; a stream is read into memory if a caller needs the whole. */
#include "format/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/byte_queue.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/input_files.h"
#include "base/memory_limit.h"
#include "base/par.h"
#include "format/gunzip.h"

#define PEEK_BYTES  ((size_t)64 << 10)
#define WHOLE_LIMIT ((size_t)8 << 30)

/* After Ctrl-C a pipe ends after this time without data, or after this time in total. */
#define SILENCE_MS 500
#define STOP_NS	   2000000000ull

/* Memory is released in steps of a fraction of the file, within these limits. Large steps allow
 * large batches of stacks to unwind. */
#define RELEASE_PART  64
#define RELEASE_LEAST ((size_t)1 << 20)
#define RELEASE_MOST  ((size_t)16 << 20)

struct input {
	char *name;
	char *folder; /* of a recording in directory format, else NULL */
	int fd;	      /* -1 for memory and queues */
	struct byte_queue *queue;
	const uint8_t *data; /* the whole content, NULL while it is a stream */
	size_t len, at;	     /* at: how far input_read() got */
	struct file_map map;
	struct buf whole; /* a stream read to its end */
	size_t released;
	uint64_t modified_s; /* of a part; 0 = that of the file */
	int interrupt;	     /* readable after Ctrl-C; -1 = not watched */
	uint64_t stop_ns;    /* when the pipe ends; 0 = when it is closed */

	bool gzip, mapped; /* mapped: the file has been counted as a whole */
	struct gunzip gunzip;
	/* The packed bytes of a pipe. It keeps them until it is clear that one reading suffices. */
	bool keeps, kept_all;
	struct buf kept;
	size_t kept_at; /* the next one to unpack */
	uint8_t *head;	/* PEEK_BYTES, with a stream */
	size_t head_len, head_at;
};

static struct input *input_new(const char *name)
{
	struct input *input = mem_zalloc(sizeof(*input));

	input->name = mem_strdup(name);
	input->fd = input->interrupt = -1;
	return input;
}

struct input *input_memory(const void *data, size_t len)
{
	struct input *input = input_new("memory");

	input->data = len ? data : (const uint8_t *)"";
	input->len = len;
	return input;
}

struct input *input_part(const struct input *of, const void *data, size_t len, uint64_t modified_s)
{
	struct input *input = input_memory(data, len);

	free(input->name);
	input->name = mem_strdup(of->name);
	input->modified_s = modified_s;
	input->folder = of->folder ? mem_strdup(of->folder) : NULL;
	return input;
}

struct input *input_queue(struct byte_queue *queue, const char *name)
{
	struct input *input = input_new(name);

	input->queue = queue;
	input->head = mem_alloc(PEEK_BYTES);
	return input;
}

static bool is_gzip(const uint8_t *data, size_t len)
{
	return len >= 3 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8;
}

/* Ctrl-C ends a pipe, not the reader: the writer got the signal as well, and writes its last
 * data soon. A second Ctrl-C ends the reader. */
static void watch_interrupt(struct input *input)
{
	struct sigaction action;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	if (sigaction(SIGINT, NULL, &action) || action.sa_handler != SIG_DFL ||
	    pthread_sigmask(SIG_BLOCK, &set, NULL))
		return;
	input->interrupt = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (input->interrupt < 0)
		(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void forget_interrupt(struct input *input)
{
	sigset_t set;

	if (input->interrupt < 0)
		return;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)close(input->interrupt);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	input->interrupt = -1;
}

/* False if the writer has no more data after an interruption. */
static bool wait_for_bytes(struct input *input)
{
	struct pollfd fds[2] = { { .fd = input->fd, .events = POLLIN },
				 { .fd = input->interrupt, .events = POLLIN } };
	struct signalfd_siginfo info;

	if (input->interrupt >= 0 && poll(fds, 2, -1) > 0 && fds[1].revents) {
		(void)!read(input->interrupt, &info, sizeof(info));
		forget_interrupt(input);
		input->stop_ns = clock_ns(CLOCK_MONOTONIC) + STOP_NS;
	}
	if (!input->stop_ns)
		return true;
	return clock_ns(CLOCK_MONOTONIC) < input->stop_ns && poll(fds, 1, SILENCE_MS) > 0;
}

static ssize_t read_retry(struct input *input, void *data, size_t len)
{
	ssize_t n;

	if (!wait_for_bytes(input))
		return 0;
	do
		n = read(input->fd, data, len);
	while (n < 0 && errno == EINTR);
	if (n > 0 && !input->mapped)
		memory_limit_input((size_t)n);
	if (n <= 0)
		forget_interrupt(input);
	return n < 0 ? -errno : n;
}

static ssize_t fetch_packed(void *context, void *data, size_t len)
{
	struct input *input = context;
	size_t left = input->kept.len - input->kept_at;
	ssize_t n;

	if (left) {
		len = len < left ? len : left;
		memcpy(data, input->kept.data + input->kept_at, len);
		input->kept_at += len;
		return (ssize_t)len;
	}
	n = input->kept_all ? 0 : read_retry(input, data, len);
	if (n <= 0 || !input->keeps)
		return n;
	if (buf_append(&input->kept, data, (size_t)n))
		return -E2BIG;
	input->kept_at = input->kept.len;
	return n;
}

/* Reads a pipe to its end, so that it can be unpacked from its beginning. */
static int keep_all(struct input *input, struct err *err)
{
	uint8_t chunk[16384];
	ssize_t n;

	while (!input->kept_all && (n = read_retry(input, chunk, sizeof(chunk))) != 0) {
		if (n < 0)
			return err_set(err, (int)n, "%s: %s", input->name, strerror((int)-n));
		if (buf_append(&input->kept, chunk, (size_t)n))
			return err_set(err, -E2BIG, "%s: larger than %zu GiB", input->name,
				       WHOLE_LIMIT >> 30);
	}
	input->kept_all = true;
	input->kept_at = 0;
	return 0;
}

static void keep_no_more(struct input *input)
{
	if (input->kept_all)
		return;
	input->keeps = false;
	if (input->kept_at == input->kept.len) {
		buf_done(&input->kept);
		input->kept_at = 0;
	}
}

static int start_gzip(struct input *input, struct err *err)
{
	input->gzip = gunzip_open(&input->gunzip, fetch_packed, input);
	if (!input->gzip)
		return err_set(err, -ENOMEM, "%s: cannot initialize decompression", input->name);
	return 0;
}

/* Opens a path; a folder is a recording in directory format, with its records in "data". */
static int open_path(struct input *input, const char *path, struct stat *ret, struct err *err)
{
	if (strcmp(path, "-") == 0)
		input->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		input->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (input->fd < 0 || fstat(input->fd, ret))
		return err_errno(err, "%s", input->name);
	input_files_add(ret);
	if (!S_ISDIR(ret->st_mode))
		return 0;
	AUTO_CLOSE int folder = take_fd(&input->fd);

	input->folder = mem_strdup(path);
	/* O_NONBLOCK: a fifo instead of a file is refused, without waiting for a writer */
	input->fd = openat(folder, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (input->fd < 0 && errno == ENOENT)
		return err_set(err, -EISDIR, "%s: a directory, and not one that perf record wrote",
			       path);
	if (input->fd < 0 || fstat(input->fd, ret))
		return err_errno(err, "%s/data", path);
	if (!S_ISREG(ret->st_mode))
		return err_set(err, -EINVAL, "%s/data: not a regular file", path);
	input_files_add(ret);
	return 0;
}

static int open_content(struct input *input, const struct stat *st, struct err *err)
{
	off_t at = S_ISREG(st->st_mode) ? lseek(input->fd, 0, SEEK_CUR) : -1;

	/* Files of /proc are regular and have size 0. */
	if (at != 0 || st->st_size == 0) {
		ssize_t n;

		if (!S_ISREG(st->st_mode))
			watch_interrupt(input);
		input->head = mem_alloc(PEEK_BYTES);
		n = read_retry(input, input->head, PEEK_BYTES);
		if (n < 0)
			return err_set(err, (int)n, "%s: %s", input->name, strerror((int)-n));
		input->head_len = (size_t)n;
		if (!is_gzip(input->head, input->head_len))
			return 0;
		if (start_gzip(input, err))
			return err->code;
		input->keeps = true;
		input->kept.limit = WHOLE_LIMIT;
		(void)buf_append(&input->kept, input->head, input->head_len);
		input->head_len = 0;
		return 0;
	}
	if (file_map_fd(input->fd, &input->map, err))
		return err_wrap(err, "%s", input->name);
	(void)madvise((void *)(uintptr_t)input->map.data, input->map.len, MADV_SEQUENTIAL);
	if (!is_gzip(input->map.data, input->map.len)) {
		input->data = input->map.data;
		input->len = input->map.len;
		return 0;
	}
	file_map_close(&input->map);
	input->mapped = true;
	input->head = mem_alloc(PEEK_BYTES);
	return start_gzip(input, err);
}

static void begin_limit(const char *input_name)
{
	char name[256];

	(void)snprintf(name, sizeof(name), "%s", input_name); /* the end may be cut */
	text_tidy(name, strlen(name));
	memory_limit_begin(name, par_threads());
}

int input_open(const char *path, struct input **ret, struct err *err)
{
	struct input *input;
	struct stat st;

	path = path ? path : "perf.data";
	input = input_new(strcmp(path, "-") == 0 ? "stdin" : path);
	begin_limit(input->name);
	if (open_path(input, path, &st, err) || open_content(input, &st, err)) {
		input_close(input);
		return err->code;
	}
	*ret = input;
	return 0;
}

int input_open_member(const struct input *input, const char *member, struct input **ret,
		      struct err *err)
{
	struct buf path = { 0 };
	struct stat st;
	int failed;

	if (!input->folder)
		return err_set(err, -ENOTDIR, "%s: not a directory", input->name);
	if (buf_printf(&path, "%s/%s", input->folder, member))
		return err_set(err, -ENAMETOOLONG, "%s: name too long", input->name);
	if (!stat(path.data, &st) && !S_ISREG(st.st_mode))
		failed = err_set(err, -EINVAL, "%s: not a regular file", path.data);
	else
		failed = input_open(path.data, ret, err);
	buf_done(&path);
	return failed;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	forget_interrupt(input);
	if (input->gzip)
		gunzip_close(&input->gunzip);
	fd_close(&input->fd);
	file_map_close(&input->map);
	buf_done(&input->whole);
	buf_done(&input->kept);
	free(input->head);
	free(input->folder);
	free(input->name);
	free(input);
}

const char *input_name(const struct input *input)
{
	return input->name;
}

uint64_t input_modified_s(const struct input *input)
{
	struct stat st;

	if (input->modified_s)
		return input->modified_s;
	if (input->fd < 0 || fstat(input->fd, &st))
		return 0;
	return (uint64_t)st.st_mtim.tv_sec;
}

uint32_t input_owner(const struct input *input)
{
	struct stat st;

	return input->fd < 0 || fstat(input->fd, &st) || !S_ISREG(st.st_mode) ? UINT32_MAX
									      : st.st_uid;
}

/* Bytes past the head buffer. */
static ssize_t read_stream(struct input *input, void *data, size_t len)
{
	if (input->queue)
		return byte_queue_get(input->queue, data, len);
	return input->gzip ? gunzip_read(&input->gunzip, data, len) : read_retry(input, data, len);
}

/* A live recording arrives slowly: its first bytes suffice. */
static bool is_recording(const uint8_t *head, size_t len)
{
	return len >= 16 && (memcmp(head, "PERFILE2", 8) == 0 || memcmp(head, "2ELIFREP", 8) == 0);
}

int input_error(const struct input *input, ssize_t n, struct err *err)
{
	return err_set(err, (int)n, "%s: %s", input->name,
		       n == -EBADMSG ? "the gzip data are damaged" : strerror((int)-n));
}

bool input_is_cut(const struct input *input)
{
	return input->gzip && input->gunzip.cut;
}

int input_peek(struct input *input, const uint8_t **ret, size_t *ret_len, struct err *err)
{
	if (input->data) {
		*ret = input->data;
		*ret_len = input->len < PEEK_BYTES ? input->len : PEEK_BYTES;
		return 0;
	}
	while (input->head_len < PEEK_BYTES && !is_recording(input->head, input->head_len)) {
		ssize_t n = read_stream(input, input->head + input->head_len,
					PEEK_BYTES - input->head_len);

		if (n < 0 && !input->head_len)
			return input_error(input, n, err);
		if (n <= 0)
			break;
		input->head_len += (size_t)n;
	}
	if (!input->head_len && input_is_cut(input))
		return err_set(err, -EBADMSG, "%s: the gzip data end before their first byte",
			       input->name);
	*ret = input->head;
	*ret_len = input->head_len;
	return 0;
}

ssize_t input_read(struct input *input, void *data, size_t len)
{
	size_t have;

	if (input->data) {
		have = input->len - input->at;
		len = len < have ? len : have;
		memcpy(data, input->data + input->at, len);
		input->at += len;
		return (ssize_t)len;
	}
	have = input->head_len - input->head_at;
	if (!have) {
		keep_no_more(input);
		return read_stream(input, data, len);
	}
	len = len < have ? len : have;
	memcpy(data, input->head + input->head_at, len);
	input->head_at += len;
	return (ssize_t)len;
}

bool input_seekable(const struct input *input)
{
	return input->data != NULL;
}

bool input_rewinds(const struct input *input)
{
	return input->gzip && (input->mapped || input->keeps) && !input->data;
}

int input_rewind(struct input *input, struct err *err)
{
	if (input->keeps) {
		if (keep_all(input, err))
			return err->code;
	} else if (lseek(input->fd, 0, SEEK_SET)) {
		return err_errno(err, "%s: cannot be read again", input->name);
	}
	if (!gunzip_reset(&input->gunzip))
		return err_set(err, -EIO, "%s: cannot be read again", input->name);
	input->head_len = input->head_at = 0;
	return 0;
}

ssize_t input_read_packed(const struct input *input, uint64_t at, void *data, size_t len)
{
	ssize_t n;

	if (input->keeps) {
		size_t left = at < input->kept.len ? input->kept.len - (size_t)at : 0;

		len = len < left ? len : left;
		memcpy(data, input->kept.data + at, len);
		return (ssize_t)len;
	}
	do
		n = pread(input->fd, data, len, (off_t)at);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int input_map(struct input *input, const uint8_t **ret, size_t *ret_len, struct err *err)
{
	if (!input->data) {
		uint8_t chunk[16384];
		ssize_t n;

		input->whole.limit = WHOLE_LIMIT;
		while ((n = input_read(input, chunk, sizeof(chunk))) > 0)
			if (buf_append(&input->whole, chunk, (size_t)n))
				return err_set(err, -E2BIG, "%s: larger than %zu GiB", input->name,
					       WHOLE_LIMIT >> 30);
		if (n < 0 && !input->whole.len)
			return input_error(input, n, err);
		input->data = input->whole.len ? (uint8_t *)input->whole.data : (uint8_t *)"";
		input->len = input->whole.len;
	}
	*ret = input->data;
	*ret_len = input->len;
	return 0;
}

static size_t release_step(const struct input *input)
{
	size_t part = input->len / RELEASE_PART;

	return part < RELEASE_LEAST ? RELEASE_LEAST : part > RELEASE_MOST ? RELEASE_MOST : part;
}

bool input_releases(const struct input *input, size_t offset)
{
	/* Only a map can be read again from the file. */
	return input->map.data && offset <= input->len &&
	       offset >= input->released + release_step(input);
}

/* Whole pages: one at an edge may be read again, from the file. */
static void forget(const struct input *input, size_t from, size_t to)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	from -= from % page;
	to -= to % page;
	if (to > from)
		(void)madvise((void *)(uintptr_t)(input->map.data + from), to - from,
			      MADV_DONTNEED);
}

void input_release(struct input *input, size_t offset)
{
	if (!input_releases(input, offset))
		return;
	forget(input, input->released, offset);
	input->released = offset;
}

void input_fetch_part(const struct input *input, const void *data, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)data % page;

	if (input->map.data) /* advice: not supported before Linux 5.14 */
		(void)madvise((char *)(uintptr_t)data - before, before + len, MADV_POPULATE_READ);
}

void input_release_part(const struct input *input, const void *data, size_t len)
{
	size_t from;

	if (!input->map.data) /* it could not be read again */
		return;
	from = (size_t)((const uint8_t *)data - input->map.data);
	forget(input, from, from + len);
}
