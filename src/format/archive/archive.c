/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives opened for reading (see archive.h). */
#include "format/archive/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "format/archive/tar.h"
#include "format/input.h"

#define PIECE_BYTES ((size_t)1 << 17)
#define WINDOW_LOG  27 /* what zstd takes without --long */
/* Recordings of one program become up to some 40 times smaller. */
#define UNPACKED_FACTOR 4

struct archive {
	struct input *input; /* borrowed */
	struct file_map map; /* of the unnamed file */
	const uint8_t *data;
	size_t len;
	struct tar *tar;
	bool cut; /* the zstd data are damaged or without their end */
};

static bool is_zstd(const uint8_t *head, size_t len)
{
	return len >= 4 && memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0;
}

bool archive_is(const uint8_t *head, size_t len)
{
	return tar_is(head, len) || is_zstd(head, len);
}

/* The unnamed file, while it is written. */
struct unpacking {
	const struct archive *archive;
	int fd;
	uint64_t total;
};

/* Writes a part, within the bytes that an archive of this size may become. */
static int put(struct unpacking *to, const void *data, size_t len, struct err *err)
{
	const char *name = input_name(to->archive->input);
	int code;

	to->total += len;
	if (to->total > memory_limit_unpacked(UNPACKED_FACTOR * memory_limit_inputs())) {
		(void)err_set(err, -EFBIG, "%s: unpacks to more than %d times its size", name,
			      UNPACKED_FACTOR * MEMORY_LIMIT_FACTOR);
		return err_hint(err, "this is about size, not damage: --trust reads it without a "
				     "limit");
	}
	code = fd_write_all(to->fd, data, len);
	return code ? err_set(err, code, "%s: unpacking: %s", name, strerror(-code)) : 0;
}

/* Up to PIECE_BYTES of the input; 0 at its end, -errno with err set. */
static ssize_t get(const struct archive *archive, char *piece, struct err *err)
{
	ssize_t n = input_read(archive->input, piece, PIECE_BYTES);

	return n < 0 ? input_error(archive->input, n, err) : n;
}

static int copy_plain(struct unpacking *to, struct err *err)
{
	AUTO_FREE char *piece = mem_alloc(PIECE_BYTES);
	ssize_t n;

	while ((n = get(to->archive, piece, err)) > 0)
		if (put(to, piece, (size_t)n, err))
			return err->code;
	return n == -EBADMSG && to->total ? 0 : (int)n; /* what came before the damage is kept */
}

/* One piece. Sets *ret_cut while its frame has no end. */
static int unpack_zstd_piece(struct unpacking *to, ZSTD_DCtx *zstd, ZSTD_inBuffer in, bool *ret_cut,
			     struct err *err)
{
	AUTO_FREE char *piece = mem_alloc(PIECE_BYTES);

	while (in.pos < in.size) {
		ZSTD_outBuffer out = { piece, PIECE_BYTES, 0 };
		size_t left = ZSTD_decompressStream(zstd, &out, &in);

		*ret_cut = left != 0;
		if (ZSTD_isError(left))
			return err_set(err, -EBADMSG, "%s: damaged zstd data: %s",
				       input_name(to->archive->input), ZSTD_getErrorName(left));
		if (put(to, piece, out.pos, err))
			return err->code;
	}
	return 0;
}

static int unpack_zstd(struct unpacking *to, ZSTD_DCtx *zstd, bool *ret_cut, struct err *err)
{
	AUTO_FREE char *packed = mem_alloc(PIECE_BYTES);
	ssize_t n;

	(void)ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, WINDOW_LOG);
	while ((n = get(to->archive, packed, err)) > 0) {
		int code = unpack_zstd_piece(to, zstd, (ZSTD_inBuffer){ packed, (size_t)n, 0 },
					     ret_cut, err);

		if (code) /* what came before the damage is kept */
			return code == -EBADMSG && to->total ? 0 : code;
	}
	if (!n && !to->total && *ret_cut)
		return err_set(err, -EBADMSG, "%s: the zstd data end before their first byte",
			       input_name(to->archive->input));
	return (int)n;
}

/* Into a file that no other process can open, and from there into memory. */
static int unpack(struct archive *archive, bool zstd, struct err *err)
{
	AUTO_CLOSE int fd = fd_temporary("cupel archive", err);
	struct unpacking to = { .archive = archive, .fd = fd };
	ZSTD_DCtx *context;
	int code;

	if (fd < 0)
		return fd;
	context = zstd ? ZSTD_createDCtx() : NULL;
	code = zstd ? unpack_zstd(&to, context, &archive->cut, err) : copy_plain(&to, err);
	(void)ZSTD_freeDCtx(context);
	if (code || file_map_fd(fd, &archive->map, err))
		return err->code;
	archive->data = archive->map.data;
	archive->len = archive->map.len;
	return 0;
}

static int open_content(struct archive *archive, struct err *err)
{
	const uint8_t *head;
	size_t len;
	bool zstd;

	if (input_peek(archive->input, &head, &len, err))
		return err->code;
	zstd = is_zstd(head, len);
	if (!zstd && input_seekable(archive->input)) {
		if (input_map(archive->input, &archive->data, &archive->len, err))
			return err->code;
	} else if (unpack(archive, zstd, err)) {
		return err->code;
	}
	if (!tar_is(archive->data, archive->len))
		return 0;
	return tar_parse(archive->data, archive->len, &archive->tar, err)
		       ? err_wrap(err, "%s", input_name(archive->input))
		       : 0;
}

int archive_open(struct input *input, struct archive **ret, struct err *err)
{
	struct archive *archive = mem_zalloc(sizeof(*archive));

	archive->input = input;
	if (open_content(archive, err)) {
		archive_close(archive);
		return err->code;
	}
	*ret = archive;
	return 0;
}

void archive_close(struct archive *archive)
{
	if (!archive)
		return;
	tar_free(archive->tar);
	file_map_close(&archive->map);
	free(archive);
}

const struct tar *archive_tar(const struct archive *archive)
{
	return archive->tar;
}

void archive_bytes(const struct archive *archive, const uint8_t **ret, size_t *ret_len)
{
	*ret = archive->data;
	*ret_len = archive->len;
}

const char *archive_damage(const struct archive *archive)
{
	bool cut = archive->cut || input_is_cut(archive->input);

	if (!cut && !(archive->tar && tar_damaged_bytes(archive->tar)))
		return NULL;
	return "the archive is not whole";
}

/* A recording may lack its end. */
static const struct tar_member *cut_recording(const struct tar *tar)
{
	const struct tar_member *member = tar_cut(tar);

	return member && strcmp(member->name, ARCHIVE_RECORDING) == 0 ? member : NULL;
}

int archive_recording(const struct archive *archive, struct input **ret, struct err *err)
{
	const struct tar_member *member;

	if (!archive->tar) {
		*ret = input_part(archive->input, archive->data, archive->len,
				  input_modified_s(archive->input));
		return 0;
	}
	member = tar_find(archive->tar, ARCHIVE_RECORDING);
	if (!member)
		member = cut_recording(archive->tar);
	if (!member && archive_damage(archive))
		return err_set(err, -EBADMSG, "%s: %s, and it has no " ARCHIVE_RECORDING,
			       input_name(archive->input), archive_damage(archive));
	if (!member) {
		(void)err_set(err, -ENODATA, "%s: no " ARCHIVE_RECORDING " in the archive",
			      input_name(archive->input));
		return err_hint(err,
				"binaries of perf archive are unpacked with: "
				"cupel archive --unpack %s",
				input_name(archive->input));
	}
	*ret = input_part(archive->input, member->data, member->len, member->modified_s);
	return 0;
}
