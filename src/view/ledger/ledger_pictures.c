/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of a ledger (see ledger_pictures.h): the views of stacks and of timelines, with the
 * ledger's own lines. */
#include "view/ledger/ledger_pictures.h"

#include "base/buf.h"
#include "profile/profile.h"
#include "view/flame/flame_graph.h"
#include "view/flame/flame_html.h"
#include "view/ledger/ledger_about.h"
#include "view/ledger/ledger_lanes.h"
#include "view/ledger/ledger_profile.h"
#include "view/ledger/ledger_timeline.h"

static void put_host(const struct ledger_picture *picture, struct buf *ret)
{
	if (picture->host && *picture->host)
		(void)buf_printf(ret, " \xc2\xb7 %s", picture->host);
}

int ledger_flame_graph(const struct ledger_picture *picture, struct buf *ret, struct err *err)
{
	struct profile *profile = ledger_profile(picture->ledger, picture->rows, picture->idle);
	struct flame_graph_options options = { .measure = FLAME_MEASURE_WEIGHT,
					       .countname = "ns",
					       .states = true };
	struct buf title = { 0 }, about = { 0 };
	int code;

	(void)buf_printf(&title, "Wall-clock time of %s", picture->title);
	ledger_about(picture->ledger, &about);
	put_host(picture, &about);
	options.title = title.data;
	options.subtitle = about.data;
	code = picture->html ? flame_html(profile, &options, ret, err)
			     : flame_graph_svg(profile, &options, ret, NULL, err);
	profile_free(profile);
	buf_done(&title);
	buf_done(&about);
	return code;
}

static int trace(const struct timeline *timeline, struct buf *ret, struct err *err)
{
	(void)err;
	timeline_chrome_trace(timeline, ret);
	return 0;
}

/* lanes: also of what threads waited for. */
static int draw(const struct ledger_picture *picture, bool lanes,
		int (*view)(const struct timeline *, struct buf *, struct err *), struct buf *ret,
		struct err *err)
{
	struct buf about = { 0 }, missing = { 0 };
	struct ledger_lanes_left left = { 0 };
	struct timeline timeline;
	int code;

	ledger_timeline(picture->slices, picture->ledger, &timeline);
	ledger_slices_about(picture->slices, picture->ledger, &about);
	put_host(picture, &about);
	if (lanes)
		ledger_lanes_add(picture->slices, picture->ledger, &timeline, &left);
	ledger_lanes_missing(&left, &missing);
	ledger_missing(picture->ledger, &missing);
	timeline.title = picture->title;
	timeline.about = about.data;
	timeline.what = "wall-clock timeline";
	timeline.missing = missing.data;
	timeline.context = picture->machine;
	code = view(&timeline, ret, err);
	ledger_timeline_done(&timeline);
	buf_done(&about);
	buf_done(&missing);
	return code;
}

int ledger_timeline_page(const struct ledger_picture *picture, struct buf *ret, struct err *err)
{
	return draw(picture, true, timeline_html, ret, err);
}

int ledger_timeline_trace(const struct ledger_picture *picture, struct buf *ret, struct err *err)
{
	return draw(picture, false, trace, ret, err);
}
