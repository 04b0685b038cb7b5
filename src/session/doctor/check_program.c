/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the program or process that was given: its binaries, and what its runtime compiles. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "event/event.h"
#include "proc/maps_line.h"
#include "session/doctor/doctor_binary.h"
#include "session/doctor/doctor_check.h"
#include "symbol/process_file.h"

#define MAX_MODULES  256
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* The file of a program's name as execvp(3) finds it; NULL = none. */
static const char *find_program(struct doctor *doctor, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, F_OK) ? NULL : name;
	for (path = path ? path : DEFAULT_PATH; *path;) {
		size_t len = strcspn(path, ":");
		char full[PATH_MAX];

		if (snprintf(full, sizeof(full), "%.*s/%s", (int)len, path, name) <
			    (int)sizeof(full) &&
		    !access(full, X_OK))
			return arena_strdup(doctor->arena, full);
		path += len + (path[len] == ':');
	}
	return NULL;
}

/* Distinct files that the process executes. */
struct modules {
	const char *path[MAX_MODULES];
	size_t count;
	bool compiled; /* executable memory without a file */
	bool dumped;   /* a jitdump is mapped */
};

static void add_module(struct doctor *doctor, struct modules *modules, const char *path)
{
	if (path[0] != '/') {
		modules->compiled = modules->compiled || path[0] != '[' ||
				    !strncmp(path, "[anon", 5);
		return;
	}
	modules->dumped = modules->dumped || strstr(path, "/jit-");
	for (size_t i = 0; i < modules->count; i++)
		if (strcmp(modules->path[i], path) == 0)
			return;
	if (modules->count < MAX_MODULES)
		modules->path[modules->count++] = arena_strdup(doctor->arena, path);
}

/* False: the maps cannot be read. */
static bool list_modules(struct doctor *doctor, struct modules *ret)
{
	char path[64];
	char *text, *rest;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)doctor->options->pid); /* fits */
	text = (char *)(uintptr_t)doctor_read(doctor, path); /* the copy is ours to cut up */
	if (!text || !text[0])
		return false;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct event_mmap map;

		if (maps_line_executable(line) && maps_line_parse(line, &map))
			add_module(doctor, ret, map.path);
	}
	return true;
}

static void judge_process(struct doctor *doctor, struct doctor_finding *finding)
{
	struct modules modules = { 0 };
	char stripped[256] = "";
	size_t count = 0;

	if (!list_modules(doctor, &modules)) {
		finding_set(doctor, finding, DOCTOR_MISSING, "/proc/%d/maps cannot be read",
			    (int)doctor->options->pid);
		finding->consequence = "its frames have no names";
		finding_needs_rights(doctor, finding);
		return;
	}
	for (size_t i = 0; i < modules.count; i++) {
		const char *name = strrchr(modules.path[i], '/') + 1;
		struct doctor_binary binary;
		char path[PATH_MAX];

		(void)snprintf(path, sizeof(path), "%s/proc/%d/root%s", doctor->options->root,
			       (int)doctor->options->pid, modules.path[i]); /* else unreadable */
		binary = doctor_examine_binary(path);
		if (!binary.readable || binary.functions)
			continue;
		if (count++ < 4)
			(void)snprintf(stripped + strlen(stripped),
				       sizeof(stripped) - strlen(stripped), "%s%s",
				       stripped[0] ? ", " : "", name); /* cut off when long */
	}
	finding_set(doctor, finding, count ? DOCTOR_LIMITED : DOCTOR_OK,
		    "%zu of %zu binaries are stripped%s%s", count, modules.count, count ? ": " : "",
		    stripped);
	if (!count)
		return;
	finding->consequence = "functions that they do not export have no names";
	finding->fix = "install their debug packages (-dbg, -dbgsym, -debuginfo), or read the "
		       "recording with report --debuginfod";
}

int doctor_find_subject(const struct doctor_options *options, struct err *err)
{
	struct arena arena = { 0 };
	struct doctor doctor = { .options = options, .arena = &arena };
	char path[PATH_MAX];
	int code = 0;

	(void)snprintf(path, sizeof(path), "%s/proc/%d", options->root, (int)options->pid);
	if (options->pid && access(path, F_OK))
		code = err_set(err, -ESRCH, "process %d: no such process", (int)options->pid);
	else if (options->program && !find_program(&doctor, options->program))
		code = err_set(err, -ENOENT, "%s: no such program", options->program);
	arena_done(&arena);
	return code;
}

void check_program_names(struct doctor *doctor, struct doctor_finding *finding)
{
	const char *path;

	if (doctor->options->pid) {
		judge_process(doctor, finding);
		return;
	}
	if (!doctor->options->program) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "name a PROGRAM or -p PID");
		return;
	}
	path = find_program(doctor, doctor->options->program);
	if (path)
		doctor_judge_binary(doctor, finding, path);
	else
		finding_set(doctor, finding, DOCTOR_MISSING, "%s: no such program",
			    doctor->options->program);
}

/* Runtimes that compile, and how they write the map of what they compiled. */
static const struct {
	const char *name, *fix, *command;
} runtimes[] = {
	{ "java",
	  "make the running JVM write its map now, or start it with "
	  "-XX:+PreserveFramePointer -XX:+DumpPerfMapAtExit:",
	  "jcmd %d Compiler.perfmap" },
	{ "node", "start it again with:", "node --perf-basic-prof ..." },
	{ "dotnet", "start it again with:", "DOTNET_PerfMapEnabled=1 dotnet ..." },
	{ "php", "start it again with:", "php -d opcache.jit_debug=0x10 ..." },
	{ "luajit", "a build of LuaJIT with perf maps writes them", NULL },
};

static bool has_map(const struct doctor *doctor)
{
	static const char *const file[2] = { "/tmp/perf-", ".map" };
	struct err ignored = { 0 };
	AUTO_CLOSE int fd =
		process_file_open_numbered(file, (uint32_t)doctor->options->pid, NULL, &ignored);

	return fd >= 0;
}

void check_jit_names(struct doctor *doctor, struct doctor_finding *finding)
{
	struct modules modules = { 0 };
	char path[64];
	const char *comm;

	(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)doctor->options->pid); /* fits */
	comm = doctor->options->pid ? doctor_read(doctor, path) : NULL;
	if (!comm || !list_modules(doctor, &modules) || !modules.compiled) {
		finding_set(doctor, finding, DOCTOR_SKIPPED, "%s",
			    comm ? "no code that a runtime compiled"
				 : "name a process with -p PID");
		return;
	}
	if (modules.dumped || has_map(doctor)) {
		finding_set(doctor, finding, DOCTOR_OK, "%s has a %s", comm,
			    modules.dumped ? "jitdump" : "perf map");
		return;
	}
	finding_set(doctor, finding, DOCTOR_LIMITED, "%s compiles code, and writes no map of it",
		    comm);
	finding->consequence = "that code has no names";
	finding->fix = "let its runtime write /tmp/perf-PID.map or a jitdump";
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		const char *at = runtimes[i].command ? strstr(runtimes[i].command, "%d") : NULL;

		if (strcmp(comm, runtimes[i].name) != 0)
			continue;
		finding->fix = runtimes[i].fix;
		if (at)
			finding_command(doctor, finding, "%.*s%d%s",
					(int)(at - runtimes[i].command), runtimes[i].command,
					(int)doctor->options->pid, at + 2);
		else
			finding->command = runtimes[i].command;
	}
}
