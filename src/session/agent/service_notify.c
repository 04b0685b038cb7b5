/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes to the service manager (see service_notify.h). */
#include "session/agent/service_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"

void service_notify(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;

	if (!len || len >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0'; /* abstract */
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) /* nobody listens: that is the manager's business */
		(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

uint64_t service_watchdog_ns(void)
{
	const char *text = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");

	if (!text || (pid && strtol(pid, NULL, 10) != getpid()))
		return 0;
	return strtoull(text, NULL, 10) * 1000 / 2;
}
