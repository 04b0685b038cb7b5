/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POST /cupel/v1/batch: batches of agents of this program (store/remote/batch_bytes.h). */
#include <stdio.h>

#include "base/buf.h"
#include "server/ingest_kinds.h"
#include "server/reply.h"
#include "store/label_set.h"
#include "store/remote/batch_bytes.h"
#include "store/store.h"

#define AGE_NS	 ((uint64_t)30 * 86400 * 1000000000u)
#define AHEAD_NS ((uint64_t)3600 * 1000000000u)

int ingest_batch(struct ingest *ingest, const struct request *request, struct reply *reply,
		 struct err *err)
{
	struct label_set labels = { 0 };
	const struct batch_target target = {
		.store = ingest->store,
		.labels = &labels,
		.first_ns = ingest->now_ns > AGE_NS ? ingest->now_ns - AGE_NS : 0,
		.last_ns = ingest->now_ns + AHEAD_NS,
		.now_ns = ingest->now_ns,
	};
	char uid[16];
	int code;

	(void)request;
	(void)reply;
	if (ingest->uid != STORE_EVERYBODY) {
		(void)snprintf(uid, sizeof(uid), "%u", ingest->uid);
		(void)label_set_put(&labels, "uid", uid);
	}
	code = batch_bytes_append(&target, ingest->body.at, ingest->body.len, &ingest->samples,
				  err);
	label_set_done(&labels);
	return code;
}
