/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of source files (see source_files.h). A profile may come from anybody and name any file, and
 * its picture may be handed on: so what is not called like source code is not read. */
#include "session/load/source_files.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/fd.h"
#include "profile/profile.h"
#include "profile/source_text.h"

#define FILE_MAX ((size_t)16 << 20)

static bool is_source_name(const char *path)
{
	static const char *const endings[] = {
		"c",   "h",   "cc",  "hh",  "cpp", "hpp", "cxx", "hxx",	 "c++",	  "h++",   "C",
		"H",   "inl", "inc", "ipp", "tcc", "tpp", "def", "S",	 "s",	  "asm",   "rs",
		"go",  "d",   "zig", "m",   "mm",  "f",	  "f90", "f95",	 "for",	  "swift", "cu",
		"cuh", "py",  "pyx", "js",  "ts",  "mjs", "rb",	 "java", "scala", "kt",	   "hs",
		"ml",  "nim", "pas", "pl",  "php", "y",	  "l",	 "cr",	 "jl",	  "adb",   "ads",
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(dot + 1, endings[i]) == 0)
			return true;
	return false;
}

static bool find(const char *symfs, const char *path, char ret[PATH_MAX], struct stat *info)
{
	int len = snprintf(ret, PATH_MAX, "%s%s", symfs ? symfs : "", path);

	return len > 0 && len < PATH_MAX && stat(ret, info) == 0 && S_ISREG(info->st_mode);
}

static bool is_newer(const struct stat *source, const struct stat *program)
{
	return source->st_mtim.tv_sec != program->st_mtim.tv_sec
		       ? source->st_mtim.tv_sec > program->st_mtim.tv_sec
		       : source->st_mtim.tv_nsec > program->st_mtim.tv_nsec;
}

enum source_file_verdict source_file_open(const char *path, const char *symfs, const char *program,
					  struct file_map *ret)
{
	char real[PATH_MAX], binary[PATH_MAX];
	struct stat source, built;
	struct err err = { 0 };

	if (!is_source_name(path) || !find(symfs, path, real, &source) || !source.st_size ||
	    (uint64_t)source.st_size > FILE_MAX)
		return SOURCE_FILE_ABSENT;
	if (find(symfs, program, binary, &built) && is_newer(&source, &built))
		return SOURCE_FILE_NEWER;
	return file_map_open(real, ret, &err) ? SOURCE_FILE_ABSENT : SOURCE_FILE_TAKEN;
}

/* The spots of one file. */
static void keep_file(struct profile *profile, const char *symfs, const struct source_spot *spots,
		      size_t count, struct source_tally *tally)
{
	const struct profile_module *module = &profile->modules.item[spots[0].module];
	enum source_file_verdict verdict;
	struct file_map map;

	verdict = source_file_open(profile_string(profile, spots[0].file), symfs,
				   profile_string(profile, module->path), &map);
	tally->newer += verdict == SOURCE_FILE_NEWER;
	if (verdict != SOURCE_FILE_TAKEN)
		return;
	if (source_text_add(profile, spots, count, (const char *)map.data, map.len))
		tally->taken++;
	else
		tally->foreign++;
	file_map_close(&map);
}

void source_files_keep(struct profile *profile, const char *symfs, struct source_tally *ret)
{
	struct source_spots spots;

	*ret = (struct source_tally){ 0 };
	source_spots_find(profile, &spots);
	for (size_t i = 0, end; i < spots.list.count; i = end) {
		for (end = i + 1; end < spots.list.count &&
				  spots.list.item[end].file.v == spots.list.item[i].file.v;)
			end++;
		ret->files++;
		keep_file(profile, symfs, &spots.list.item[i], end - i, ret);
	}
	source_spots_done(&spots);
}
