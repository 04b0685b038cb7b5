/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child and the thread that receives (see reader_child.h). */
#include "session/reader_child.h"

#include <sys/socket.h>

#include "base/byte_queue.h"
#include "base/err.h"
#include "base/thread.h"

static void *receive(void *context)
{
	struct reader_child *child = context;

	while (child->receive(child->owner, child->confined.socket))
		;
	(void)shutdown(child->confined.socket, SHUT_RDWR); /* who sends to it notices */
	(void)pthread_mutex_lock(&child->lock);
	child->gone = true;
	(void)pthread_cond_broadcast(&child->answered);
	(void)pthread_mutex_unlock(&child->lock);
	return NULL;
}

int reader_child_open(struct reader_child *child, const struct reader_child_options *options,
		      struct err *err)
{
	const struct confined_options how = { .name = "cupel-reader",
					      .keep = -1,
					      .network = options->network };
	int code;

	*child = (struct reader_child){ .confined = CONFINED_NONE,
					.receive = options->receive,
					.owner = options->owner };
	(void)pthread_mutex_init(&child->lock, NULL);
	(void)pthread_cond_init(&child->answered, NULL);
	code = confined_start(&how, options->run, options->context, &child->confined, err);
	if (code)
		return code;
	child->queue = byte_queue_new_socket(child->confined.socket);
	code = thread_start(&child->receiver, "reader", receive, child, err);
	child->has_receiver = !code;
	return code;
}

void reader_child_join(struct reader_child *child)
{
	if (child->has_receiver)
		(void)pthread_join(child->receiver, NULL);
	child->has_receiver = false;
}

void reader_child_close(struct reader_child *child)
{
	if (child->confined.socket >= 0)
		(void)shutdown(child->confined.socket, SHUT_RDWR); /* the receiver ends */
	reader_child_join(child);
	confined_end(&child->confined);
	byte_queue_free(child->queue);
	(void)pthread_cond_destroy(&child->answered);
	(void)pthread_mutex_destroy(&child->lock);
}
