/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "source/bpf/bpf_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/user_cache.h"
#include "source/bpf/bpf_error.h"

#define FOLDER	    "refused"
#define LOG_BYTES   4096
#define REASON_SIZE 160
#define MAX_LOGS    64
#define LONG_US	    200000

/* The verifier's log then has its errors and statistics, but not each step, which would make it
 * many times slower. Without a level libbpf tries a refused program a second time. */
#define LOG_STATISTICS 4

/* What the verifier said of each program, in their order. */
struct logs {
	char text[MAX_LOGS][LOG_BYTES];
};

static bool is_statistics(const char *line)
{
	static const char *const start[] = { "verification time", "stack depth", "processed " };

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
		if (!strncmp(line, start[i], strlen(start[i])))
			return true;
	return false;
}

void bpf_refusal_reason(const char *log, char *ret, size_t size)
{
	ret[0] = '\0';
	for (const char *line = log; *line;) {
		size_t len = strcspn(line, "\n");

		if (len && !is_statistics(line))
			(void)snprintf(ret, size, "%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

/* A file name for this program on this kernel. */
static void name_refusal(const struct bpf_object_skeleton *skeleton, char *ret, size_t size)
{
	struct utsname kernel = { 0 };

	(void)uname(&kernel); /* on failure the name is that of no kernel */
	(void)snprintf(ret, size, "%s-%016llx%016llx", skeleton->name,
		       (unsigned long long)hash_bytes(skeleton->data, skeleton->data_sz),
		       (unsigned long long)hash_bytes(&kernel, sizeof(kernel)));
}

static bool was_refused(int folder, const char *name, char *ret, size_t size)
{
	AUTO_CLOSE int fd = folder < 0 ? -1 : user_cache_get(folder, name);
	ssize_t len = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (len <= 0)
		return false;
	ret[len] = '\0';
	return true;
}

static int load_logged(struct bpf_object_skeleton *skeleton, struct logs *logs)
{
	struct bpf_program *program;
	size_t count = 0;

	bpf_object__for_each_program(program, *skeleton->obj)
	{
		if (count == MAX_LOGS)
			break;
		(void)bpf_program__set_log_buf(program, logs->text[count++], LOG_BYTES);
		(void)bpf_program__set_log_level(program, LOG_STATISTICS);
	}
	return bpf_object__load_skeleton(skeleton);
}

/* The variables of the programs. */
static void keep_variables(const struct bpf_object_skeleton *skeleton)
{
	for (int i = 0; i < skeleton->map_cnt; i++) {
		const struct bpf_map_skeleton *map =
			(const void *)((const char *)skeleton->maps + i * skeleton->map_skel_sz);

		if (map->mmaped && *map->mmaped)
			memory_keep(*map->mmaped, bpf_map__value_size(*map->map));
	}
}

bool bpf_refusal_lasts(const char *log)
{
	static const char time[] = "verification time ";
	const char *found = strstr(log, time);

	return found && strtoul(found + strlen(time), NULL, 10) >= LONG_US;
}

struct refusal {
	char text[REASON_SIZE + 64]; /* "NAME: REASON" of the program: the last that has a log */
	bool lasts;
};

/* False: the verifier did not refuse any. */
static bool find_refusal(const struct bpf_object_skeleton *skeleton, const struct logs *logs,
			 struct refusal *ret)
{
	struct bpf_program *program;
	char reason[REASON_SIZE];
	size_t at = 0;

	*ret = (struct refusal){ 0 };
	bpf_object__for_each_program(program, *skeleton->obj)
	{
		if (at == MAX_LOGS)
			break;
		bpf_refusal_reason(logs->text[at], reason, sizeof(reason));
		if (reason[0]) {
			(void)snprintf(ret->text, sizeof(ret->text), "%s: %s",
				       bpf_program__name(program), reason);
			ret->lasts = bpf_refusal_lasts(logs->text[at]);
		}
		at++;
	}
	return ret->text[0];
}

void bpf_refusal_keep(const struct bpf_object_skeleton *skeleton, const char *text)
{
	AUTO_CLOSE int folder = user_cache_open(NULL, FOLDER);
	char name[128];

	name_refusal(skeleton, name, sizeof(name));
	if (folder >= 0) /* else it is tried again, nothing worse */
		(void)user_cache_put(folder, name, text, strlen(text));
}

static int refuse(struct err *err, int code, const char *step, const char *refusal)
{
	(void)err_set(err, code, "%s: this kernel's verifier rejects %s", step, refusal);
	return code;
}

int bpf_load_remembered(struct bpf_object_skeleton *skeleton, const char *step, struct err *err)
{
	AUTO_CLOSE int folder = user_cache_find(FOLDER);
	char name[128], refusal[REASON_SIZE + 64];

	name_refusal(skeleton, name, sizeof(name));
	if (!was_refused(folder, name, refusal, sizeof(refusal)))
		return 0;
	(void)refuse(err, -ENOEXEC, step, refusal);
	return err_hint(err,
			"not tried again on this kernel; to try, remove %s in the "
			"cache folder cupel/" FOLDER,
			name);
}

int bpf_load(struct bpf_object_skeleton *skeleton, const char *step, struct err *err)
{
	struct refusal refusal;
	struct logs *logs;
	int code = bpf_load_remembered(skeleton, step, err);

	if (code)
		return code;
	logs = calloc(1, sizeof(*logs));
	code = logs ? load_logged(skeleton, logs) : -ENOMEM;
	if (!code || !logs || !find_refusal(skeleton, logs, &refusal)) {
		code = code ? bpf_fail(err, code, step) : 0;
		if (!code)
			keep_variables(skeleton);
	} else {
		if (refusal.lasts)
			bpf_refusal_keep(skeleton, refusal.text);
		(void)refuse(err, code, step, refusal.text);
	}
	free(logs);
	return code;
}

const struct bpf_prog_skeleton *bpf_skeleton_program(const struct bpf_object_skeleton *skeleton,
						     int index)
{
	const char *programs = (const char *)skeleton->progs;

	return (const void *)(programs + index * skeleton->prog_skel_sz);
}

int bpf_iterate(struct bpf_program *program, size_t size, bpf_record_fn *take, void *context)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	AUTO_FREE uint8_t *record = mem_alloc(size + 1);
	int code = link ? 0 : -errno;

	if (!code) {
		AUTO_CLOSE int fd = bpf_iter_create(bpf_link__fd(link));
		size_t want = size ? size : 1; /* to read is what runs it */
		ssize_t got = fd < 0 ? -errno : 0;

		while (fd >= 0 && (got = fd_read_full(fd, record, want)) == (ssize_t)want)
			if (take)
				take(context, record);
		code = got < 0 ? (int)got : 0;
	}
	(void)bpf_link__destroy(link);
	return code;
}
