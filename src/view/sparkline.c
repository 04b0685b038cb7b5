/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See sparkline.h. */
#include "view/sparkline.h"

#include <math.h>

#include "base/buf.h"

void sparkline_put(double value, double top, struct buf *out)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double level = top > 0 ? ceil(8 * value / top) : 0;

	if (isnan(value))
		(void)buf_puts(out, "·");
	else
		(void)buf_puts(out, level < 1 ? " " : blocks[level > 8 ? 7 : (int)level - 1]);
}
