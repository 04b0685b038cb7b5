#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap -p on kinds of processes, while they work: all time in malloc, many threads, C++, other
# allocators, threads that come and go, forks, other namespaces and roots, and more interpreters and servers.
# What they print stays the same. LOOKS=20 looks 20 times at each.
set -u
# shellcheck source=test/live/heap_attach.bash
. "$(dirname "$0")/heap_attach.bash"
export LOOKS=${LOOKS:-1}

# One program: its first argument is a way of working.
cat >kinds.cc <<'CC'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>
#include <vector>
static long wrong;
static bool goes_on() { return access("end", F_OK) != 0; }
static void blocks(long rounds)
{
	char *held[64] = {};
	unsigned random = 1;
	for (long i = 0; i < rounds; i++) {
		unsigned at = (random = random * 1103515245 + 12345) >> 16 & 63;
		size_t size = 16 + random % 3000;
		if (held[at] && held[at][0] != (char)at)
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
		if (random & 64 && held[at])
			held[at] = (char *)realloc(held[at], size);
		else
			free(held[at]), held[at] = (char *)malloc(size);
		held[at][0] = (char)at;
	}
	for (char *block : held)
		free(block);
}
static void strings()
{
	std::vector<std::string> all;
	for (int i = 0; i < 2000; i++)
		all.push_back(std::string(i % 300, 'x'));
	wrong += all[299].size() != 299;
}
static void *thread(void *long_lived)
{
	do
		blocks(20000);
	while (long_lived && goes_on());
	return nullptr;
}
static void threads(int count, bool long_lived)
{
	std::vector<pthread_t> all(count);
	for (auto &one : all)
		pthread_create(&one, nullptr, thread, long_lived ? &all : nullptr);
	for (auto &one : all)
		pthread_join(one, nullptr);
}
static void child()
{
	pid_t pid = fork();
	int status = 1;
	if (!pid) {
		blocks(1000);
		_exit(wrong != 0);
	}
	waitpid(pid, &status, 0);
	wrong += status != 0;
	blocks(1000);
}
int main(int argc, char **argv)
{
	std::string way = argc > 1 ? argv[1] : "malloc";
	puts("ready");
	fflush(stdout);
	while (goes_on()) {
		if (way == "strings")
			strings();
		else if (way == "threads")
			threads(8, true);
		else if (way == "short-threads")
			threads(4, false);
		else if (way == "forks")
			child();
		else if (way == "sleeps")
			blocks(100), usleep(1000);
		else
			blocks(10000);
	}
	printf("wrong %ld\n", wrong);
	return 0;
}
CC
g++ -O1 -g -pthread -o kinds kinds.cc || { echo "g++ is not here"; exit 77; }
for way in malloc strings threads short-threads forks sleeps; do
	look "$way" "wrong 0" ./kinds $way
done
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
	library=$(find /usr/lib -name $allocator 2>/dev/null | head -n 1)
	if [ -n "$library" ]; then
		look $allocator "wrong 0" env LD_PRELOAD="$library" ./kinds threads
	else
		echo "not tested: $allocator: not installed"
	fi
done
# The shells and tools that start these exec the program, so $pid is it.
if unshare -m true 2>/dev/null; then
	look "mount namespace" "wrong 0" unshare -m sh -c 'mount -t tmpfs none /mnt && exec ./kinds malloc'
else
	echo "not tested: mount namespace: there is none for a folder that is no mount point"
fi
look "user and group" "wrong 0" setpriv --reuid=65534 --regid=65534 --clear-groups ./kinds threads
cat >work.php <<'PHP'
<?php
echo "ready\n"; $wrong = 0;
while (!file_exists("end")) { clearstatcache(); $a = []; for ($i = 0; $i < 500; $i++) $a[] = str_repeat("x", $i % 300); $wrong += strlen($a[299]) != 299; }
echo "wrong $wrong\n";
PHP
cat >work.lua <<'LUA'
print("ready") io.flush()
local wrong = 0
while not io.open("end") do
	local a = {}
	for i = 1, 500 do a[i] = ("x"):rep(i % 300) end
	if #a[299] ~= 299 then wrong = wrong + 1 end
end
print("wrong " .. wrong)
LUA
cat >work.bash <<'SH'
echo ready
wrong=0
while [ ! -e end ]; do a=(); for i in {1..300}; do a+=("x$i"); done; [ "${a[298]}" = x299 ] || wrong=$((wrong + 1)); done
echo wrong $wrong
SH
look php "wrong 0" php work.php
look lua "wrong 0" lua5.4 work.lua
look bash "wrong 0" bash work.bash
port=$((20000 + $$ % 20000))
if command -v memcached >/dev/null && command -v python3 >/dev/null; then
	cat >get.py <<'PY'
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"set key 0 60 5\r\nvalue\r\nget key\r\nquit\r\n")
data = b""
while chunk := s.recv(4096):
    data += chunk
print(data.decode().split("\r\n")[2])
PY
	memcached -u nobody -l 127.0.0.1 -p $port >out 2>errors &
	pid=$!
	ask memcached value python3 get.py $port
else
	echo "not tested: memcached: not installed"
fi
if command -v lighttpd >/dev/null && command -v curl >/dev/null; then
	echo answer >index.html
	printf 'server.document-root = "%s"\nserver.port = %s\nindex-file.names = ("index.html")\n' "$work" $port >lighttpd.conf
	lighttpd -D -f lighttpd.conf >out 2>errors &
	pid=$!
	ask lighttpd answer curl -s "http://127.0.0.1:$port/index.html"
else
	echo "not tested: lighttpd: not installed"
fi
echo "$looks looks"
exit $failed
