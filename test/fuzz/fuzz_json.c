/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON: any bytes; every node can be reached and decoded, and steps lead to where items say. */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_container(const struct json *json, json_id id)
{
	size_t count = 0;

	for (json_id at = json_first(json, id); at != JSON_NONE; at = json_next(json, id, at)) {
		if (at <= id || at >= json->nodes.item[id].next)
			abort();
		count++;
	}
	if (count != json_count(json, id) * (json_type(json, id) == JSON_OBJECT ? 2 : 1))
		abort();
	if (json_type(json, id) == JSON_ARRAY && count &&
	    json_item(json, id, count - 1) == JSON_NONE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	struct json json;

	if (json_parse((const char *)data, size, &json, &err))
		return 0;
	for (json_id id = 0; id < json.nodes.count; id++) {
		check_container(&json, id);
		buf_clear(&text);
		json_put(&json, id, &text);
		(void)json_number(&json, id, 0);
		(void)json_u64(&json, id, 0);
		(void)json_get(&json, id, "name");
	}
	buf_done(&text);
	json_done(&json);
	return 0;
}
