/* What the helper takes for a request: nothing but one of five messages, to the byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helper/request.h"

static const struct field fields[] = {{"a", UNIT_COUNT, KIND_GAUGE, ""}};
static const struct group groups[] = {
	{.name = "g0", .fields = fields, .n_fields = 1},
	{.name = "g1", .fields = fields, .n_fields = 1},
	{.name = "g2", .fields = fields, .n_fields = 1},
};
static const struct collector collector = {.name = "c", .groups = groups, .n_groups = 3};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

static uint8_t packet[WIRE_MESSAGE_MAX];

static int read_copy(const void *from, size_t len, struct request *ret)
{
	uint8_t *copy = malloc(len ? len : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, from, len);
	r = request_read(copy, len, &catalog, ret);
	free(copy);
	return r;
}

static void assert_refused(const void *from, size_t len)
{
	struct request request;

	assert_int_equal(read_copy(from, len, &request), -EBADMSG);
}

static void requests(void **state)
{
	struct wire_hello hello = {.version = "1", .digest = 7};
	struct wire_tick tick = {2, {{2, 5000}, {0, 0}}};
	struct request request;
	size_t len = wire_put_hello(packet, &hello);

	(void)state;
	assert_int_equal(read_copy(packet, len, &request), 0);
	assert_int_equal(request.type, WIRE_HELLO);
	assert_int_equal(request.hello.digest, 7);

	len = wire_put_tick(packet, &tick);
	assert_int_equal(read_copy(packet, len, &request), 0);
	assert_int_equal(request.type, WIRE_TICK);
	assert_int_equal(request.tick.n_groups, 2);
	assert_int_equal(request.tick.groups[0].group, 2);
	assert_int_equal(request.tick.groups[0].t_ms, 5000);
	for (size_t i = 0; i < len; i++)
		assert_refused(packet, i);
	packet[len] = 0;
	assert_refused(packet, len + 1);

	len = wire_put_rescan(packet);
	assert_int_equal(read_copy(packet, len, &request), 0);
	assert_int_equal(request.type, WIRE_RESCAN);
	assert_refused(packet, len + 1);

	len = wire_put_log(packet);
	assert_int_equal(read_copy(packet, len, &request), 0);
	assert_int_equal(request.type, WIRE_LOG);
	assert_refused(packet, len + 1);

	len = wire_put_records(packet);
	assert_int_equal(read_copy(packet, len, &request), 0);
	assert_int_equal(request.type, WIRE_RECORDS);
	assert_refused(packet, len + 1);
}

static void a_tick_out_of_range(void **state)
{
	static const struct wire_tick table[] = {
		{1, {{3, 0}}},                 /* no such group */
		{1, {{0xffff, 0}}},            /* nor this */
		{1, {{0, -1}}},                /* before the boot */
		{1, {{0, INT64_MIN}}},         /* long before */
		{2, {{1, 1}, {1, 1}}},         /* twice */
		{3, {{1, 1}, {0, 1}, {1, 2}}}, /* twice, for two times */
		{2, {{0, 1}, {1, -1}}},        /* the second one is wrong */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_refused(packet, wire_put_tick(packet, &table[i]));
}

/* More groups than there are, or than a request may have, as the sender counts them. */
static void a_tick_that_miscounts(void **state)
{
	struct wire_tick tick = {2, {{0, 1}, {1, 1}}};
	size_t len = wire_put_tick(packet, &tick);
	static const uint16_t counts[] = {0, 1, 3, WIRE_GROUPS_MAX, WIRE_GROUPS_MAX + 1, 0xffff};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		memcpy(packet + 1, &counts[i], sizeof(counts[i]));
		assert_refused(packet, len);
	}
	/* A full one whose groups repeat. */
	tick.n_groups = WIRE_GROUPS_MAX;
	memset(tick.groups, 0, sizeof(tick.groups));
	assert_refused(packet, wire_put_tick(packet, &tick));
}

static void a_policy(void **state)
{
	struct wire_monitor monitor = {UFS_MONITOR_ON, 4711};
	struct request request;
	size_t len = wire_put_monitor(packet, &monitor);

	(void)state;
	assert_int_equal(read_copy(packet, len, &request), 0);
	assert_int_equal(request.type, WIRE_MONITOR);
	assert_int_equal(request.monitor.policy, UFS_MONITOR_ON);
	assert_int_equal(request.monitor.asked_until_ms, 4711);
	for (size_t i = 0; i < len; i++)
		assert_refused(packet, i);
	packet[len] = 0;
	assert_refused(packet, len + 1);
	for (int policy = 0; policy < 256; policy++) {
		monitor.policy = (enum ufs_monitor)policy;
		len = wire_put_monitor(packet, &monitor);
		assert_int_equal(read_copy(packet, len, &request),
				 policy < N_UFS_MONITORS ? 0 : -EBADMSG);
	}
}

/* What only a helper or a lane says, and what nobody says. */
static void other_types(void **state)
{
	(void)state;
	assert_refused("", 0);
	for (int type = 0; type < 256; type++) {
		if (type == WIRE_RESCAN || type == WIRE_LOG || type == WIRE_RECORDS)
			continue;
		memset(packet, 0, 64);
		packet[0] = (uint8_t)type;
		for (size_t len = 1; len < 64; len++) {
			struct request request;

			/* Zeros may be a request for nothing, an empty version, a policy. */
			if (read_copy(packet, len, &request) == 0)
				assert_true(type == WIRE_TICK || type == WIRE_HELLO ||
					    type == WIRE_MONITOR);
		}
	}
	assert_refused(packet, wire_put_refused(packet, &(struct wire_refused){"no"}));
	assert_refused(packet, wire_put_node(packet, &(struct wire_node){.node = "n"}));
	assert_refused(packet, wire_put_account(packet, &(struct wire_account){0}));
	assert_refused(packet, wire_put_monitored(packet, &(struct wire_monitored){0}));
	assert_refused(packet, wire_put_logged(packet, &(struct wire_logged){0}));
	assert_refused(packet, wire_put_done(packet, &(struct wire_done){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(a_tick_out_of_range),
		cmocka_unit_test(a_tick_that_miscounts),
		cmocka_unit_test(a_policy),
		cmocka_unit_test(other_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
