/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated code as perf inject --jit makes it: each function of a jitdump becomes an ELF file
 * jitted-PID-NUMBER.so beside the jitdump, and a mapping of it at the time of its load. Times of
 * the two agree when the recording has the clock of the runtime (-k mono); else the mappings hold
 * from the start. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/desc.h"
#include "format/perf_data/perf_data.h"
#include "session/inject/inject_private.h"
#include "session/inject/jit_elf.h"
#include "session/recording.h"
#include "session/replay.h"
#include "symbol/jit/jitdump.h"
#include "symbol/process_file.h"
#include "symbol/symbolizer.h"

/* A mapping of a jitdump, which is how a runtime announces it. */
struct marker {
	uint32_t pid;
	const char *path;
};

struct finder {
	struct replay_handler handler;
	struct arena arena;
	VEC(struct marker) markers;
	struct map seen; /* hash of PID and path → 1 */
};

static bool is_jitdump(const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t len = strlen(base);

	return len > 9 && strncmp(base, "jit-", 4) == 0 && strcmp(base + len - 5, ".dump") == 0;
}

static int see(struct replay_handler *handler, const struct event *event,
	       const struct thread *thread, struct err *err)
{
	struct finder *finder = (struct finder *)handler;
	uint64_t key;
	bool added;

	(void)thread;
	(void)err;
	if (event->type != EVENT_MMAP || !is_jitdump(event->mmap.path))
		return 0;
	key = hash_bytes(event->mmap.path, strlen(event->mmap.path)) ^ hash_u64(event->pid);
	*map_add(&finder->seen, key, &added) = 1;
	if (added)
		vec_push(&finder->markers,
			 ((struct marker){ event->pid,
					   arena_strdup(&finder->arena, event->mmap.path) }));
	return 0;
}

static int skip_sample(struct replay_handler *handler, const struct replay_sample *sample,
		       struct err *err)
{
	(void)handler;
	(void)sample;
	(void)err;
	return 0;
}

/* Beside its place, then there at once; no link and no file of another user is written to. */
static int write_elf(int folder, const char *name, const struct buf *elf)
{
	char temporary[64];
	AUTO_CLOSE int fd = -1;
	int code;

	(void)snprintf(temporary, sizeof(temporary), ".cupel-jitted-%d", (int)getpid());
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	code = fd_write_all(fd, elf->data, elf->len);
	if (!code && renameat(folder, temporary, folder, name))
		code = -errno;
	if (code)
		(void)unlinkat(folder, temporary, 0);
	return code;
}

/* One jitdump on its way into files and mappings. */
struct dumping {
	struct inject_jit *jit;
	const struct marker *marker;
	const struct jitdump *dump;
	const struct file_map *map;
	int folder;
	bool timed; /* times of the jitdump are those of the recording */
};

static void add_mapping(struct dumping *dumping, const struct jit_function *function,
			const char *name, const struct jit_code *code)
{
	const char *path = dumping->marker->path, *slash = strrchr(path, '/');
	struct event event = { .type = EVENT_MMAP,
			       .misc = PERF_RECORD_MISC_USER,
			       .pid = dumping->marker->pid,
			       .tid = dumping->marker->pid,
			       .has_time = dumping->timed,
			       .time_ns = dumping->timed ? function->time : 0 };
	struct buf full = { 0 };

	(void)buf_printf(&full, "%.*s/%s", slash ? (int)(slash - path) : 1, slash ? path : ".",
			 name);
	event.mmap = (struct event_mmap){ .start = function->start,
					  .len = code->len,
					  .pgoff = JIT_ELF_TEXT,
					  .prot = PROT_READ | PROT_EXEC,
					  .flags = MAP_SHARED,
					  .build_id = code->id };
	event.mmap.path = arena_strdup(&dumping->jit->arena, full.data);
	vec_push(&dumping->jit->maps, event);
	buf_done(&full);
}

static int dump_function(struct dumping *dumping, size_t number)
{
	const struct jit_function *function = &dumping->dump->functions.item[number];
	struct jit_code code = { .name = dumping->dump->text.data + function->name,
				 .bytes = dumping->map->data + function->code,
				 .len = (size_t)(function->end - function->start),
				 .function = function,
				 .id = { .len = sizeof(code.id.bytes) } };
	uint64_t hash[3] = { 0 };
	struct buf elf = { 0 };
	char name[64];
	int failed;

	if (!function->code || code.len > dumping->map->len - function->code)
		return 0; /* its code is not in the file */
	hash[0] = hash_bytes(code.bytes, code.len);
	hash[1] = hash_bytes(code.name, strlen(code.name)) ^ hash_u64(number);
	memcpy(code.id.bytes, hash, sizeof(code.id.bytes));
	(void)snprintf(name, sizeof(name), "jitted-%u-%zu.so", dumping->marker->pid, number);
	jit_elf_make(&code, dumping->dump, &elf);
	failed = write_elf(dumping->folder, name, &elf);
	buf_done(&elf);
	if (failed)
		return failed;
	add_mapping(dumping, function, name, &code);
	dumping->jit->functions++;
	return 0;
}

static int dump_all(struct dumping *dumping, struct err *err)
{
	const char *path = dumping->marker->path, *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	int code = 0;

	(void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) : 1,
		       slash ? path : ".");
	dumping->folder = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dumping->folder < 0)
		return err_errno(err, "%s", folder);
	for (size_t i = 0; i < dumping->dump->functions.count && !code; i++)
		code = dump_function(dumping, i);
	fd_close(&dumping->folder);
	return code ? err_set(err, code, "%s/jitted-%u-….so: %s", folder, dumping->marker->pid,
			      strerror(-code))
		    : 0;
}

/* A jitdump that cannot be read is reported, and the recording is copied without it. */
static int take_marker(struct inject_jit *jit, const struct marker *marker, bool monotonic,
		       struct buf *notes, struct err *err)
{
	const struct symbol_options here = { .symfs = "" };
	struct dumping dumping = { .jit = jit, .marker = marker };
	struct err why = { 0 };
	struct file_map map = { 0 };
	struct jitdump dump;
	AUTO_CLOSE int fd = process_file_open(marker->path, marker->pid, &here, &why);
	int code;

	if (fd < 0 || file_map_fd(fd, &map, &why) ||
	    jitdump_parse(map.data, map.len, &dump, &why)) {
		(void)buf_printf(notes, "%s: %s\n", marker->path, why.msg);
		file_map_close(&map);
		return 0;
	}
	dumping.dump = &dump;
	dumping.map = &map;
	dumping.timed = monotonic && !dump.cpu_time;
	if (!dumping.timed)
		(void)buf_printf(notes,
				 "%s: its times are not those of the recording (record with -k "
				 "mono): functions count from the start\n",
				 marker->path);
	code = dump_all(&dumping, err);
	map_set(&jit->pids, marker->pid, 1);
	jitdump_done(&dump);
	file_map_close(&map);
	return code;
}

static bool has_monotonic_clock(const struct perf_data *data)
{
	const struct event_set *events = perf_data_events(data);

	return events->desc.count && events->desc.item[0]->attr.use_clockid &&
	       events->desc.item[0]->attr.clockid == CLOCK_MONOTONIC;
}

int inject_find_jit(struct recording *base, struct inject_jit *ret, struct buf *notes,
		    struct err *err)
{
	const struct replay_options options = { .no_symbols = true, .no_frames = true };
	struct finder finder = { .handler = { .sample = skip_sample, .other = see } };
	struct recording *recording;
	struct perf_data *data = NULL;
	int code = recording_again(base, &recording, err);

	if (code)
		return code;
	code = recording_data(recording, &data, err);
	if (!code)
		code = recording_replay(recording, &options, &finder.handler, err);
	for (size_t i = 0; i < finder.markers.count && !code; i++)
		code = take_marker(ret, &finder.markers.item[i], has_monotonic_clock(data), notes,
				   err);
	if (!code && !finder.markers.count)
		(void)buf_puts(notes, "the recording names no jitdump\n");
	recording_close(recording);
	vec_done(&finder.markers);
	map_done(&finder.seen);
	arena_done(&finder.arena);
	return code;
}

bool inject_jit_replaces(const struct inject_jit *jit, const uint8_t *record,
			 struct perf_event_header header)
{
	size_t at = header.type == PERF_RECORD_MMAP    ? 40
		    : header.type == PERF_RECORD_MMAP2 ? 72
						       : 0;
	char path[PATH_MAX] = "";
	uint64_t ignored;
	uint32_t pid;

	if (!at || header.size <= at || !jit->functions)
		return false;
	memcpy(&pid, record + sizeof(header), sizeof(pid));
	(void)snprintf(path, sizeof(path), "%.*s", (int)(header.size - at),
		       (const char *)record + at);
	return map_get(&jit->pids, pid, &ignored) &&
	       (is_jitdump(path) || strncmp(path, "//anon", 6) == 0 ||
		strncmp(path, "[anon", 5) == 0 || strncmp(path, "/anon_hugepage", 14) == 0);
}

void inject_jit_done(struct inject_jit *jit)
{
	vec_done(&jit->maps);
	map_done(&jit->pids);
	arena_done(&jit->arena);
}
