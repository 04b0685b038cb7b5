/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One column of a sparkline. */
#ifndef VIEW_SPARKLINE_H
#define VIEW_SPARKLINE_H

struct buf;

/* In eight levels, rounded up, so that only 0 is blank; NAN is a dot. */
void sparkline_put(double value, double top, struct buf *out);

#endif
