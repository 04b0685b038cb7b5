/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The column QUERY of tcpconnect -d: the name that DNS gave the remote address last. */
#ifndef COMMAND_TOOL_DNS_COLUMN_H
#define COMMAND_TOOL_DNS_COLUMN_H

#include "command/tool/activity/activity_tool.h"

struct dns_column;

int dns_column_open(struct dns_column **ret, struct err *err);
/* What came until now. */
void dns_column_read(struct dns_column *column);
/* Says how many answers were not seen. NULL is fine. */
void dns_column_close(struct dns_column *column);
/* As text with its age, if that is long; for JSON, the name or null. */
activity_put put_query, raw_query;

#endif
