/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target over files given on the command line (folders are walked), for builds without
 * libFuzzer: the test run replays all seeds this way under ASan and UBSan. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long count;

static int run_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	FILE *file;
	uint8_t *data;
	size_t len;

	(void)ftw;
	if (type != FTW_F)
		return 0;
	file = fopen(path, "rbe");
	if (!file) {
		perror(path);
		return 1;
	}
	data = malloc((size_t)st->st_size + 1);
	len = data ? fread(data, 1, (size_t)st->st_size, file) : 0;
	(void)fclose(file);			 /* only read */
	(void)LLVMFuzzerTestOneInput(data, len); /* always 0 by convention */
	free(data);
	count++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], run_file, 16, FTW_PHYS)) {
			(void)fprintf(stderr, "%s: cannot read\n", argv[i]);
			return 1;
		}
	(void)printf("%lu inputs replayed\n", count);
	return count ? 0 : 1;
}
