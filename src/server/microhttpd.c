/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads libmicrohttpd (see microhttpd.h). */
#include "server/microhttpd.h"

#include "base/err.h"
#include "base/library.h"

static const struct library_function functions[] = {
	LIBRARY_LINKED(struct microhttpd, MHD_start_daemon),
	LIBRARY_LINKED(struct microhttpd, MHD_stop_daemon),
	LIBRARY_LINKED(struct microhttpd, MHD_is_feature_supported),
	LIBRARY_LINKED(struct microhttpd, MHD_create_response_from_buffer),
	LIBRARY_LINKED(struct microhttpd, MHD_add_response_header),
	LIBRARY_LINKED(struct microhttpd, MHD_queue_response),
	LIBRARY_LINKED(struct microhttpd, MHD_destroy_response),
	LIBRARY_LINKED(struct microhttpd, MHD_lookup_connection_value),
	LIBRARY_LINKED(struct microhttpd, MHD_get_connection_info),
};

static const struct library library = { .file = "libmicrohttpd.so.12",
					.functions = functions,
					.function_count = sizeof(functions) / sizeof(*functions) };

int microhttpd_load(struct microhttpd *ret, struct err *err)
{
	int code = library_load(&library, ret, err);

	return code ? err_hint(err, "install GNU libmicrohttpd (Debian: libmicrohttpd12)") : 0;
}
