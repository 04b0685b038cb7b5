/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of ingest.c: the protocols, and what they have in common. */
#ifndef SERVER_INGEST_KINDS_H
#define SERVER_INGEST_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "server/ingest.h"

struct buf;
struct err;
struct profile;
struct request;

typedef int ingest_kind(struct ingest *ingest, const struct request *request, struct reply *reply,
			struct err *err);

ingest_kind ingest_pyroscope, ingest_push, ingest_parca, ingest_coroot, ingest_otlp, ingest_batch;

/* A label by the name that the sender's system has for it: service_name and service.name are
 * `service`, and so on. Names that a store does not take are made such. */
void ingest_label(struct label_set *labels, const char *name, const char *value);
/* A profile in any format that is recognised by its bytes, packed by gzip or not. at_ns: Unix time
 * of its samples, 0: as it says itself, else now. */
int ingest_bytes(struct ingest *ingest, struct body_bytes data, const struct label_set *labels,
		 uint64_t at_ns, struct err *err);
/* With PROFILE_KEEP_TIME the times of its samples are Unix time; else they are all at_ns. */
int ingest_profile(struct ingest *ingest, const struct profile *profile,
		   const struct label_set *labels, uint64_t at_ns, struct err *err);

#endif
