/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches as files of the spool (see clickhouse.h): magic, id, day, for each table its length and
 * rows, and a hash of all before; numbers little-endian. */
#include <errno.h>

#include "base/err.h"
#include "base/map.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/row_binary.h"

#define MAGIC 0x3150534c4c505543u /* "CUPLLSP1" */

void clickhouse_batch_write(const struct clickhouse_batch *batch, struct buf *ret)
{
	row_put(ret, MAGIC, 8);
	row_put(ret, batch->id, 8);
	row_put(ret, batch->day, 4);
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++) {
		row_put(ret, batch->rows[i].len, 8);
		(void)buf_append(ret, batch->rows[i].data, batch->rows[i].len);
	}
	row_put(ret, hash_bytes(ret->data, ret->len), 8);
}

bool clickhouse_batch_read(const void *data, size_t len, struct clickhouse_batch *ret)
{
	struct row_reader in = { data, (const uint8_t *)data + len, len < 16 };
	struct row_reader end = { (const uint8_t *)data + len - 8, in.end, false };

	*ret = (struct clickhouse_batch){ 0 };
	if (in.failed || row_take(&in, 8) != MAGIC ||
	    row_take(&end, 8) != hash_bytes(data, len - 8))
		return false;
	in.end -= 8;
	ret->id = row_take(&in, 8);
	ret->day = (uint32_t)row_take(&in, 4);
	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++) {
		uint64_t bytes = row_take(&in, 8);

		if (in.failed || bytes > (uint64_t)(in.end - in.at))
			return false;
		(void)buf_append(&ret->rows[i], in.at, (size_t)bytes);
		in.at += bytes;
	}
	return in.at == in.end;
}

int clickhouse_batch_send(void *context, const void *data, size_t len, struct err *err)
{
	struct clickhouse_batch batch = { 0 };
	int code = clickhouse_batch_read(data, len, &batch)
			   ? clickhouse_send(context, &batch, true, err)
			   : err_set(err, -EREMOTEIO, "the file is damaged");

	for (size_t i = 0; i < CLICKHOUSE_TABLES; i++)
		buf_done(&batch.rows[i]);
	return code;
}
