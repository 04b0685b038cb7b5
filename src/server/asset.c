/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of the page (see asset.h). */
#include "server/asset.h"

#include <stddef.h>
#include <string.h>

#include "server/reply.h"

#define JS  "text/javascript; charset=utf-8"
#define CSS "text/css; charset=utf-8"
#define SVG "image/svg+xml"

extern const char flame_html_js[], flame_html_js_sha256[];
extern const char flame_html_css[], flame_html_css_sha256[];
extern const char diff_page_js[], diff_page_js_sha256[];
extern const char diff_page_css[], diff_page_css_sha256[];
extern const char server_page_js[], server_page_js_sha256[];
extern const char server_page_css[], server_page_css_sha256[];

static const char page[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	"<title>Cupel</title>\n<link rel=\"icon\" href=\"asset/icon.svg\">\n"
	"<link rel=\"stylesheet\" href=\"asset/server_page.css\">\n"
	"<script src=\"asset/server_page.js\" defer></script>\n</head>\n<body>\n"
	"<noscript><p>This page needs JavaScript. Without it, ask the same questions with "
	"cupel query.</p></noscript>\n<main id=\"page\"></main>\n</body>\n</html>\n";

/* A cup over a flame. */
static const char icon[] =
	"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">"
	"<path fill=\"#c94a12\" d=\"M8 15c-3 0-4-2-4-4 0-3 4-3 4-7 4 3 4 5 4 7s-1 4-4 4z\"/>"
	"<path fill=\"#888\" d=\"M3 1h10l-2 4H5z\"/></svg>\n";

static const struct asset assets[] = {
	{ "/", REPLY_HTML, page, NULL },
	{ "/asset/icon.svg", SVG, icon, NULL },
	{ "/asset/flame_html.js", JS, flame_html_js, flame_html_js_sha256 },
	{ "/asset/flame_html.css", CSS, flame_html_css, flame_html_css_sha256 },
	{ "/asset/diff_page.js", JS, diff_page_js, diff_page_js_sha256 },
	{ "/asset/diff_page.css", CSS, diff_page_css, diff_page_css_sha256 },
	{ "/asset/server_page.js", JS, server_page_js, server_page_js_sha256 },
	{ "/asset/server_page.css", CSS, server_page_css, server_page_css_sha256 },
};

const struct asset *asset_find(const char *path)
{
	for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]); i++)
		if (strcmp(assets[i].path, path) == 0)
			return &assets[i];
	return NULL;
}
