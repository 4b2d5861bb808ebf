/* Where HTTP is served: a list of addresses with blanks between them, or "none". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "config/address.h"

#define LISTEN_MAX      8
#define LISTEN_PATH_MAX 108 /* of a Unix socket, by the kernel's sockaddr_un */

enum listen_kind {
	LISTEN_IP,     /* "127.0.0.1:9750", "[::]:9750", "localhost:9750" */
	LISTEN_UNIX,   /* "unix:/path" */
	LISTEN_PASSED, /* "systemd": the sockets that the service manager passed */
};

struct listen_item {
	enum listen_kind kind;
	struct address address;
	char path[LISTEN_PATH_MAX];
};

struct listen_list {
	struct listen_item items[LISTEN_MAX];
	size_t n; /* 0: none */
};

/* 0; -EINVAL, and why says more when it was not the form of an address. */
int listen_parse(const char *text, struct listen_list *ret, struct text *why);

/* What it is called in messages: "127.0.0.1:9750", "unix:/path", "systemd". */
void listen_name(const struct listen_item *item, struct text *name);

/* Whether others than this machine may reach it. What is passed is known only once it is there. */
bool listen_is_open(const struct listen_item *item);
