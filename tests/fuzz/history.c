// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs that go on with the cards of the one before. What ends such a run need not be its
 * own input, so those since the last reset are kept in a file, which outlives the process;
 * ./replay --history makes inputs of it.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nic_card.h"

#define RUNS		16	/* with cards that are reset once */
#define MOST		4096	/* bytes of an input that are kept */

/* As the file has it. */
struct history {
	uint32_t num;
	struct {
		uint32_t size;
		uint8_t data[MOST];
	} run[RUNS];
};

static struct history *history;

static void open_history(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, sizeof(*history))) {
		perror(path);
		exit(2);
	}
	history = mmap(NULL, sizeof(*history), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	close(fd);
	if (history == MAP_FAILED)
		abort();
	history->num = 0;
}

bool history_add(const uint8_t *data, size_t size)
{
	const char *path = getenv("FUZZ_HISTORY");
	bool goes_on;

	if (!path)
		return false;
	if (!history)
		open_history(path);
	goes_on = history->num % RUNS;
	if (!goes_on)
		history->num = 0;
	if (size > MOST)
		size = MOST;
	history->run[history->num].size = size;
	memcpy(history->run[history->num++].data, data, size);
	return goes_on;
}

bool history_is_full(void)
{
	return !history || history->num == RUNS;
}
