/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jit_target map|dump|none SECONDS: generates a hot function and announces it to profilers. "map"
 * writes /tmp/perf-PID.map, "dump" a jitdump in the current folder with its marker mapping, "none"
 * spins in a function of the program file instead. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
/* mov %edi,%ecx; 1: dec %ecx; jnz 1b; ret */
static const uint8_t code[] = { 0x89, 0xf9, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
#elif defined(__aarch64__)
/* 1: subs w0, w0, #1; b.ne 1b; ret */
static const uint8_t code[] = { 0x00, 0x04, 0x00, 0x71, 0xe1, 0xff,
				0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#endif

typedef void spinner(unsigned count);

__attribute__((noinline)) static void spin_in_file(unsigned count)
{
	for (volatile unsigned i = 0; i < count; i = i + 1)
		;
}

static int write_map(const void *start)
{
	char path[64];
	FILE *file;

	(void)snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "we");
	if (!file)
		return -1;
	(void)fprintf(file, "%jx %zx generated spin\n", (uintmax_t)(uintptr_t)start, sizeof(code));
	return fclose(file);
}

static int write_dump(const void *start)
{
	static const char name[] = "generated spin";
	uint32_t header[10] = { 0x4a695444, 1, 40, 0, 0, (uint32_t)getpid() };
	uint64_t at = (uintptr_t)start, load[5] = { 0, at, at, sizeof(code), 1 };
	uint32_t record[4] = { 0, 16 + sizeof(load) + sizeof(name) + sizeof(code) };
	char path[64];
	FILE *file;
	void *marker;

	(void)snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	file = fopen(path, "w+e");
	if (!file)
		return -1;
	marker = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	(void)fwrite(header, sizeof(header), 1, file);
	(void)fwrite(record, sizeof(record), 1, file);
	(void)fwrite(load, sizeof(load), 1, file);
	(void)fwrite(name, sizeof(name), 1, file);
	(void)fwrite(start, sizeof(code), 1, file);
	return fclose(file) || marker == MAP_FAILED ? -1 : 0;
}

static spinner *generate(int (*tell)(const void *start))
{
	void *start = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED)
		return NULL;
	memcpy(start, code, sizeof(code));
	__builtin___clear_cache(start, (char *)start + sizeof(code));
	if (mprotect(start, 4096, PROT_READ | PROT_EXEC) || tell(start))
		return NULL;
	return (spinner *)(uintptr_t)start;
}

int main(int argc, char **argv)
{
	spinner *spin = spin_in_file;
	struct timespec now, end;

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "map"))
		spin = generate(write_map);
	else if (!strcmp(argv[1], "dump"))
		spin = generate(write_dump);
	if (!spin || clock_gettime(CLOCK_MONOTONIC, &end))
		return 1;
	end.tv_sec += strtol(argv[2], NULL, 10);
	do
		spin(1000000);
	while (!clock_gettime(CLOCK_MONOTONIC, &now) && now.tv_sec <= end.tv_sec);
	return 0;
}
