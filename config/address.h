/* The address that the daemon listens on: "127.0.0.1:9750", "[::1]:9750", "localhost:9750". */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct address {
	struct sockaddr_storage sockaddr;
	socklen_t len;
	bool loopback;
};

/* Numeric addresses and the word localhost; no name is looked up. Port 0 lets the kernel choose.
 * Returns 0 or -EINVAL. */
int address_parse(const char *text, struct address *ret);

#define ADDRESS_NAME_MAX 64
/* "127.0.0.1:9750", "[::1]:9750" */
void address_name(const struct sockaddr_storage *sockaddr, char ret[ADDRESS_NAME_MAX]);

/* What is wrong with a text that address_parse() refuses: "has no port". */
const char *address_problem(const char *text);

/* The port of an address in host order. */
unsigned address_port(const struct sockaddr_storage *sockaddr);
/* Whether it is all addresses of its family: 0.0.0.0 or ::. */
bool address_is_any(const struct sockaddr_storage *sockaddr);
