/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of GNU libmicrohttpd that the server uses, loaded when it is opened: the library
 * brings TLS with it, which would cost every start of the program. */
#ifndef SERVER_MICROHTTPD_H
#define SERVER_MICROHTTPD_H

#include <microhttpd.h>

struct err;

struct microhttpd {
	typeof(MHD_start_daemon) *MHD_start_daemon;
	typeof(MHD_stop_daemon) *MHD_stop_daemon;
	typeof(MHD_is_feature_supported) *MHD_is_feature_supported;
	typeof(MHD_create_response_from_buffer) *MHD_create_response_from_buffer;
	typeof(MHD_add_response_header) *MHD_add_response_header;
	typeof(MHD_queue_response) *MHD_queue_response;
	typeof(MHD_destroy_response) *MHD_destroy_response;
	typeof(MHD_lookup_connection_value) *MHD_lookup_connection_value;
	typeof(MHD_get_connection_info) *MHD_get_connection_info;
};

/* What the library calls with a request; the signature is its own. */
#define MICROHTTPD_REQUEST                                                                     \
	void *context, struct MHD_Connection *connection, const char *url, const char *method, \
		const char *version, const char *data, size_t *data_len, void **state

int microhttpd_load(struct microhttpd *ret, struct err *err);

#endif
