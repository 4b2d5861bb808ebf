/* Packets between daemon and helper: what goes in comes out, and nothing else is taken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sampling/wire_helper.h"

static const struct field fields[] = {
	{"a", UNIT_COUNT, KIND_COUNTER, ""},
	{"b", UNIT_COUNT, KIND_GAUGE, ""},
};

static const struct group groups[] = {
	{.name = "one", .fields = fields, .n_fields = 2},
	{.name = "two", .fields = fields, .n_fields = 1},
};

static const struct group others[] = {{.name = "other", .fields = fields, .n_fields = 1}};

static const struct collector first = {.name = "first", .groups = groups, .n_groups = 2};
static const struct collector second = {.name = "second", .groups = others, .n_groups = 1};
static const struct collector *const collectors[] = {&first, &second};
static const struct catalog catalog = {collectors, 2};

static uint8_t packet[WIRE_MESSAGE_MAX];

/* Whether a packet of this length is taken as one of that type. */
static bool is_taken(enum wire_type type, size_t len)
{
	struct wire_hello hello;
	struct wire_refused refused;
	struct wire_node node;
	struct wire_account account;
	/* From the heap, so that a sanitizer sees the first byte too many. */
	uint8_t *copy = malloc(len ? len : 1);
	int r = 0;

	assert_non_null(copy);
	memcpy(copy, packet, len);
	switch ((int)type) {
	case WIRE_HELLO:
		r = wire_get_hello(copy, len, &hello);
		break;
	case WIRE_REFUSED:
		r = wire_get_refused(copy, len, &refused);
		break;
	case WIRE_NODE:
		r = wire_get_node(copy, len, &catalog, &node);
		break;
	default:
		r = wire_get_account(copy, len, &account);
		break;
	}
	free(copy);
	assert_true(r == 0 || r == -EBADMSG);
	return r == 0;
}

/* A packet that is too short, too long, or of another type is none. */
static void assert_exact(enum wire_type type, size_t len)
{
	assert_int_equal(wire_type(packet, len), type);
	assert_true(is_taken(type, len));
	for (size_t i = 0; i < len; i++)
		assert_false(is_taken(type, i));
	packet[len] = 0;
	assert_false(is_taken(type, len + 1));
	for (int other = WIRE_HELLO; other <= WIRE_ACCOUNT; other++)
		if (other != (int)type)
			assert_false(is_taken((enum wire_type)other, len));
}

static void hello(void **state)
{
	struct wire_hello in = {.version = "1.2.3", .digest = INT64_MAX}, out;
	size_t len = wire_put_hello(packet, &in);

	(void)state;
	assert_exact(WIRE_HELLO, len);
	assert_int_equal(wire_get_hello(packet, len, &out), 0);
	assert_string_equal(out.version, "1.2.3");
	assert_int_equal(out.digest, INT64_MAX);
}

/* A text that is longer than its place, or has a NUL within. */
static void hello_with_a_bad_version(void **state)
{
	struct wire_refused refused;
	struct wire_hello in = {.version = "1.2"}, out;
	size_t len;

	(void)state;
	memset(refused.reason, 'x', sizeof(refused.reason) - 1);
	refused.reason[sizeof(refused.reason) - 1] = '\0';
	len = wire_put_refused(packet, &refused);
	packet[0] = WIRE_HELLO;
	memset(packet + len, 0, 8);
	assert_int_equal(wire_get_hello(packet, len + 8, &out), -EBADMSG);

	len = wire_put_hello(packet, &in);
	*(char *)memchr(packet, '.', len) = '\0';
	assert_int_equal(wire_get_hello(packet, len, &out), -EBADMSG);
}

static void refused(void **state)
{
	struct wire_refused in, out;
	size_t len;

	(void)state;
	memset(in.reason, 'r', sizeof(in.reason) - 1);
	in.reason[sizeof(in.reason) - 1] = '\0';
	len = wire_put_refused(packet, &in);
	assert_exact(WIRE_REFUSED, len);
	assert_int_equal(wire_get_refused(packet, len, &out), 0);
	assert_string_equal(in.reason, out.reason);
}

static void node(void **state)
{
	static const struct wire_node table[] = {
		{true, false, 0, 0, 12345, "nvme0"}, {true, false, 0, 1, 0, "nvme0"},
		{false, false, 1, 2, 0, "sda"},      {true, false, 1, -1, INT64_MAX, ""},
		{false, true, 0, 1, 0, "nvme0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		size_t len = wire_put_node(packet, &table[i]);
		struct wire_node out;

		assert_exact(WIRE_NODE, len);
		assert_int_equal(wire_get_node(packet, len, &catalog, &out), 0);
		assert_int_equal(out.hung, table[i].hung);
		assert_int_equal(out.gone, table[i].gone);
		assert_int_equal(out.collector, table[i].collector);
		assert_int_equal(out.group, table[i].group);
		assert_int_equal(out.since_ms, table[i].since_ms);
		assert_string_equal(out.node, table[i].node);
	}
}

static void node_out_of_range(void **state)
{
	static const struct wire_node table[] = {
		{true, false, 2, -1, 0, "n"},
		{true, false, 0xfffe, -1, 0, "n"},
		{true, false, 0, 3, 0, "n"},
		{true, false, 0, 0xfffe, 0, "n"},
		{true, false, 0, 0, -1, "n"},
		{true, false, 0, 0, INT64_MIN, "n"},
		{true, false, 0, 2, 0, "n"}, /* a group of the other collector */
		{true, false, 1, 0, 0, "n"},
		{true, true, 0, 0, 0, "n"}, /* what went does not hang */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_false(is_taken(WIRE_NODE, wire_put_node(packet, &table[i])));
	/* A truth value is 0 or 1. */
	size_t len = wire_put_node(packet, &(struct wire_node){true, false, 0, 0, 0, "n"});

	packet[1] = 2;
	assert_false(is_taken(WIRE_NODE, len));
}

static void account(void **state)
{
	struct wire_account in = {3, 4, 5, 6}, out;
	size_t len = wire_put_account(packet, &in);

	(void)state;
	assert_exact(WIRE_ACCOUNT, len);
	assert_int_equal(wire_get_account(packet, len, &out), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	for (size_t i = 0; i < 4; i++) {
		int64_t numbers[4] = {3, 4, 5, 6};

		numbers[i] = -1;
		memcpy(&in, numbers, sizeof(in));
		assert_false(is_taken(WIRE_ACCOUNT, wire_put_account(packet, &in)));
	}
}

/* The digest tells any change of names apart, whatever is joined with what. */
static void digest(void **state)
{
	static const struct field ab[] = {{.name = "ab"}, {.name = "c"}},
				  bc[] = {{.name = "a"}, {.name = "bc"}};
	static const struct group one = {.name = "g", .fields = ab, .n_fields = 2};
	static const struct group two = {.name = "g", .fields = bc, .n_fields = 2};
	static const struct group less = {.name = "g", .fields = ab, .n_fields = 1};
	static const struct group named = {.name = "h", .fields = ab, .n_fields = 2};
	const struct group *const each[] = {&one, &two, &less, &named};
	int64_t digests[ARRAY_SIZE(each)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(each); i++) {
		struct collector c = {.name = "c", .groups = each[i], .n_groups = 1};
		const struct collector *const list[] = {&c};
		struct catalog of = {list, 1};

		digests[i] = wire_digest(&of);
		assert_true(digests[i] >= 0);
		assert_int_equal(digests[i], wire_digest(&of));
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(digests[i], digests[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello),   cmocka_unit_test(hello_with_a_bad_version),
		cmocka_unit_test(refused), cmocka_unit_test(node),
		cmocka_unit_test(digest),  cmocka_unit_test(node_out_of_range),
		cmocka_unit_test(account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
