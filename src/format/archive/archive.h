/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording packed with what another machine needs to show it (`cupel archive`): a tar archive,
 * also one of `perf archive --all`. It is unpacked into a file without a name, in TMPDIR or in
 * memory, which is gone with the process; nothing in it becomes a file.
 *
 * Members of ours, all but the first optional:
 *   perf.data                    the recording
 *   cupel.names                  names of all that it hit (symbol/kept/kept_names.h)
 *   tmp/perf-PID.map, …          perf maps and jitdumps of the processes that it hit
 *   .build-id/xx/yyyy, PATH/ID/… whole binaries, as `perf archive` lays them out below ~/.debug */
#ifndef FORMAT_ARCHIVE_H
#define FORMAT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive;
struct err;
struct input;
struct tar;
struct tar_member;

#define ARCHIVE_RECORDING "perf.data"
#define ARCHIVE_NAMES	  "cupel.names"

/* Whether these first bytes (after gunzip) begin an archive, or zstd data, which may hold one. */
bool archive_is(const uint8_t *head, size_t len);
/* Unpacks; the input must stay until archive_close(). */
int archive_open(struct input *input, struct archive **ret, struct err *err);
void archive_close(struct archive *archive); /* NULL is fine */
/* Its members. NULL = the zstd data is no archive. */
const struct tar *archive_tar(const struct archive *archive);
/* All that was unpacked. */
void archive_bytes(const struct archive *archive, const uint8_t **ret, size_t *ret_len);
/* The recording as an input of the archive's name; -ENODATA when there is none. Close it before
 * the archive. */
int archive_recording(const struct archive *archive, struct input **ret, struct err *err);
/* What is wrong with it, as text; NULL = it is whole. What could be read is there nevertheless. */
const char *archive_damage(const struct archive *archive);

#endif
