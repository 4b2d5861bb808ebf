#include "config/listen.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"

#define ITEM_MAX_BYTES 128
#define UNIX_PREFIX    "unix:"

static int parse_path(const char *path, struct listen_item *item, struct text *why)
{
	if (*path != '/') {
		text_str(why, "has a path that does not begin with /");
		return -EINVAL;
	}
	if (strlen(path) >= sizeof(item->path)) {
		text_printf(why, "has a path of more than %d bytes", LISTEN_PATH_MAX - 1);
		return -EINVAL;
	}
	item->kind = LISTEN_UNIX;
	memcpy(item->path, path, strlen(path) + 1);
	return 0;
}

static int parse_item(const char *text, struct listen_item *item, struct text *why)
{
	*item = (struct listen_item){0};
	if (!strncmp(text, UNIX_PREFIX, strlen(UNIX_PREFIX)))
		return parse_path(text + strlen(UNIX_PREFIX), item, why);
	if (!strcmp(text, "systemd")) {
		item->kind = LISTEN_PASSED;
		return 0;
	}
	if (address_parse(text, &item->address) == 0)
		return 0;
	if (!strcmp(text, "none"))
		text_str(why, "has none beside other words");
	else
		text_printf(why, "cannot be read: %s %s", text, address_problem(text));
	return -EINVAL;
}

/* Port 0 is another one each time. */
static bool is_same(const struct listen_item *a, const struct listen_item *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == LISTEN_IP)
		return address_port(&a->address.sockaddr) && a->address.len == b->address.len &&
		       !memcmp(&a->address.sockaddr, &b->address.sockaddr, a->address.len);
	return a->kind == LISTEN_PASSED || !strcmp(a->path, b->path);
}

/* Whether one of them is all addresses of the other one's family, at the same port. */
static bool overlap(const struct listen_item *a, const struct listen_item *b)
{
	return a->kind == LISTEN_IP && b->kind == LISTEN_IP &&
	       a->address.sockaddr.ss_family == b->address.sockaddr.ss_family &&
	       address_port(&a->address.sockaddr) &&
	       address_port(&a->address.sockaddr) == address_port(&b->address.sockaddr) &&
	       (address_is_any(&a->address.sockaddr) || address_is_any(&b->address.sockaddr));
}

/* A second socket of the same place could not be opened. */
static int check_repeated(const struct listen_list *list, const struct listen_item *item,
			  const char *word, struct text *why)
{
	for (size_t i = 0; i < list->n; i++) {
		if (is_same(&list->items[i], item))
			text_printf(why, "has %s twice", word);
		else if (overlap(&list->items[i], item))
			text_printf(why,
				    "has %s and another address of the same port, and one of "
				    "them is all addresses",
				    word);
		else
			continue;
		return -EINVAL;
	}
	return 0;
}

int listen_parse(const char *text, struct listen_list *ret, struct text *why)
{
	struct listen_list list = {.n = 0};
	char word[ITEM_MAX_BYTES];

	if (!strcmp(text, "none")) {
		*ret = list;
		return 0;
	}
	for (const char *p = text + strspn(text, " \t"); *p; p += strspn(p, " \t")) {
		size_t len = strcspn(p, " \t");

		if (list.n == LISTEN_MAX) {
			text_printf(why, "has more than %d addresses", LISTEN_MAX);
			return -EINVAL;
		}
		if (len >= sizeof(word)) {
			text_printf(why, "has a word of more than %zu bytes", sizeof(word) - 1);
			return -EINVAL;
		}
		memcpy(word, p, len);
		word[len] = '\0';

		int r = parse_item(word, &list.items[list.n], why);

		if (r < 0)
			return r;
		r = check_repeated(&list, &list.items[list.n], word, why);
		if (r < 0)
			return r;
		list.n++;
		p += len;
	}
	*ret = list;
	return list.n ? 0 : -EINVAL;
}

bool listen_is_open(const struct listen_item *item)
{
	return item->kind == LISTEN_IP && !item->address.loopback;
}

void listen_name(const struct listen_item *item, struct text *name)
{
	char address[ADDRESS_NAME_MAX];

	switch (item->kind) {
	case LISTEN_IP:
		address_name(&item->address.sockaddr, address);
		text_str(name, address);
		break;
	case LISTEN_UNIX:
		text_printf(name, UNIX_PREFIX "%s", item->path);
		break;
	case LISTEN_PASSED:
		text_str(name, "systemd");
		break;
	}
}
