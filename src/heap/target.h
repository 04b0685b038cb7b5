/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the loader would take the preloaded library into a program. The library itself asks
 * before each exec, so this allocates nothing and takes no locks. */
#ifndef HEAP_TARGET_H
#define HEAP_TARGET_H

enum heap_target {
	HEAP_TARGET_FITS,
	HEAP_TARGET_UNKNOWN,   /* it cannot be read, or is no program */
	HEAP_TARGET_STATIC,    /* it has no loader */
	HEAP_TARGET_RIGHTS,    /* setuid, setgid, capabilities: the loader ignores LD_PRELOAD */
	HEAP_TARGET_MACHINE,   /* for another processor or of 32 bits: the loader prints an error */
	HEAP_TARGET_SANITIZER, /* ends at once when another library comes before the sanitizer's */
	HEAP_TARGETS
};

/* As exec would start it from this process: a script is its interpreter. */
enum heap_target heap_target_check(const char *path);
/* Whether the library may come before those of this LD_PRELOAD, NULL = none. */
enum heap_target heap_target_check_preload(const char *names);

#endif
