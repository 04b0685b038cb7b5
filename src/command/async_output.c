/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that writes (see async_output.h). */
#include "command/async_output.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/thread.h"

#define UNREAD_MAX ((size_t)1 << 20)

struct async_output {
	int fd;
	const char *name;
	pthread_t thread;
	pthread_mutex_t lock; /* over all below */
	pthread_cond_t news;
	struct buf text, screen; /* not yet taken by the thread */
	unsigned skipped;	 /* texts */
	bool ends;
	int code; /* of the first write that failed */
};

static bool take(struct buf *from, struct buf *ret)
{
	if (!from->len)
		return false;
	*ret = *from;
	*from = (struct buf){ 0 };
	return true;
}

/* Text before screens, which replace each other. */
static bool next(struct async_output *output, struct buf *ret)
{
	while (!take(&output->text, ret) && !take(&output->screen, ret)) {
		if (output->ends)
			return false;
		(void)pthread_cond_wait(&output->news, &output->lock);
	}
	return true;
}

static void *write_all(void *context)
{
	struct async_output *output = context;
	struct buf part;

	(void)pthread_mutex_lock(&output->lock);
	while (!output->code && next(output, &part)) {
		int code;

		(void)pthread_mutex_unlock(&output->lock);
		code = fd_write_all(output->fd, part.data, part.len);
		buf_done(&part);
		(void)pthread_mutex_lock(&output->lock);
		output->code = code;
	}
	(void)pthread_mutex_unlock(&output->lock);
	return NULL;
}

int async_output_open(int fd, const char *name, struct async_output **ret, struct err *err)
{
	struct async_output *output = mem_zalloc(sizeof(*output));
	int code;

	output->fd = fd;
	output->name = name;
	(void)pthread_mutex_init(&output->lock, NULL);
	(void)pthread_cond_init(&output->news, NULL);
	code = thread_start(&output->thread, "writer", write_all, output, err);
	if (code)
		free(output);
	else
		*ret = output;
	return code;
}

static int report(const struct async_output *output, int code, struct err *err)
{
	return code ? err_set(err, code, "%s: %s", output->name, strerror(-code)) : 0;
}

static void add_text(struct async_output *output, const struct buf *text)
{
	if (output->text.len + text->len > UNREAD_MAX) {
		output->skipped++;
		return;
	}
	if (output->skipped)
		(void)buf_printf(&output->text, "[ %u skipped: the output was not read ]\n",
				 output->skipped);
	output->skipped = 0;
	(void)buf_append(&output->text, text->data, text->len);
}

static int hand_over(struct async_output *output,
		     void (*add)(struct async_output *output, const struct buf *text),
		     const struct buf *text, struct err *err)
{
	int code;

	(void)pthread_mutex_lock(&output->lock);
	code = output->code;
	if (!code)
		add(output, text);
	(void)pthread_cond_signal(&output->news);
	(void)pthread_mutex_unlock(&output->lock);
	return report(output, code, err);
}

int async_output_put(struct async_output *output, const struct buf *text, struct err *err)
{
	return hand_over(output, add_text, text, err);
}

static void replace_screen(struct async_output *output, const struct buf *screen)
{
	buf_clear(&output->screen);
	(void)buf_append(&output->screen, screen->data, screen->len);
}

int async_output_show(struct async_output *output, const struct buf *screen, struct err *err)
{
	return hand_over(output, replace_screen, screen, err);
}

int async_output_close(struct async_output *output, struct err *err)
{
	int code;

	if (!output)
		return 0;
	(void)pthread_mutex_lock(&output->lock);
	buf_clear(&output->screen);
	output->ends = true;
	(void)pthread_cond_signal(&output->news);
	(void)pthread_mutex_unlock(&output->lock);
	(void)pthread_join(output->thread, NULL);
	code = report(output, output->code, err);
	(void)pthread_cond_destroy(&output->news);
	(void)pthread_mutex_destroy(&output->lock);
	buf_done(&output->text);
	buf_done(&output->screen);
	free(output);
	return code;
}
