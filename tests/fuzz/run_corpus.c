/* Runs a fuzz target as a plain test: on every file of its corpus, and on mutations of them made
 * from a fixed seed, so that a failure can be repeated. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define INPUT_MAX_BYTES (64 * 1024)
#ifndef N_MUTATIONS
#define N_MUTATIONS 2000
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t seed = 88172645463325252ULL;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static size_t mutate(uint8_t *data, size_t size)
{
	for (uint64_t n = 1 + next_random() % 8; n > 0 && size > 0; n--) {
		size_t at = next_random() % size;

		switch (next_random() % 4) {
		case 0:
			data[at] = (uint8_t)next_random();
			break;
		case 1:
			data[at] ^= (uint8_t)(1U << next_random() % 8);
			break;
		case 2:
			size = at;
			break;
		default:
			if (size < INPUT_MAX_BYTES) {
				memmove(data + at + 1, data + at, size - at);
				size++;
			}
		}
	}
	return size;
}

static void run_file(const char *path)
{
	static uint8_t original[INPUT_MAX_BYTES], data[INPUT_MAX_BYTES + 1];
	CLEANUP(fclosep) FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(1);
	}

	size_t size = fread(original, 1, sizeof(original), file);

	LLVMFuzzerTestOneInput(original, size);
	for (int i = 0; i < N_MUTATIONS; i++) {
		memcpy(data, original, size);

		size_t mutated = mutate(data, size);
		/* A heap copy of the exact size, so that the sanitizer sees reads past the end. */
		CLEANUP(freep) uint8_t *exact = malloc(mutated ? mutated : 1);

		if (!exact)
			exit(1);
		memcpy(exact, data, mutated);
		LLVMFuzzerTestOneInput(exact, mutated);
	}
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	int n_files = 0;

	if (argc != 2)
		return 2;

	CLEANUP(closedirp) DIR *dir = opendir(argv[1]);

	if (!dir) {
		perror(argv[1]);
		return 1;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
		run_file(path);
		n_files++;
	}
	printf("%d files and %d mutations of each\n", n_files, N_MUTATIONS);
	return n_files ? 0 : 1;
}
