/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles that come over HTTP, as other systems send them:
 *
 *     POST /ingest                          Pyroscope: pprof or folded text, also as a form
 *     POST /push.v1.PusherService/Push      Pyroscope: series of pprof, protobuf or JSON
 *     POST /api/profiles/writeraw           Parca: the same
 *     POST /v1/profiles                     Coroot: pprof
 *     POST /v1development/profiles          OTLP: protobuf, as of opentelemetry-proto 1.10
 *     POST /cupel/v1/batch                  cupel agent --to
 *
 * Each goes through the readers of format/ into the store. They run in a process of their own
 * (writer.h); everything in the body is untrusted. */
#ifndef SERVER_INGEST_H
#define SERVER_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/unpack_body.h"

struct label_set;
struct reply;
struct store;

struct ingest {
	const char *target;   /* of the request */
	const char *type;     /* Content-Type; "" = not given */
	const char *encoding; /* Content-Encoding; "" = none */
	struct body_bytes body;
	size_t unpacked_max; /* bytes that packed ones may become */
	struct store *store;
	uint32_t uid;	  /* samples get this label of the sender; STORE_EVERYBODY: as sent */
	uint64_t now_ns;  /* Unix time */
	uint64_t id;	  /* of the request: tried again, it is stored once; 0 = none */
	uint64_t samples; /* returned: stored */
};

bool ingest_knows(const char *path);
/* Stores what is in the request. Errors become replies; what came before them is stored. */
void ingest_run(struct ingest *ingest, struct reply *reply);

#endif
