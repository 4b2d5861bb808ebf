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
	return address_parse(text, &item->address);
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

static bool is_repeated(const struct listen_list *list, const struct listen_item *item)
{
	for (size_t i = 0; i < list->n; i++)
		if (is_same(&list->items[i], item))
			return true;
	return false;
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
		if (len >= sizeof(word))
			return -EINVAL;
		memcpy(word, p, len);
		word[len] = '\0';

		int r = parse_item(word, &list.items[list.n], why);

		if (r < 0)
			return r;
		if (is_repeated(&list, &list.items[list.n])) {
			text_printf(why, "has %s twice", word);
			return -EINVAL;
		}
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
