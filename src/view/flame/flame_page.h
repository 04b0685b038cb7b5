/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One HTML file that needs nothing else: packed data, style and script are inside, and a
 * Content-Security-Policy in it allows exactly these and no network. (Pages of a server have links
 * to style and script, and the server's policy.) Views put flame graphs, heat maps and comparisons
 * into such pages. The script finds data by id:
 *
 *     const tree = await flameData.unpack(document.getElementById("flame-data").textContent);
 *     flameView.create(document.getElementById("page"), tree);
 *
 * Assets are made by the build from lists of modules (src/view/flame/meson.build): a view of its
 * own lists the viewer's modules and then its own in place of flame_main.js. */
#ifndef VIEW_FLAME_FLAME_PAGE_H
#define VIEW_FLAME_FLAME_PAGE_H

#include <stddef.h>

struct buf;

/* Bytes embedded by tools/embed, and the words that let a page use them. */
struct flame_asset {
	const char *text, *sha256;
};

#define FLAME_ASSET(symbol) ((struct flame_asset){ symbol, symbol##_sha256 })

/* Data for the script: base64, usually of flame_pack_write(). */
struct flame_data {
	const char *id;
	const char *text;
};

struct flame_page {
	const char *title;
	/* Appended to the document's title: the kind of page, numbers and host; NULL = none. */
	const char *what, *about;
	struct flame_asset script, style;
	/* Their addresses, when the page comes from a server that forbids scripts inside; NULL:
	 * they are inside. */
	const char *script_url, *style_url;
	const struct flame_data *data;
	size_t data_count;
	/* Shown if scripts are blocked: HTML, trusted; NULL: only a hint. */
	const char *without_script;
};

void flame_page_write(const struct flame_page *page, struct buf *ret);

#endif
