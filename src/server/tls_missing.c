/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A static program has no TLS: distributions lack static libraries that GnuTLS needs. There
 * libmicrohttpd is linked with these functions, of which it calls the first one only: the server
 * does not ask it for TLS. Only in static builds. */
#include "server/tls.h"

#include <stddef.h>

/* What a function of GnuTLS returns that cannot do its work. */
#define REFUSED (-1250) /* GNUTLS_E_UNIMPLEMENTED_FEATURE */

#define TLS_FUNCTIONS(X)                              \
	X(gnutls_alpn_set_protocols)                  \
	X(gnutls_bye)                                 \
	X(gnutls_certificate_allocate_credentials)    \
	X(gnutls_certificate_free_credentials)        \
	X(gnutls_certificate_server_set_request)      \
	X(gnutls_certificate_set_dh_params)           \
	X(gnutls_certificate_set_retrieve_function2)  \
	X(gnutls_certificate_set_retrieve_function3)  \
	X(gnutls_certificate_set_x509_key_mem)        \
	X(gnutls_certificate_set_x509_key_mem2)       \
	X(gnutls_certificate_set_x509_trust_mem)      \
	X(gnutls_cipher_get)                          \
	X(gnutls_credentials_set)                     \
	X(gnutls_deinit)                              \
	X(gnutls_dh_params_deinit)                    \
	X(gnutls_dh_params_import_pkcs3)              \
	X(gnutls_dh_params_init)                      \
	X(gnutls_global_deinit)                       \
	X(gnutls_handshake)                           \
	X(gnutls_init)                                \
	X(gnutls_priority_deinit)                     \
	X(gnutls_priority_init)                       \
	X(gnutls_priority_set)                        \
	X(gnutls_protocol_get_version)                \
	X(gnutls_psk_allocate_server_credentials)     \
	X(gnutls_psk_free_server_credentials)         \
	X(gnutls_psk_set_server_credentials_function) \
	X(gnutls_record_check_pending)                \
	X(gnutls_record_get_direction)                \
	X(gnutls_record_recv)                         \
	X(gnutls_record_send)                         \
	X(gnutls_session_get_ptr)                     \
	X(gnutls_session_set_ptr)                     \
	X(gnutls_strerror)                            \
	X(gnutls_transport_set_int2)

int gnutls_global_init(void);

int gnutls_global_init(void)
{
	return 0;
}

#define MISSING(function)       \
	int function(void);     \
	int function(void)      \
	{                       \
		return REFUSED; \
	}

TLS_FUNCTIONS(MISSING)

/* The library's own variable: a pointer to malloc(). */
extern void *(*const gnutls_malloc)(size_t);
void *(*const gnutls_malloc)(size_t) = NULL;

bool tls_is_there(void)
{
	return false;
}
