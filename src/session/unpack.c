/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacking (see unpack.h). What a member may become follows from its name: PATH/ID/elf and the
 * like, or perf.data; nothing else is written. */
#include "session/unpack.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/memory_limit.h"
#include "format/archive/archive.h"
#include "format/archive/tar.h"
#include "format/foreign.h"
#include "format/input.h"
#include "proc/binary_cache.h"
#include "proc/elf_file.h"

#define DEPTH_MAX    2 /* packed archives in one another */
#define BZIP2_FACTOR 4 /* times MEMORY_LIMIT_FACTOR, as for other archives */

struct unpacking {
	const struct unpack_target *target;
	struct unpack_tally *tally;
	bool has_recording;
	unsigned depth; /* of archives in archives */
};

static int unpack_input(struct unpacking *unpacking, struct input *input, struct err *err);

/* bzip2's child: it reads one descriptor, and may write so many bytes to the other. */
static _Noreturn void run_bzip2(int in, int out, uint64_t most)
{
	const struct rlimit limit = { most, most };

	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    (most != UINT64_MAX && setrlimit(RLIMIT_FSIZE, &limit)))
		_exit(127);
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)execlp("bzip2", "bzip2", "-dc", (char *)NULL);
	_exit(127);
}

/* Unpacks bytes into an unnamed file: its descriptor. */
static int bunzip2(const void *data, size_t len, struct err *err)
{
	AUTO_CLOSE int in = fd_temporary("packed", err), out = -1;
	int status = 0;
	pid_t child;

	if (in < 0)
		return in;
	if (fd_write_all(in, data, len) || lseek(in, 0, SEEK_SET))
		return err_errno(err, "temporary file");
	out = fd_temporary("unpacked", err);
	if (out < 0)
		return out;
	child = fork();
	if (child < 0)
		return err_errno(err, "fork");
	if (child == 0)
		run_bzip2(in, out, memory_limit_unpacked((uint64_t)len * BZIP2_FACTOR));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(err, -ENOENT, "bzip2 is not installed");
	if (status && WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return err_set(err, -EFBIG, "unpacks to more than %d times its size",
			       BZIP2_FACTOR * MEMORY_LIMIT_FACTOR);
	if (status)
		return err_set(err, -EBADMSG, "bzip2 cannot unpack it");
	return take_fd(&out);
}

static int unpack_bzip2(struct unpacking *unpacking, const void *data, size_t len, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	struct input *input;
	char path[64];
	int code;

	if (unpacking->depth++ >= DEPTH_MAX)
		return err_set(err, -ELOOP, "archives in archives in archives");
	fd = bunzip2(data, len, err);
	if (fd < 0)
		return fd;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	code = input_open(path, &input, err);
	if (!code) {
		code = unpack_input(unpacking, input, err);
		input_close(input);
	}
	unpacking->depth--;
	return code;
}

/* Whether an ELF file is what its name says. */
static bool has_id(const struct tar_member *member, const char *id)
{
	char hex[2 * BUILD_ID_MAX + 1];
	struct err ignored = { 0 };
	struct elf_file *elf;

	if (elf_file_parse(member->data, member->len, &elf, &ignored))
		return false;
	build_id_hex(&elf->build_id, hex);
	elf_file_close(elf);
	return strcmp(hex, id) == 0;
}

/* PATH/ID/NAME. Others are left alone. */
static int unpack_binary(struct unpacking *unpacking, const struct tar_member *member,
			 struct err *err)
{
	struct binary_cache_file file = { .data = member->data, .len = member->len };
	char path[PATH_MAX], *id, *name;
	bool elf;

	if (snprintf(path, sizeof(path), "%s", member->name) >= (int)sizeof(path) ||
	    !tar_name_is_safe(path) || !(name = strrchr(path, '/'))) {
		unpacking->tally->others++;
		return 0;
	}
	*name++ = '\0';
	id = strrchr(path, '/');
	elf = strcmp(name, "elf") == 0 || strcmp(name, "debug") == 0;
	if (!id || !binary_cache_is_id(id + 1) ||
	    (!elf && strcmp(name, "kallsyms") != 0 && strcmp(name, "vdso") != 0)) {
		unpacking->tally->others++;
		return 0;
	}
	*id++ = '\0';
	if (elf && !has_id(member, id)) {
		unpacking->tally->refused++;
		return 0;
	}
	file.id = id;
	file.path = path;
	file.name = name;
	unpacking->tally->binaries += strcmp(name, "debug") != 0;
	return binary_cache_add(unpacking->target->cache, &file, err);
}

static int unpack_recording(struct unpacking *unpacking, const struct tar_member *member,
			    struct err *err)
{
	if (unpacking->has_recording)
		return 0;
	unpacking->has_recording = true;
	unpacking->tally->recording_bytes = member->len;
	return unpacking->target->recording(unpacking->target->context, member->data, member->len,
					    err);
}

static int unpack_member(struct unpacking *unpacking, const struct tar_member *member,
			 struct err *err)
{
	static const char packed[] = ".tar.bz2";
	size_t len = strlen(member->name), end = sizeof(packed) - 1;

	if (member->type != TAR_FILE)
		return 0; /* links are made anew */
	if (len > end && strcmp(member->name + len - end, packed) == 0)
		return unpack_bzip2(unpacking, member->data, member->len, err);
	return strcmp(member->name, ARCHIVE_RECORDING) == 0
		       ? unpack_recording(unpacking, member, err)
		       : unpack_binary(unpacking, member, err);
}

static int unpack_input(struct unpacking *unpacking, struct input *input, struct err *err)
{
	const uint8_t *data;
	struct archive *archive;
	const struct tar *tar;
	size_t len;
	int code;

	if (input_peek(input, &data, &len, err))
		return err->code;
	if (len >= 3 && memcmp(data, "BZh", 3) == 0)
		return input_map(input, &data, &len, err) ? err->code
							  : unpack_bzip2(unpacking, data, len, err);
	if (!archive_is(data, len)) {
		const char *foreign = len ? format_foreign(data, len) : "empty file";

		return err_set(err, -EINVAL, "%s", foreign ? foreign : "not an archive");
	}
	code = archive_open(input, &archive, err);
	if (code)
		return code;
	tar = archive_tar(archive);
	if (!tar)
		code = err_set(err, -EINVAL, "not an archive");
	for (size_t i = 0; !code && i < tar_count(tar); i++)
		code = unpack_member(unpacking, tar_get(tar, i), err);
	if (!code && tar && tar_cut(tar) && strcmp(tar_cut(tar)->name, ARCHIVE_RECORDING) == 0) {
		unpacking->tally->recording_is_cut = !unpacking->has_recording;
		code = unpack_recording(unpacking, tar_cut(tar), err);
	}
	if (archive_damage(archive))
		unpacking->tally->damage = archive_damage(archive);
	archive_close(archive);
	return code;
}

int unpack_archive(const char *path, const struct unpack_target *target, struct unpack_tally *ret,
		   struct err *err)
{
	struct unpacking unpacking = { .target = target, .tally = ret };
	struct input *input;
	int code = input_open(path, &input, err);

	*ret = (struct unpack_tally){ 0 };
	if (code)
		return code;
	code = unpack_input(&unpacking, input, err);
	input_close(input);
	if (!code && !ret->binaries && !ret->refused && !unpacking.has_recording)
		code = err_set(err, -ENODATA, "%s",
			       ret->damage ? ret->damage
					   : "no recording and no binaries of perf archive in it");
	return code && !strstr(err->msg, path) ? err_wrap(err, "%s", path) : code;
}
