/* The worker: order, who is held up by a job that hangs, and what happens at the end. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/exchange.h"
#include "daemon/worker.h"

struct note {
	struct job job;
	char letter;
};

static char notes[64];
static size_t n_notes;
static sem_t hang;
static atomic_int n_rests;

static bool rest(void *arg)
{
	assert_ptr_equal(arg, notes);
	atomic_fetch_add(&n_rests, 1);
	return true;
}

static void write_note(struct job *job)
{
	struct note *note = (struct note *)job;

	notes[n_notes++] = note->letter;
	free(note);
}

static void wait_for_disk(struct job *job)
{
	(void)job;
	sem_wait(&hang);
}

static void give_note(struct worker *worker, char letter)
{
	struct note *note = malloc(sizeof(*note));

	assert_non_null(note);
	*note = (struct note){{NULL, write_note}, letter};
	worker_give(worker, &note->job);
}

static int setup(void **state)
{
	struct worker *worker = NULL;

	memset(notes, 0, sizeof(notes));
	n_notes = 0;
	assert_int_equal(sem_init(&hang, 0, 0), 0);
	assert_int_equal(worker_start(rest, notes, &worker), 0);
	*state = worker;
	return 0;
}

static void runs_in_order(void **state)
{
	struct worker *worker = *state;

	for (char c = 'a'; c <= 'z'; c++)
		give_note(worker, c);
	worker_drain(worker, NULL, NULL);
	assert_string_equal(notes, "abcdefghijklmnopqrstuvwxyz");
	assert_int_equal(worker_busy_ms(worker), 0);
	worker_stop(worker);
}

static void the_end_runs_what_was_given(void **state)
{
	struct worker *worker = *state;

	for (char c = '0'; c <= '9'; c++)
		give_note(worker, c);
	worker_stop(worker);
	assert_string_equal(notes, "0123456789");
}

/* Others may give and ask all the time; the age of the job grows. */
static void a_job_that_hangs(void **state)
{
	struct worker *worker = *state;
	struct job job = {NULL, wait_for_disk};
	int64_t busy_ms = 0;

	worker_give(worker, &job);
	give_note(worker, 'x');
	while (busy_ms < 20) {
		usleep(1000);
		busy_ms = worker_busy_ms(worker);
	}
	assert_int_equal(n_notes, 0);
	sem_post(&hang);
	worker_drain(worker, NULL, NULL);
	assert_string_equal(notes, "x");
	worker_stop(worker);
}

static void let_go(void *arg)
{
	(*(int *)arg)++;
	sem_post(&hang);
}

/* Whoever stops can tell that it is not dead. */
static void a_job_that_holds_up_the_end(void **state)
{
	struct worker *worker = *state;
	struct job job = {NULL, wait_for_disk};
	int n_waits = 0;

	worker_give(worker, &job);
	give_note(worker, 'x');
	worker_drain(worker, let_go, &n_waits);
	assert_true(n_waits >= 1);
	assert_string_equal(notes, "x");
	worker_stop(worker);
}

static atomic_int n_done;

static void on_done(struct exchange *exchange)
{
	(void)exchange;
	atomic_fetch_add(&n_done, 1);
}

/* What comes from memory is answered at once, also while the worker hangs; what comes from the file
 * is given to it. */
static void an_exchange_of_memory_waits_for_nobody(void **state)
{
	struct worker *worker = *state;
	struct job job = {NULL, wait_for_disk};
	struct api api = {0};
	struct exchange *exchange = calloc(1, sizeof(*exchange));

	assert_non_null(exchange);
	exchange->api = &api;
	exchange->worker = worker;
	exchange->done = on_done;
	exchange->request = (struct request){
		.method = "GET", .path = "/healthz", .host = "", .local = true, .body = ""};
	worker_give(worker, &job);
	assert_false(exchange_wants_worker(exchange));
	assert_int_equal(exchange->answer.status, 200);
	assert_int_equal(exchange->answer.len, 3);
	answer_done(&exchange->answer);

	exchange->request.path = "/api/v1/events";
	assert_true(exchange_wants_worker(exchange));
	/* An unknown parameter needs no file, but it is the worker that says so. */
	exchange->request.params[0] = (struct request_param){"colour", "red"};
	exchange->request.n_params = 1;
	exchange_make(exchange);
	assert_int_equal(atomic_load(&n_done), 0);
	sem_post(&hang);
	worker_drain(worker, NULL, NULL);
	assert_int_equal(atomic_load(&n_done), 1);
	assert_true(exchange->answered);
	assert_int_equal(exchange->answer.status, 400);
	exchange_free(exchange);
	worker_stop(worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(runs_in_order, setup),
		cmocka_unit_test_setup(a_job_that_holds_up_the_end, setup),
		cmocka_unit_test_setup(the_end_runs_what_was_given, setup),
		cmocka_unit_test_setup(a_job_that_hangs, setup),
		cmocka_unit_test_setup(an_exchange_of_memory_waits_for_nobody, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
