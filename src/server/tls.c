/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that loads libmicrohttpd has its TLS (see tls.h). */
#include "server/tls.h"

bool tls_is_there(void)
{
	return true;
}
