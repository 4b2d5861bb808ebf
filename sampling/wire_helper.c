#include "sampling/wire_helper.h"

#include <errno.h>

#include "sampling/wire_io.h"

#define FNV_OFFSET 0xcbf29ce484222325ULL
#define FNV_PRIME  0x100000001b3ULL

/* FNV-1a, with the NUL, so that two texts are not one. */
static uint64_t digest_text(uint64_t digest, const char *text)
{
	do {
		digest ^= (uint8_t)*text;
		digest *= FNV_PRIME;
	} while (*text++);
	return digest;
}

int64_t wire_digest(const struct catalog *catalog)
{
	const struct collector *collector;
	const struct group *group;
	uint64_t digest = FNV_OFFSET;

	for (size_t i = 0; (group = catalog_group_at(catalog, i, &collector)); i++) {
		digest = digest_text(digest, collector->name);
		digest = digest_text(digest, group->name);
		for (size_t f = 0; f < group->n_fields; f++)
			digest = digest_text(digest, group->fields[f].name);
	}
	return (int64_t)(digest >> 1);
}

size_t wire_put_hello(uint8_t *packet, const struct wire_hello *hello)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_HELLO);
	wire_put_str(&w, hello->version);
	wire_put_i64(&w, hello->digest);
	return w.len;
}

int wire_get_hello(const uint8_t *packet, size_t len, struct wire_hello *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_HELLO);

	wire_get_str(&r, ret->version, sizeof(ret->version));
	ret->digest = wire_get_i64(&r);
	return wire_reader_end(&r);
}

size_t wire_put_refused(uint8_t *packet, const struct wire_refused *refused)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_REFUSED);
	wire_put_str(&w, refused->reason);
	return w.len;
}

int wire_get_refused(const uint8_t *packet, size_t len, struct wire_refused *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_REFUSED);

	wire_get_str(&r, ret->reason, sizeof(ret->reason));
	return wire_reader_end(&r);
}

size_t wire_put_node(uint8_t *packet, const struct wire_node *node)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_NODE);
	wire_put_u8(&w, node->hung);
	wire_put_u8(&w, node->gone);
	wire_put_u16(&w, node->collector);
	wire_put_u16(&w, (size_t)(node->group + 1));
	wire_put_i64(&w, node->since_ms);
	wire_put_str(&w, node->node);
	return w.len;
}

int wire_get_node(const uint8_t *packet, size_t len, const struct catalog *catalog,
		  struct wire_node *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_NODE);
	const struct collector *collector = NULL;

	ret->hung = wire_get_bool(&r);
	ret->gone = wire_get_bool(&r);
	ret->collector = wire_get_u16(&r);
	ret->group = (int)wire_get_u16(&r) - 1;
	ret->since_ms = wire_get_i64(&r);
	wire_get_str(&r, ret->node, sizeof(ret->node));
	if (ret->collector >= catalog->n_collectors || ret->since_ms < 0 ||
	    (ret->hung && ret->gone) ||
	    (ret->group >= 0 && (!catalog_group_at(catalog, (size_t)ret->group, &collector) ||
				 collector != catalog->collectors[ret->collector])))
		return -EBADMSG;
	return wire_reader_end(&r);
}

size_t wire_put_account(uint8_t *packet, const struct wire_account *account)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_ACCOUNT);
	wire_put_i64(&w, account->n_workers);
	wire_put_i64(&w, account->n_restarts);
	wire_put_i64(&w, account->n_left);
	wire_put_i64(&w, account->cpu_us);
	return w.len;
}

int wire_get_account(const uint8_t *packet, size_t len, struct wire_account *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_ACCOUNT);

	ret->n_workers = wire_get_i64(&r);
	ret->n_restarts = wire_get_i64(&r);
	ret->n_left = wire_get_i64(&r);
	ret->cpu_us = wire_get_i64(&r);
	if (ret->n_workers < 0 || ret->n_restarts < 0 || ret->n_left < 0 || ret->cpu_us < 0)
		return -EBADMSG;
	return wire_reader_end(&r);
}

size_t wire_put_monitor(uint8_t *packet, const struct wire_monitor *monitor)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_MONITOR);
	wire_put_u8(&w, monitor->policy);
	wire_put_i64(&w, monitor->asked_until_ms);
	return w.len;
}

int wire_get_monitor(const uint8_t *packet, size_t len, struct wire_monitor *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_MONITOR);
	unsigned policy = wire_get_u8(&r);

	ret->policy = (enum ufs_monitor)policy;
	ret->asked_until_ms = wire_get_i64(&r);
	if (policy >= N_UFS_MONITORS || ret->asked_until_ms < 0)
		return -EBADMSG;
	return wire_reader_end(&r);
}

size_t wire_put_monitored(uint8_t *packet, const struct wire_monitored *monitored)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_MONITORED);
	wire_put_i64(&w, monitored->n_hosts);
	wire_put_i64(&w, monitored->n_wanted);
	wire_put_i64(&w, monitored->n_on);
	wire_put_i64(&w, monitored->n_ours);
	wire_put_i64(&w, monitored->n_again);
	wire_put_u16(&w, (size_t)-monitored->error);
	return w.len;
}

int wire_get_monitored(const uint8_t *packet, size_t len, struct wire_monitored *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_MONITORED);

	ret->n_hosts = wire_get_i64(&r);
	ret->n_wanted = wire_get_i64(&r);
	ret->n_on = wire_get_i64(&r);
	ret->n_ours = wire_get_i64(&r);
	ret->n_again = wire_get_i64(&r);
	ret->error = -wire_get_error(&r);
	if (ret->n_hosts < 0 || ret->n_wanted < 0 || ret->n_on < 0 || ret->n_ours < 0 ||
	    ret->n_again < 0)
		return -EBADMSG;
	return wire_reader_end(&r);
}

static size_t put_bare(uint8_t *packet, enum wire_type type)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, (uint8_t)type);
	return w.len;
}

static size_t put_passed(uint8_t *packet, enum wire_type type, const struct wire_logged *passed)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, (uint8_t)type);
	wire_put_u16(&w, (size_t)-passed->error);
	return w.len;
}

static int get_passed(const uint8_t *packet, size_t len, enum wire_type type,
		      struct wire_logged *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, type);

	ret->error = -wire_get_error(&r);
	return wire_reader_end(&r);
}

size_t wire_put_log(uint8_t *packet)
{
	return put_bare(packet, WIRE_LOG);
}

size_t wire_put_logged(uint8_t *packet, const struct wire_logged *logged)
{
	return put_passed(packet, WIRE_LOGGED, logged);
}

int wire_get_logged(const uint8_t *packet, size_t len, struct wire_logged *ret)
{
	return get_passed(packet, len, WIRE_LOGGED, ret);
}

size_t wire_put_records(uint8_t *packet)
{
	return put_bare(packet, WIRE_RECORDS);
}

size_t wire_put_gathered(uint8_t *packet, const struct wire_logged *gathered)
{
	return put_passed(packet, WIRE_GATHERED, gathered);
}

int wire_get_gathered(const uint8_t *packet, size_t len, struct wire_logged *ret)
{
	return get_passed(packet, len, WIRE_GATHERED, ret);
}
