// SPDX-License-Identifier: MIT
/*
 * Synapse's calls on cards: processes that share a machine with two of them, and what
 * depends on the driver, which is what memory it takes and when work ended.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "habanalabs/synapse_api.h"

#define SAYS(want, call) do {						\
	synStatus status_ = (call);					\
									\
	if (status_ != (want))						\
		fail_msg("%s: %d, not %d: %s", #call, (int)status_,	\
			 (int)(want), gaudi_last_error(NULL));		\
} while (0)
#define DOES(call)	SAYS(synSuccess, call)

/* A process that acquires a card when it is told to, and releases it when it is told. */
struct user {
	pid_t pid;
	int to, from;
};

struct answer {
	synStatus status;
	uint8_t card;
	bool right;			/* data went there and came back */
};

/* 64 KiB, from the heap to the card and back. */
static bool use_card(void)
{
	uint8_t *in = malloc(65536), *out = malloc(65536);
	synStreamHandle stream;
	uint64_t a;
	bool right;

	pattern(in, 65536, (uint64_t)getpid());
	right = !synStreamCreateGeneric(&stream, 0, 0) &&
		!synDeviceMalloc(0, 65536, 0, 0, &a) &&
		!synHostMap(0, 65536, in) && !synHostMap(0, 65536, out) &&
		!synMemCopyAsync(stream, (uintptr_t)in, 65536, a,
				 HOST_TO_DRAM) &&
		!synMemCopyAsync(stream, a, 65536, (uintptr_t)out,
				 DRAM_TO_HOST) &&
		!synStreamSynchronize(stream) && !memcmp(in, out, 65536);
	synHostUnmap(0, in);
	synHostUnmap(0, out);
	free(in);
	free(out);

	return right;
}

/* As programs do: the module that the rank has, or else any card. */
static void user_main(unsigned int rank, int in, int out)
{
	synDeviceInfoV2 info = {};
	struct answer answer = {};
	synDeviceId id = 0;
	char go;

	if (read(in, &go, 1) != 1 || synInitialize())
		_exit(1);
	answer.status = synDeviceAcquireByModuleId(&id, 100 + rank);
	if (answer.status == synNoDeviceFound)
		answer.status = synDeviceAcquire(&id, NULL);
	if (!answer.status && !synDeviceGetInfoV2(id, &info)) {
		answer.card = info.deviceIndex;
		answer.right = use_card();
	}
	if (write(out, &answer, sizeof(answer)) != sizeof(answer))
		_exit(1);
	if (read(in, &go, 1) != 1)
		_exit(1);
	_exit(synDestroy());
}

static struct user new_user(unsigned int rank)
{
	struct user user;
	int to[2], from[2];

	WORKS(pipe(to) || pipe(from));
	user = (struct user) { fork(), to[1], from[0] };
	if (!user.pid) {
		close(to[1]);
		user_main(rank, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	assert_true(user.pid > 0);

	return user;
}

static void tell(struct user *user)
{
	assert_int_equal(write(user->to, "", 1), 1);
}

static struct answer hear(struct user *user)
{
	struct answer answer;

	assert_int_equal(read(user->from, &answer, sizeof(answer)),
			 sizeof(answer));

	return answer;
}

static void end_of(struct user *user, int want)
{
	int status;

	if (!want)
		tell(user);
	close(user->to);
	close(user->from);
	assert_int_equal(waitpid(user->pid, &status, 0), user->pid);
	assert_int_equal(status, want);
}

/* All at once get one each, and one too many none, until another lets go. */
TEST(processes_have_a_card_each)
{
	struct user users[4] = {
		new_user(0), new_user(1), new_user(2), new_user(3),
	};
	struct answer a, b;

	tell(&users[0]);
	tell(&users[1]);
	a = hear(&users[0]);
	b = hear(&users[1]);
	assert_int_equal(a.status, synSuccess);
	assert_int_equal(b.status, synSuccess);
	assert_true(a.right && b.right);
	assert_int_not_equal(a.card, b.card);
	tell(&users[2]);
	assert_int_equal(hear(&users[2]).status, synBusy);
	end_of(&users[2], 0);
	/* One that ends without a word, which may take the driver a while. */
	kill(users[1].pid, SIGKILL);
	end_of(&users[1], SIGKILL);
	tell(&users[3]);
	a = hear(&users[3]);
	assert_int_equal(a.status, synSuccess);
	assert_int_equal(a.card, b.card);
	assert_true(a.right);
	end_of(&users[3], 0);
	end_of(&users[0], 0);
}

static int begin(void **state)
{
	synDeviceId id;

	(void)state;
	return synInitialize() || synDeviceAcquire(&id, NULL);
}

static int end(void **state)
{
	(void)state;
	return synDestroy();
}

static synStreamHandle new_stream(void)
{
	synStreamHandle stream;

	DOES(synStreamCreateGeneric(&stream, 0, 0));
	return stream;
}

/* Pieces of the heap that share a page, of a few bytes, at odd addresses. */
TEST_WITH(any_memory_is_mapped, begin, end)
{
	enum { PIECES = 20 };
	synStreamHandle stream = new_stream();
	uint8_t *heap = malloc(PIECES * 20), *back = malloc(PIECES * 20);
	uint64_t a;

	pattern(heap, PIECES * 20, 3);
	DOES(synDeviceMalloc(0, PIECES * 20, 0, 0, &a));
	DOES(synHostMap(0, PIECES * 20, back));
	for (unsigned int i = 0; i < PIECES; i++) {
		uint8_t *piece = heap + 20 * i;

		DOES(synHostMap(0, 20, piece));
		DOES(synHostMap(0, 20, piece));
		DOES(synMemCopyAsync(stream, (uintptr_t)piece, 20,
				     a + 20 * i, HOST_TO_DRAM));
		DOES(synHostUnmap(0, piece));
	}
	DOES(synMemCopyAsync(stream, a, PIECES * 20, (uintptr_t)back,
			     DRAM_TO_HOST));
	DOES(synStreamSynchronize(stream));
	assert_memory_equal(heap, back, PIECES * 20);
	for (unsigned int i = 0; i < PIECES; i++) {
		DOES(synHostUnmap(0, heap + 20 * i));
		SAYS(synMappingNotFound, synHostUnmap(0, heap + 20 * i));
	}
	DOES(synHostUnmap(0, back));
	free(heap);
	free(back);
}

TEST_WITH(other_memory_is_not, begin, end)
{
	void *sealed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	SAYS(synInvalidArgument, synHostMap(0, 4096, sealed));
	munmap(sealed, 4096);
	SAYS(synInvalidArgument, synHostMap(0, 4096, sealed));
	SAYS(synInvalidArgument, synHostMap(0, 4096, (void *)4096));
}

/* Gigabytes in one piece, of which both ends hold data. */
TEST_WITH(large_memory, begin, end)
{
	const uint64_t size = 3 * 1024 * MIB + 4;
	synStreamHandle stream = new_stream();
	uint64_t a, before, after, total;
	uint32_t *ends;

	DOES(synDeviceGetMemoryInfo(0, &before, &total));
	assert_in_range(before, size, total);
	DOES(synDeviceMalloc(0, size, 0, 0, &a));
	DOES(synDeviceGetMemoryInfo(0, &after, &total));
	assert_true(before - after >= size);
	DOES(synHostMalloc(0, 8, 0, (void **)&ends));
	DOES(synMemsetD32Async(a, 0x11111111, 1, stream));
	DOES(synMemsetD32Async(a + size - 4, 0x22222222, 1, stream));
	DOES(synMemCopyAsync(stream, a, 4, (uintptr_t)ends, DRAM_TO_HOST));
	DOES(synMemCopyAsync(stream, a + size - 4, 4, (uintptr_t)(ends + 1),
			     DRAM_TO_HOST));
	DOES(synStreamSynchronize(stream));
	assert_int_equal(ends[0], 0x11111111);
	assert_int_equal(ends[1], 0x22222222);
	DOES(synHostFree(0, ends, 0));
	DOES(synDeviceFree(0, a, 0));
	DOES(synDeviceGetMemoryInfo(0, &after, &total));
	assert_int_equal(after, before);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * The card's times lie within the host's, and add up. Work that one interrupt tells of has one
 * time on habanalabs.ko, which may be all of it.
 */
TEST_WITH(times_are_those_of_the_work, begin, end)
{
	enum { EVENTS = 5 };
	synStreamHandle streams[] = { new_stream(), new_stream() };
	uint64_t a, ns, sum = 0, all, begin_ns = now_ns();
	synEventHandle events[EVENTS];

	DOES(synDeviceMalloc(0, 2 * MIB, 0, 0, &a));
	for (unsigned int i = 0; i < EVENTS; i++) {
		DOES(synEventCreate(&events[i], 0, EVENT_COLLECT_TIME));
		if (i)
			DOES(synStreamWaitEvent(streams[i % 2],
						events[i - 1], 0));
		DOES(synMemCopyAsync(streams[i % 2], a, MIB, a + MIB,
				     DRAM_TO_DRAM));
		DOES(synEventRecord(events[i], streams[i % 2]));
	}
	DOES(synDeviceSynchronize(0));
	for (unsigned int i = 1; i < EVENTS; i++) {
		DOES(synEventElapsedTime(&ns, events[i - 1], events[i]));
		sum += ns;
	}
	DOES(synEventElapsedTime(&all, events[0], events[EVENTS - 1]));
	assert_int_equal(sum, all);
	assert_in_range(all, 0, now_ns() - begin_ns);
	for (unsigned int i = 0; i < EVENTS; i++)
		DOES(synEventDestroy(events[i]));
	DOES(synStreamDestroy(streams[0]));
	DOES(synStreamDestroy(streams[1]));
	DOES(synDeviceFree(0, a, 0));
}
