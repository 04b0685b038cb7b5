/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether this program can speak TLS. The build chooses the file: tls.c, or tls_missing.c for a
 * static program. */
#ifndef SERVER_TLS_H
#define SERVER_TLS_H

#include <stdbool.h>

bool tls_is_there(void);

#endif
