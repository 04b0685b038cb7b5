/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output that does not wait for its reader: a thread writes, so a terminal that was stopped (^S) or
 * a slow pipe does not hold up a caller that has rings to drain. Errors of writing are reported by
 * the next call. */
#ifndef COMMAND_ASYNC_OUTPUT_H
#define COMMAND_ASYNC_OUTPUT_H

struct async_output;
struct buf;
struct err;

/* fd is borrowed, `name` is for messages. */
int async_output_open(int fd, const char *name, struct async_output **ret, struct err *err);
/* Text that is written in this order. With too much unread text it is dropped; a line says later
 * how often. Returns 0 or the error of an earlier write. */
int async_output_put(struct async_output *output, const struct buf *text, struct err *err);
/* A screen: replaces the one before if nothing of that is written yet. */
int async_output_show(struct async_output *output, const struct buf *screen, struct err *err);
/* Waits until all text is written, drops a screen that was not begun, and frees. NULL is fine. */
int async_output_close(struct async_output *output, struct err *err);

#endif
