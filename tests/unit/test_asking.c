/* Whom to ask again, and when; and for how long that is remembered. */
#include "model/asking.h"

#include "base/macros.h"
#include "tests/unit/collector_fixture.h"

static const struct asking asking = {
	.key = "test", .n_devices = 3, .n_questions = 2, .known_bytes = 5};

/* Fails as often as asked_turn() lets it, and returns how many samples were left out before each
 * time: "0 1 3 7". */
static void play(struct asked *asked, int error, size_t n_samples, char *buf, size_t size)
{
	struct text text = text_in(buf, size);
	int n_left_out = 0;

	for (size_t i = 0; i < n_samples; i++) {
		int r = asked_turn(asked);

		if (r == 0) {
			text_printf(&text, "%s%d", text.len ? " " : "", n_left_out);
			asked_note(asked, error, 0);
			n_left_out = 0;
			continue;
		}
		assert_int_equal(r, asked->is_never ? -EOPNOTSUPP : error);
		n_left_out++;
	}
}

static void left_out(void **unused)
{
	static const struct {
		int error;
		const char *asked; /* after how many samples it is asked again */
		bool is_never;
	} cases[] = {
		{0, "0 0 0 0", false},
		{-EOPNOTSUPP, "0", true},
		{-EINVAL, "0 1 3 7 15", true},
		{-ETIMEDOUT, "0 1 3 7 15", true},
		{-EINTR, "0 1 3 7 15", true},
		{-EIO, "0 1 3 7 15 31 63 63", false},
		{-ENODATA, "0 1 3 7 15 31 63 63", false},
		{-EACCES, "0 0 0 0", false},
		{-EPERM, "0 0 0 0", false},
		{-ENODEV, "0 0 0 0", false},
		{-ENOENT, "0 0 0 0", false},
		{-ENXIO, "0 0 0 0", false},
		{-EAGAIN, "0 0 0 0", false},
		{-EBUSY, "0 0 0 0", false},
		{-EMFILE, "0 0 0 0", false},
		{-ENFILE, "0 0 0 0", false},
		{-ENOMEM, "0 0 0 0", false},
		{-ETIME, "0 0 0 0", false},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct asked asked = {0};
		char buf[64];

		play(&asked, cases[i].error,
		     strlen(cases[i].asked) > 7 || cases[i].is_never ? 200 : 4, buf, sizeof(buf));
		if (strcmp(buf, cases[i].asked) != 0)
			fail_msg("%s: '%s'", strerror(-cases[i].error), buf);
		assert_int_equal(asked.is_never, cases[i].is_never);
	}
}

/* One answer, and all is forgotten; what stood in the way changes nothing. */
static void answered(void **unused)
{
	struct asked asked = {0};
	char buf[64];

	(void)unused;
	play(&asked, -EINVAL, 12, buf, sizeof(buf));
	assert_string_equal(buf, "0 1 3");
	while (asked_turn(&asked) < 0)
		;
	asked_note(&asked, -EACCES, 0);
	assert_int_equal(asked.failures, 3);
	assert_int_equal(asked_turn(&asked), 0);
	asked_note(&asked, 0, 0);
	play(&asked, -EINVAL, 100, buf, sizeof(buf));
	assert_string_equal(buf, "0 1 3 7 15");
	assert_true(asked.is_never);
}

/* A process that hangs or dies in the question notes nothing: the next one finds it failed. */
static void no_answer_at_all(void **unused)
{
	struct asked asked = {0};
	char left_out[32];
	struct text text = TEXT_IN(left_out);
	int n_left_out = 0;

	(void)unused;
	for (int i = 0; i < 200; i++) {
		int r = asked_turn(&asked);

		n_left_out++;
		if (r == 0) {
			text_printf(&text, "%d ", n_left_out - 1);
			n_left_out = 0;
		} else if (!asked.is_never) {
			assert_int_equal(r, -ETIMEDOUT);
		}
	}
	assert_string_equal(left_out, "0 1 3 7 15 ");
	assert_true(asked.is_never);
	assert_int_equal(asked_turn(&asked), -EOPNOTSUPP);
}

/* An answer, or what stood in the way, leaves nothing of what was feared. */
static void feared_for_nothing(void **unused)
{
	struct asked asked = {0};

	(void)unused;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(asked_turn(&asked), 0);
		if (i % 3 == 0)
			asked_note(&asked, 0, 0);
		else if (i % 3 == 1)
			asked_note(&asked, -EBUSY, 7);
		else
			asked_spare(&asked);
		assert_int_equal(asked.error, i % 3 == 0 ? 0 : -EBUSY);
		assert_int_equal(asked.status, i % 3 == 0 ? 0 : 7);
		assert_int_equal(asked.failures, 0);
	}
	assert_int_equal(asked_turn(&asked), 0);
	asked_note(&asked, -EIO, 0);
	assert_int_equal(asked.failures, 1);
	assert_int_equal(asked_turn(&asked), -EIO);
}

/* One of another kind in between shows that it is no matter of not knowing. */
static void never_is_of_one_kind(void **unused)
{
	static const int errors[] = {-EIO,    -EIO, -EIO,    -EIO,   -EINTR,     -EINVAL,
				     -EINVAL, -EIO, -EINVAL, -EINTR, -ETIMEDOUT, -EINVAL};
	struct asked asked = {0};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		while (asked_turn(&asked) < 0)
			;
		asked_note(&asked, errors[i], 0);
		assert_false(asked.is_never);
	}
	while (asked_turn(&asked) < 0)
		;
	asked_note(&asked, -EINTR, 0);
	assert_true(asked.is_never);
}

static void texts(void **unused)
{
	struct asked asked = {.error = -EIO};
	char buf[64];
	struct text text = TEXT_IN(buf);

	(void)unused;
	asked_text(&asked, NULL, &text);
	assert_string_equal(buf, "Input/output error");
	text_reset(&text);
	asked.is_never = true;
	asked_text(&asked, "it says no", &text);
	assert_string_equal(buf, "it says no; not asked again");
	text_reset(&text);
	asked = (struct asked){.error = -ETIME};
	asked_text(&asked, NULL, &text);
	assert_string_equal(buf, "it has not answered, and is left alone");
}

static void remembered(void **unused)
{
	struct asked_device *devices, *a, *b, *c;
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	devices = asking_begin(f.hw, &asking);
	a = asking_find(devices, &asking, "a", "1");
	b = asking_find(devices, &asking, "b", "");
	c = asking_find(devices, &asking, "c", "3");
	assert_true(a && b && c && a != b && b != c && a != c);
	assert_null(asking_find(devices, &asking, "d", "4"));
	for (size_t i = 0; i < 3; i++) {
		asked_note(&devices[i].asked[0], -EOPNOTSUPP, 0);
		asked_note(&devices[i].asked[1], -EIO, 0);
		memset(devices[i].known, 'x', asking.known_bytes);
	}
	/* The second probe: in another order, with another c, and b is not known to be the same. */
	devices = asking_begin(f.hw, &asking);
	c = asking_find(devices, &asking, "c", "4");
	b = asking_find(devices, &asking, "b", "");
	a = asking_find(devices, &asking, "a", "1");
	assert_true(a && b && c);
	assert_true(a->asked[0].is_never && a->asked[1].error == -EIO);
	assert_memory_equal(a->known, "xxxxx", 5);
	assert_false(b->asked[0].is_never || c->asked[0].is_never || c->asked[1].error);
	assert_memory_equal(b->known, "\0\0\0\0\0", 5);
	assert_memory_equal(c->known, "\0\0\0\0\0", 5);
	/* What is not found any more gives way. */
	devices = asking_begin(f.hw, &asking);
	assert_ptr_equal(asking_find(devices, &asking, "a", "1"), a);
	assert_non_null(asking_find(devices, &asking, "d", "4"));
	assert_non_null(asking_find(devices, &asking, "e", "5"));
	assert_true(a->asked[0].is_never);
	fixture_end(&f);
}

/* As a process that is out of its mind may leave it: asked anew. */
static void nonsense(void **unused)
{
	static const struct asked mad[] = {
		{.error = 1}, {.error = -4096}, {.skip = 64, .error = -EIO}, {.before = {1, 0}}};
	struct asked_device *devices, *a;
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	for (size_t i = 0; i <= ARRAY_SIZE(mad); i++) {
		devices = asking_begin(f.hw, &asking);
		a = asking_find(devices, &asking, "a", "1");
		if (i < ARRAY_SIZE(mad))
			a->asked[1] = mad[i];
		else
			memset(&a->asked[1].is_never, 2, sizeof(bool));
		devices = asking_begin(f.hw, &asking);
		a = asking_find(devices, &asking, "a", "1");
		assert_int_equal(a->asked[1].error, 0);
		assert_int_equal(asked_turn(&a->asked[1]), 0);
	}
	/* Names without an end. */
	memset(devices, 'x', sizeof(*devices));
	devices = asking_begin(f.hw, &asking);
	assert_non_null(asking_find(devices, &asking, "a", "1"));
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left_out),
		cmocka_unit_test(answered),
		cmocka_unit_test(texts),
		cmocka_unit_test(no_answer_at_all),
		cmocka_unit_test(feared_for_nothing),
		cmocka_unit_test(never_is_of_one_kind),
		cmocka_unit_test(remembered),
		cmocka_unit_test(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
