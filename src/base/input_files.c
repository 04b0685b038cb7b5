/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See input_files.h. */
#include "base/input_files.h"

#include <pthread.h>
#include <sys/stat.h>

#include "base/vec.h"

struct input_file {
	dev_t device;
	ino_t inode;
};

static struct {
	pthread_mutex_t lock;
	VEC(struct input_file) files;
} inputs = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under the lock. */
static bool has(const struct stat *st)
{
	for (size_t i = 0; i < inputs.files.count; i++)
		if (inputs.files.item[i].device == st->st_dev &&
		    inputs.files.item[i].inode == st->st_ino)
			return true;
	return false;
}

void input_files_add(const struct stat *st)
{
	struct input_file file = { st->st_dev, st->st_ino };

	if (!S_ISREG(st->st_mode))
		return;
	(void)pthread_mutex_lock(&inputs.lock);
	if (!has(st))
		vec_push(&inputs.files, file);
	(void)pthread_mutex_unlock(&inputs.lock);
}

void input_files_add_path(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		input_files_add(&st);
}

bool input_files_have(const char *path)
{
	struct stat st;
	bool ret;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	(void)pthread_mutex_lock(&inputs.lock);
	ret = has(&st);
	(void)pthread_mutex_unlock(&inputs.lock);
	return ret;
}
