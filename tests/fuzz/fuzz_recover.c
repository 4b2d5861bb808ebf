/* A file whose pages were changed at the places that the input names: ends, in a file that opens or
 * in an error, and is read within its bounds. Eight bytes of the input are one change: page and
 * place in it (16 bits each), then four bytes that are written there. */
/* mutations: 60 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "store/recover.h"
#include "tests/support/store_world.h"

#define PAGE 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *sound;
static size_t sound_bytes;

static void make_sound(void)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct sink sink;
	struct stat st;

	world_start(NULL);
	if (store_open(&options, &world_catalog, &store) < 0 || sink_init(&sink) < 0)
		abort();
	for (int64_t t = 1000; t <= 3 * 3600000; t += 1000) {
		world_tick(store, &sink, t, 2);
		if (t % 600000 == 0 && store_commit(store, t, false) < 0)
			abort();
	}
	if (store_commit(store, 3 * 3600000, true) < 0)
		abort();
	sink_done(&sink);
	store_close(store);

	int fd = open(world_path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		abort();
	sound_bytes = (size_t)st.st_size;
	sound = malloc(sound_bytes);
	if (!sound || read(fd, sound, sound_bytes) != st.st_size)
		abort();
	close(fd);
	world_stop(NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct recover_report report;
	char path[64];
	uint8_t *bad;
	int fd = memfd_create("bad", MFD_CLOEXEC);

	if (!sound)
		make_sound();
	bad = malloc(sound_bytes);
	if (!bad || fd < 0)
		abort();
	memcpy(bad, sound, sound_bytes);
	for (; size >= 8; data += 8, size -= 8) {
		size_t page = ((size_t)data[0] << 8 | data[1]) % (sound_bytes / PAGE);
		size_t at = ((size_t)data[2] << 8 | data[3]) % (PAGE - 3);

		memcpy(bad + page * PAGE + at, data + 4, 4);
	}
	/* What is left over cuts the file. */
	size_t len = size ? sound_bytes / 256 * data[0] : sound_bytes;

	if (write(fd, bad, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	(void)!recover(path, ":memory:", &world_catalog, &report);
	free(bad);
	close(fd);
	return 0;
}
