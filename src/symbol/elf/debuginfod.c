// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks debuginfod servers (see debuginfod.h), one request at a time. The library is loaded at
 * run time, because few runs need its HTTP client. Its functions are documented in
 * debuginfod_find_debuginfo(3). */
#include "symbol/elf/debuginfod.h"

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
#include "base/library.h"
#include "proc/elf_file.h"

#define DEFAULT_TIMEOUT_S 10
#define SESSION_TIMEOUTS  6
#define NS_PER_S	  UINT64_C(1000000000)
/* While it waits, the library reports the number of its polls as progress; later, bytes. */
#define LEAST_PROGRESS 4096

typedef struct debuginfod_client debuginfod_client;

/* Named as in the library. */
struct debuginfod_functions {
	debuginfod_client *(*debuginfod_begin)(void);
	void (*debuginfod_end)(debuginfod_client *client);
	int (*debuginfod_find_debuginfo)(debuginfod_client *client, const unsigned char *id,
					 int id_len, char **path);
	void (*debuginfod_set_progressfn)(debuginfod_client *client,
					  int (*progress)(debuginfod_client *client, long done,
							  long total));
	void (*debuginfod_set_user_data)(debuginfod_client *client, void *data);
	void *(*debuginfod_get_user_data)(debuginfod_client *client);
};

static const struct library_function functions[] = {
	LIBRARY_LOADED(struct debuginfod_functions, debuginfod_begin),
	LIBRARY_LOADED(struct debuginfod_functions, debuginfod_end),
	LIBRARY_LOADED(struct debuginfod_functions, debuginfod_find_debuginfo),
	LIBRARY_LOADED(struct debuginfod_functions, debuginfod_set_progressfn),
	LIBRARY_LOADED(struct debuginfod_functions, debuginfod_set_user_data),
	LIBRARY_LOADED(struct debuginfod_functions, debuginfod_get_user_data),
};

static const struct library library = { .file = "libdebuginfod.so.1",
					.functions = functions,
					.function_count = sizeof(functions) / sizeof(*functions) };

struct debuginfod_session {
	uint64_t timeout_ns;
	pthread_mutex_t lock; /* over all below, also during a request */
	struct debuginfod_functions functions;
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
	free(session);
}

static int load(struct debuginfod_functions *ret, struct err *err)
{
	if (!getenv("DEBUGINFOD_URLS") || !*getenv("DEBUGINFOD_URLS"))
		return err_set(err, -ENOSYS, "debuginfod: no server in DEBUGINFOD_URLS");
	if (library_load(&library, ret, err))
		return err_wrap(err, "debuginfod");
	return 0;
}

/* The library calls this every second or oftener; anything but 0 ends the request. It passes
 * nothing but the client, so the function for the client's user data is loaded anew. */
static int on_progress(debuginfod_client *client, long done, long total)
{
	struct debuginfod_functions loaded;
	struct err err;
	struct request *request;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	(void)total;
	if (library_load(&library, &loaded, &err))
		return 1;
	request = loaded.debuginfod_get_user_data(client);
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
	const struct debuginfod_functions *loaded = &session->functions;
	debuginfod_client *client = loaded->debuginfod_begin();
	int fd;

	if (!client)
		return -ENOMEM;
	loaded->debuginfod_set_user_data(client, request);
	loaded->debuginfod_set_progressfn(client, on_progress);
	fd = loaded->debuginfod_find_debuginfo(client, id->bytes, id->len, ret_path);
	loaded->debuginfod_end(client);
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
		session->code = load(&session->functions, &session->err);
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
