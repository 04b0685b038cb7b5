/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Labels of processes (see agent_labels.h). */
#include "session/agent/agent_labels.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "proc/build_id.h"
#include "proc/elf_file.h"
#include "session/agent/agent_config.h"
#include "store/label_set.h"

#define CONTAINER_DIGITS 64
#define CONTAINER_SHOWN	 12
#define COMM_BYTES	 16

struct owner {
	uint32_t pid;
	char comm[COMM_BYTES]; /* when its labels were made */
	bool known;	       /* read from /proc, not inherited */
	unsigned age;	       /* times that it was not seen */
	struct label_set labels;
};

struct agent_labels {
	char root[256];
	const struct agent_config *config;
	pthread_mutex_t lock;
	VEC(struct owner *) owners;
	struct map by_pid;  /* → index in owners + 1 */
	struct map build;   /* device and inode of a binary → index in builds + 1 */
	VEC(char *) builds; /* build ids, "" = none */
};

struct agent_labels *agent_labels_new(const char *root, const struct agent_config *config)
{
	struct agent_labels *labels = mem_zalloc(sizeof(*labels));

	(void)snprintf(labels->root, sizeof(labels->root), "%s", root);
	labels->config = config;
	(void)pthread_mutex_init(&labels->lock, NULL);
	return labels;
}

static void free_owner(struct owner *owner)
{
	label_set_done(&owner->labels);
	free(owner);
}

void agent_labels_free(struct agent_labels *labels)
{
	if (!labels)
		return;
	for (size_t i = 0; i < labels->owners.count; i++)
		free_owner(labels->owners.item[i]);
	for (size_t i = 0; i < labels->builds.count; i++)
		free(labels->builds.item[i]);
	vec_done(&labels->owners);
	vec_done(&labels->builds);
	map_done(&labels->by_pid);
	map_done(&labels->build);
	(void)pthread_mutex_destroy(&labels->lock);
	free(labels);
}

/* 64 hexadecimal digits in a component, "docker-….scope" or alone. */
static const char *find_container(const char *path)
{
	size_t run = 0;

	for (const char *c = path;; c++) {
		bool digit = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f');

		if (digit)
			run++;
		else if (run == CONTAINER_DIGITS)
			return c - run;
		else
			run = 0;
		if (!*c)
			return NULL;
	}
}

/* The innermost component that is a unit of systemd. */
static bool find_unit(const char *path, char *ret, size_t size)
{
	static const char *const ends[] = { ".service", ".scope" };
	bool found = false;

	while (*path) {
		size_t len = strcspn(path, "/");

		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			size_t end = strlen(ends[i]);

			if (len > end && len < size &&
			    strncmp(path + len - end, ends[i], end) == 0) {
				memcpy(ret, path, len);
				ret[len] = '\0';
				found = true;
			}
		}
		path += len + (path[len] == '/');
	}
	return found;
}

void agent_labels_of_cgroup(const char *path, struct label_set *ret)
{
	const char *container = find_container(path);
	char unit[256], name[256];
	const char *dot;

	(void)label_set_put(ret, "cgroup", path);
	if (container) {
		(void)snprintf(name, sizeof(name), "%.*s", CONTAINER_SHOWN, container);
		(void)label_set_put(ret, "container", name);
		return; /* its unit is the container's runtime's */
	}
	if (!find_unit(path, unit, sizeof(unit)))
		return;
	(void)label_set_put(ret, "unit", unit);
	dot = strrchr(unit, '.');
	if (strcmp(dot, ".service") == 0) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)(dot - unit), unit);
		(void)label_set_put(ret, "service", name);
	}
}

/* The line of version 2, else the first one that is not the root. */
static bool read_cgroup(const struct agent_labels *labels, uint32_t pid, char *ret, size_t size)
{
	struct buf text = { .limit = 65536 };
	struct err ignored = { 0 };
	char path[320];
	bool found = false;

	(void)snprintf(path, sizeof(path), "%s/proc/%u/cgroup", labels->root, pid);
	if (!fd_read_file(path, &text, &ignored) && text.data)
		for (char *line = text.data, *end; line && *line && !found; line = end) {
			const char *colon = strrchr(line, ':');

			end = strchr(line, '\n');
			if (end)
				*end++ = '\0';
			colon = strchr(line, ':');
			colon = colon ? strchr(colon + 1, ':') : NULL;
			found = colon && colon[1] == '/' &&
				(colon[2] || strncmp(line, "0::", 3) == 0);
			if (found)
				(void)snprintf(ret, size, "%s", colon + 1);
		}
	buf_done(&text);
	return found;
}

/* Read once for each file. */
static const char *build_of(struct agent_labels *labels, uint32_t pid)
{
	struct build_id id = { 0 };
	struct stat st;
	char path[320], hex[2 * BUILD_ID_MAX + 1] = "";
	uint64_t *known;
	bool added;

	(void)snprintf(path, sizeof(path), "%s/proc/%u/exe", labels->root, pid);
	if (stat(path, &st))
		return "";
	known = map_add(&labels->build,
			(uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 44 ^
				(uint64_t)st.st_mtim.tv_sec << 20,
			&added);
	if (added) {
		if (build_id_read_file(path, &id))
			build_id_hex(&id, hex);
		vec_push(&labels->builds, mem_strdup(hex));
		*known = labels->builds.count;
	}
	return labels->builds.item[*known - 1];
}

/* False: it has ended. */
static bool read_process(struct agent_labels *labels, struct owner *owner)
{
	char path[320], cgroup[1024], uid[16];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/proc/%u", labels->root, owner->pid);
	if (stat(path, &st))
		return false;
	label_set_clear(&owner->labels);
	(void)snprintf(uid, sizeof(uid), "%u", (unsigned)st.st_uid);
	(void)label_set_put(&owner->labels, "uid", uid);
	if (read_cgroup(labels, owner->pid, cgroup, sizeof(cgroup)))
		agent_labels_of_cgroup(cgroup, &owner->labels);
	(void)label_set_put(&owner->labels, "build", build_of(labels, owner->pid));
	return true;
}

static void deny(struct label_set *labels)
{
	label_set_clear(labels);
	(void)label_set_put(labels, "service", "[denied]");
}

/* Rules see the thread's name as comm, which the store adds by thread. */
static void finish(const struct agent_labels *labels, struct owner *owner)
{
	char service[LABEL_VALUE_MAX + 1];

	(void)label_set_put(&owner->labels, "comm", owner->comm);
	(void)snprintf(service, sizeof(service), "%s", label_set_get(&owner->labels, "service"));
	if (!*service) /* a program by itself */
		(void)label_set_put(&owner->labels, "service",
				    *label_set_get(&owner->labels, "container")
					    ? label_set_get(&owner->labels, "container")
					    : owner->comm);
	if (labels->config && !agent_config_apply(labels->config, &owner->labels))
		deny(&owner->labels);
	else
		(void)label_set_put(&owner->labels, "comm", "");
}

static struct owner *find(struct agent_labels *labels, uint32_t pid)
{
	uint64_t index;

	return map_get(&labels->by_pid, pid, &index) && index ? labels->owners.item[index - 1]
							      : NULL;
}

static struct owner *add(struct agent_labels *labels, uint32_t pid)
{
	struct owner *owner = mem_zalloc(sizeof(*owner));

	owner->pid = pid;
	vec_push(&labels->owners, owner);
	map_set(&labels->by_pid, pid, labels->owners.count);
	return owner;
}

void agent_labels_see(struct agent_labels *labels, uint32_t pid, const char *comm)
{
	struct owner *owner;

	(void)pthread_mutex_lock(&labels->lock);
	owner = find(labels, pid);
	if (!owner)
		owner = add(labels, pid);
	owner->age = 0;
	/* Threads have names of their own: the process's first name counts until it is read. */
	if (!owner->known && read_process(labels, owner)) {
		(void)snprintf(owner->comm, sizeof(owner->comm), "%s", comm);
		owner->known = true;
		finish(labels, owner);
	} else if (!owner->known && !owner->comm[0]) {
		(void)snprintf(owner->comm, sizeof(owner->comm), "%s", comm);
		finish(labels, owner);
	}
	(void)pthread_mutex_unlock(&labels->lock);
}

void agent_labels_fork(struct agent_labels *labels, uint32_t pid, uint32_t parent)
{
	const struct owner *from;
	struct owner *owner;

	(void)pthread_mutex_lock(&labels->lock);
	owner = find(labels, pid); /* it ended, or its sample came first */
	if (!parent && owner) {
		owner->known = false;
		owner->comm[0] = '\0';
		(void)label_set_put(&owner->labels, "build", "");
	}
	from = parent ? find(labels, parent) : NULL;
	if (from && from != owner && (!owner || owner->age)) {
		if (!owner)
			owner = add(labels, pid);
		owner->known = false;
		owner->age = 0;
		owner->comm[0] = '\0';
		label_set_clear(&owner->labels);
		label_set_put_all(&owner->labels, &from->labels);
		(void)label_set_put(&owner->labels, "build", "");
	}
	(void)pthread_mutex_unlock(&labels->lock);
}

void agent_labels_get(struct agent_labels *labels, uint32_t pid, struct label_set *ret)
{
	const struct owner *owner;

	(void)pthread_mutex_lock(&labels->lock);
	owner = find(labels, pid);
	if (owner)
		label_set_put_all(ret, &owner->labels);
	(void)pthread_mutex_unlock(&labels->lock);
}

void agent_labels_forget(struct agent_labels *labels)
{
	size_t kept = 0;

	(void)pthread_mutex_lock(&labels->lock);
	map_done(&labels->by_pid);
	labels->by_pid = (struct map){ 0 };
	for (size_t i = 0; i < labels->owners.count; i++) {
		struct owner *owner = labels->owners.item[i];

		if (owner->age++ >= 2) {
			free_owner(owner);
			continue;
		}
		labels->owners.item[kept++] = owner;
		map_set(&labels->by_pid, owner->pid, kept);
	}
	labels->owners.count = kept;
	(void)pthread_mutex_unlock(&labels->lock);
}

size_t agent_labels_count(struct agent_labels *labels)
{
	size_t count;

	(void)pthread_mutex_lock(&labels->lock);
	count = labels->owners.count;
	(void)pthread_mutex_unlock(&labels->lock);
	return count;
}
