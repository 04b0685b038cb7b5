/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See input_window.h. */
#include "format/input_window.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "format/input.h"

int input_window_open(struct input_window *window, struct input *input, struct err *err)
{
	*window = (struct input_window){ .input = input };
	if (input_rewind(input, err))
		return err->code;
	return input_window_fill(window, 0, err);
}

int input_window_fill(struct input_window *window, size_t used, struct err *err)
{
	struct buf *bytes = &window->bytes;
	size_t want;

	bytes->len -= used;
	if (used)
		memmove(bytes->data, bytes->data + used, bytes->len);
	want = bytes->len + INPUT_WINDOW_BYTES;
	while (bytes->len < want && !window->ended) {
		size_t at = bytes->len, room = want - at;
		ssize_t n;

		if (buf_extend(bytes, room))
			return err_set(err, -E2BIG, "%s: too large", input_name(window->input));
		n = input_read(window->input, bytes->data + at, room);
		bytes->len = at + (n > 0 ? (size_t)n : 0);
		if (n < 0 && !bytes->len)
			return input_error(window->input, n, err);
		window->ended = n <= 0; /* what came before damage is used */
	}
	return 0;
}

void input_window_close(struct input_window *window)
{
	struct err ignored = { 0 }; /* the file was read once, so it can be again */

	buf_done(&window->bytes);
	(void)input_rewind(window->input, &ignored);
}
