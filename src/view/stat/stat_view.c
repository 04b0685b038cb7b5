/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the form of counts (see stat_view.h). */
#include "view/stat/stat_view.h"

#include "view/stat/stat_rows.h"

void stat_view(const struct counts *counts, const struct stat_view *view, struct buf *ret)
{
	if (view->metric_only)
		stat_metric_lines(counts, view, ret);
	else if (view->json)
		stat_json(counts, view, ret);
	else if (view->separator)
		stat_csv(counts, view, ret);
	else
		stat_text(counts, view, ret);
}
