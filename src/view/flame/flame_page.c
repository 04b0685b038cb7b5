/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages that hold all they need (see flame_page.h). */
#include "view/flame/flame_page.h"

#include <string.h>
#include <strings.h>

#include "base/buf.h"

static void put_text(struct buf *out, const char *s)
{
	(void)buf_put_xml(out, s, strlen(s));
}

static void put_policy(const struct flame_page *page, struct buf *out)
{
	(void)buf_printf(out,
			 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
			 "'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action "
			 "'none'\">\n",
			 page->script.sha256, page->style.sha256);
}

/* "make -j8 · flame graph · 123 samples · host" */
static void put_title(const struct flame_page *page, struct buf *out)
{
	const char *more[] = { page->what, page->about };

	put_text(out, page->title);
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (more[i] && *more[i] && strcasecmp(more[i], page->title) != 0) {
			(void)buf_puts(out, " \xc2\xb7 ");
			put_text(out, more[i]);
		}
}

static void put_style(const struct flame_page *page, struct buf *out)
{
	if (page->style_url) {
		(void)buf_printf(out, "<link rel=\"stylesheet\" href=\"%s\">\n", page->style_url);
		return;
	}
	(void)buf_puts(out, "<style>");
	(void)buf_puts(out, page->style.text);
	(void)buf_puts(out, "</style>\n");
}

static void put_script(const struct flame_page *page, struct buf *out)
{
	if (page->script_url) {
		(void)buf_printf(out, "<script src=\"%s\"></script>\n", page->script_url);
		return;
	}
	(void)buf_puts(out, "<script>");
	(void)buf_puts(out, page->script.text);
	(void)buf_puts(out, "</script>\n");
}

void flame_page_write(const struct flame_page *page, struct buf *ret)
{
	(void)buf_puts(ret, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			    "<meta charset=\"utf-8\">\n");
	if (!page->script_url)
		put_policy(page, ret);
	(void)buf_puts(ret,
		       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		       "<meta name=\"generator\" content=\"cupel " CUPEL_VERSION "\">\n<title>");
	put_title(page, ret);
	(void)buf_puts(ret, "</title>\n");
	put_style(page, ret);
	(void)buf_puts(ret, "</head>\n<body>\n<noscript>\n<h1>");
	put_text(ret, page->title);
	(void)buf_puts(ret,
		       "</h1>\n<p>This page needs JavaScript, which is blocked here. For a picture "
		       "without scripts, use: cupel flamegraph --no-javascript -o flame.svg</p>\n");
	(void)buf_puts(ret, page->without_script ? page->without_script : "");
	(void)buf_puts(ret, "</noscript>\n<main id=\"page\"></main>\n");
	for (size_t i = 0; i < page->data_count; i++) {
		(void)buf_printf(ret, "<script type=\"application/octet-stream\" id=\"%s\">",
				 page->data[i].id);
		(void)buf_puts(ret, page->data[i].text);
		(void)buf_puts(ret, "</script>\n");
	}
	put_script(page, ret);
	(void)buf_puts(ret, "</body>\n</html>\n");
}
