// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks debuginfod servers (see debuginfod.h), one request at a time. The library is not linked but
 * loaded, for it brings an HTTP client along that few need. Its functions are documented in
 * debuginfod_find_debuginfo(3). */
#include "symbol/elf/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"

#define LIBRARY		  "libdebuginfod.so.1"
#define DEFAULT_TIMEOUT_S 10
#define SESSION_TIMEOUTS  6
#define NS_PER_S	  UINT64_C(1000000000)
/* While it waits the library reports the number of its rounds as progress, later bytes. */
#define LEAST_PROGRESS 4096

typedef struct debuginfod_client debuginfod_client;

struct library {
	void *handle;
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	int (*find_debuginfo)(debuginfod_client *client, const unsigned char *id, int id_len,
			      char **path);
	void (*set_progressfn)(debuginfod_client *client,
			       int (*progress)(debuginfod_client *client, long done, long total));
	void (*set_user_data)(debuginfod_client *client, void *data);
};

struct debuginfod_session {
	uint64_t timeout_ns;
	pthread_mutex_t lock; /* over all below, also during a request */
	struct library library;
	bool loaded;	  /* or tried to */
	uint64_t left_ns; /* for the requests to come */
	int code;	  /* why there are none any more; 0 = go on */
	struct err err;
};

/* The request being made; the progress function finds it as the client's user data. */
struct request {
	uint64_t timeout_ns, end_ns, moved_ns;
	long done;
	bool stopped;
};

struct debuginfod_session *debuginfod_session_new(unsigned timeout_s)
{
	struct debuginfod_session *session = mem_zalloc(sizeof(*session));

	session->timeout_ns = (timeout_s ? timeout_s : DEFAULT_TIMEOUT_S) * NS_PER_S;
	session->left_ns = SESSION_TIMEOUTS * session->timeout_ns;
	(void)pthread_mutex_init(&session->lock, NULL); /* cannot fail for a plain mutex */
	return session;
}

void debuginfod_session_free(struct debuginfod_session *session)
{
	if (!session)
		return;
	(void)pthread_mutex_destroy(&session->lock); /* not held any more */
	if (session->library.handle)
		(void)dlclose(session->library.handle); /* only counts down: see RTLD_NODELETE */
	free(session);
}

static bool load_function(void *handle, const char *name, void *ret)
{
	void *function = dlsym(handle, name);

	memcpy(ret, &function, sizeof(function));
	return function;
}

static int load_library(struct library *ret, struct err *err)
{
	struct library library = { 0 };

	if (!getenv("DEBUGINFOD_URLS") || !*getenv("DEBUGINFOD_URLS"))
		return err_set(err, -ENOSYS, "debuginfod: no server in DEBUGINFOD_URLS");
	/* its HTTP library does not bear to be unloaded */
	library.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library.handle)
		return err_set(err, -ENOSYS, "debuginfod: " LIBRARY " is not installed");
	if (load_function(library.handle, "debuginfod_begin", &library.begin) &&
	    load_function(library.handle, "debuginfod_end", &library.end) &&
	    load_function(library.handle, "debuginfod_find_debuginfo", &library.find_debuginfo) &&
	    load_function(library.handle, "debuginfod_set_progressfn", &library.set_progressfn) &&
	    load_function(library.handle, "debuginfod_set_user_data", &library.set_user_data)) {
		*ret = library;
		return 0;
	}
	(void)dlclose(library.handle); /* nothing was used of it */
	return err_set(err, -ENOSYS, "debuginfod: " LIBRARY " is too old");
}

/* The library calls this every second or oftener; anything but 0 ends the request. It passes
 * nothing but the client, so the way to the client's user data is asked for anew. */
static int on_progress(debuginfod_client *client, long done, long total)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	void *(*get_user_data)(debuginfod_client * client);
	struct request *request;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	(void)total;
	if (!handle || !load_function(handle, "debuginfod_get_user_data", &get_user_data))
		return 1;
	request = get_user_data(client);
	(void)dlclose(handle); /* only counts down */
	if (done < request->done || done - request->done >= LEAST_PROGRESS) {
		request->done = done;
		request->moved_ns = now;
	}
	request->stopped = now >= request->end_ns || now - request->moved_ns >= request->timeout_ns;
	return request->stopped;
}

/* The path is malloc'd. Returns a descriptor or -errno. */
static int find(struct debuginfod_session *session, struct request *request,
		const struct build_id *id, char **ret_path)
{
	const struct library *library = &session->library;
	debuginfod_client *client = library->begin();
	int fd;

	if (!client)
		return -ENOMEM;
	library->set_user_data(client, request);
	library->set_progressfn(client, on_progress);
	fd = library->find_debuginfo(client, id->bytes, id->len, ret_path);
	library->end(client);
	return fd;
}

/* Errors that end all requests: no server, or no answer. */
static bool is_fatal(int code)
{
	return code == -ENOSYS || code == -ETIME || code == -ECONNREFUSED ||
	       code == -EHOSTUNREACH || code == -ENETUNREACH;
}

static int ask(struct debuginfod_session *session, const struct build_id *id, char **ret_path,
	       struct err *err)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	struct request request = { .timeout_ns = session->timeout_ns,
				   .end_ns = start + session->left_ns,
				   .moved_ns = start };
	int fd = find(session, &request, id, ret_path);
	uint64_t spent = clock_ns(CLOCK_MONOTONIC) - start;

	session->left_ns -= spent < session->left_ns ? spent : session->left_ns;
	if (fd >= 0) {
		(void)close(fd); /* the path is what is used */
		return 0;
	}
	if (request.stopped || !session->left_ns || fd == -ETIME)
		return err_set(err, -ETIME, "debuginfod: %s: timed out", getenv("DEBUGINFOD_URLS"));
	return err_set(err, fd, "debuginfod: %s", strerror(-fd));
}

int debuginfod_session_open(struct debuginfod_session *session, const struct build_id *id,
			    struct elf_file **ret, struct err *err)
{
	AUTO_FREE char *path = NULL;
	int code;

	if (!id->len)
		return err_set(err, -ENOENT, "debuginfod: no build id");
	(void)pthread_mutex_lock(&session->lock); /* fails only on misuse */
	if (!session->loaded)
		session->code = load_library(&session->library, &session->err);
	session->loaded = true;
	code = session->code;
	if (code) {
		*err = session->err;
	} else {
		code = ask(session, id, &path, err);
		if (is_fatal(code)) {
			session->code = code;
			session->err = *err;
		}
	}
	(void)pthread_mutex_unlock(&session->lock); /* fails only on misuse */
	return code ? code : elf_file_open(path, ret, err);
}
