/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies that are errors (see reply.h). */
#include "server/reply.h"

#include <errno.h>

#include "base/err.h"

void reply_error(struct reply *reply, unsigned status, const char *message)
{
	buf_clear(&reply->body);
	reply->status = status;
	reply->type = REPLY_TEXT;
	reply->download[0] = '\0';
	(void)buf_puts(&reply->body, message);
	(void)buf_putc(&reply->body, '\n');
	text_tidy_lines(reply->body.data, reply->body.len);
}

void reply_err(struct reply *reply, const struct err *err)
{
	unsigned status = err->usage || err->code == -EINVAL || err->code == -EBADMSG ? 400
			  : err->code == -ENODATA || err->code == -ENOENT	      ? 404
			  : err->code == -E2BIG || err->code == -EFBIG		      ? 413
			  : err->code == -EPROTONOSUPPORT			      ? 415
										      : 500;

	reply_error(reply, status, err->msg);
}

void reply_done(struct reply *reply)
{
	buf_done(&reply->body);
}
