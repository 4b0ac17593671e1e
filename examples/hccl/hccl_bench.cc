// SPDX-License-Identifier: MIT
/*
 * Collectives of HCCL's on a card for each process: each one's result is checked, and its
 * bandwidth printed, by the time that the cards took for it.
 *
 *	mpirun -n 8 ./hccl_bench --size 32M
 *	for i in 0 1; do ID=$i RANKS=2 ./hccl_bench & done; wait
 *
 * It needs no MPI library: who it is it reads from the launcher's variables, and the
 * processes meet at HCCL_COMM_ID (127.0.0.1:5555 if it is not set).
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include <hccl.h>
#include <synapse_api.h>

static void check(synStatus status, const char *call)
{
	if (status != synSuccess)
		throw std::runtime_error(std::string(call) + ": synStatus " +
					 std::to_string(status));
}

static void check(hcclResult_t result, const char *call)
{
	if (result != hcclSuccess)
		throw std::runtime_error(std::string(call) + ": " +
					 hcclGetErrorString(result));
}

#define CHECK(call)	check(call, #call)

/* The first of these variables that is set. */
static int number_of(std::initializer_list<const char *> names, int otherwise)
{
	for (const char *name : names)
		if (const char *text = std::getenv(name))
			return std::atoi(text);

	return otherwise;
}

static uint64_t bytes_of(const std::string &text)
{
	size_t used = 0;
	uint64_t bytes = std::stoull(text, &used);

	switch (used < text.size() ? text[used] : ' ') {
	case 'G': bytes *= 1024;	/* fall through */
	case 'M': bytes *= 1024;	/* fall through */
	case 'K': bytes *= 1024;
	}

	return bytes;
}

struct Options {
	std::string test = "all";
	uint64_t size = 1 << 20;
	int loops = 10;
	bool bf16 = false;
	int rank = number_of({ "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
			       "ID" }, 0);
	int ranks = number_of({ "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "RANKS" }, 1);
};

/* A process's card, and its place among the others. */
class Rank {
public:
	explicit Rank(const Options &options);
	~Rank() { synDestroy(); }
	/* In order, where nothing has failed. */
	void close();

	uint64_t buffer(uint64_t bytes);
	void free(uint64_t address) { synDeviceFree(device, address, 0); }
	void upload(uint64_t to, const std::vector<uint8_t> &from);
	std::vector<uint8_t> download(uint64_t from, uint64_t bytes);
	/* ns for each of @loops calls. */
	double time(int loops, const std::function<void()> &call);

	synDeviceId device = 0;
	synStreamHandle stream = nullptr;
	hcclComm_t comm = nullptr;

private:
	synEventHandle start = nullptr, end = nullptr;
};

Rank::Rank(const Options &options)
{
	hcclUniqueId id = {};

	CHECK(synInitialize());
	if (synDeviceAcquireByModuleId(&device, options.rank) != synSuccess)
		CHECK(synDeviceAcquire(&device, nullptr));
	CHECK(synStreamCreateGeneric(&stream, device, 0));
	CHECK(synEventCreate(&start, device, EVENT_COLLECT_TIME));
	CHECK(synEventCreate(&end, device, EVENT_COLLECT_TIME));
	/* The others need no id: the variable says where this one listens. */
	if (options.rank == 0)
		CHECK(hcclGetUniqueId(&id));
	CHECK(hcclCommInitRank(&comm, options.ranks, id, options.rank));
}

void Rank::close()
{
	CHECK(synStreamSynchronize(stream));
	CHECK(synStreamDestroy(stream));
	CHECK(hcclCommDestroy(comm));
	CHECK(synDeviceRelease(device));
}

uint64_t Rank::buffer(uint64_t bytes)
{
	uint64_t address;

	CHECK(synDeviceMalloc(device, bytes, 0, 0, &address));

	return address;
}

void Rank::upload(uint64_t to, const std::vector<uint8_t> &from)
{
	CHECK(synHostMap(device, from.size(), from.data()));
	CHECK(synMemCopyAsync(stream, reinterpret_cast<uint64_t>(from.data()),
			      from.size(), to, HOST_TO_DRAM));
	CHECK(synStreamSynchronize(stream));
	CHECK(synHostUnmap(device, from.data()));
}

std::vector<uint8_t> Rank::download(uint64_t from, uint64_t bytes)
{
	std::vector<uint8_t> to(bytes);

	CHECK(synHostMap(device, bytes, to.data()));
	CHECK(synMemCopyAsync(stream, from, bytes,
			      reinterpret_cast<uint64_t>(to.data()),
			      DRAM_TO_HOST));
	CHECK(synStreamSynchronize(stream));
	CHECK(synHostUnmap(device, to.data()));

	return to;
}

double Rank::time(int loops, const std::function<void()> &call)
{
	uint64_t ns;

	CHECK(synEventRecord(start, stream));
	for (int i = 0; i < loops; i++)
		call();
	CHECK(synEventRecord(end, stream));
	CHECK(synEventSynchronize(end));
	CHECK(synEventElapsedTime(&ns, start, end));

	return double(ns) / loops;
}

/* Elements as either type has them; small whole numbers, which both have exactly. */
class Elements {
public:
	explicit Elements(bool bf16) : bf16(bf16) {}

	uint64_t size() const { return bf16 ? 2 : 4; }
	hcclDataType_t type() const { return bf16 ? hcclBfloat16 : hcclFloat; }
	std::vector<uint8_t> make(uint64_t count,
				  const std::function<int(uint64_t)> &value) const
	{
		std::vector<uint8_t> bytes(count * size());

		for (uint64_t i = 0; i < count; i++) {
			float number = float(value(i));
			uint32_t bits;

			std::memcpy(&bits, &number, 4);
			if (bf16)
				bits >>= 16;
			std::memcpy(&bytes[i * size()], &bits, size());
		}

		return bytes;
	}

private:
	bool bf16;
};

/* One collective: elements of both sides, what goes in, what must come out. */
struct Test {
	std::string name;
	uint64_t send, recv;
	double bus;			/* of the bytes, what a wire has to carry */
	std::function<int(int rank, uint64_t i)> in;
	std::function<int(uint64_t i)> out;	/* empty: nothing on this rank */
	std::function<void(uint64_t send, uint64_t recv)> call;
};

/* What @rank has at @i. */
static int value(int rank, uint64_t i)
{
	return int((i * 3 + i / 1000) % 13) + rank;
}

static std::vector<Test> make_tests(Rank &me, const Options &o)
{
	const Elements e(o.bf16);
	const uint64_t n = uint64_t(o.ranks), r = uint64_t(o.rank);
	const uint64_t part = std::max<uint64_t>(o.size / e.size() / n, 1);
	const uint64_t all = part * n;
	const int root = o.ranks - 1;
	const int sum_of_ranks = o.ranks * (o.ranks - 1) / 2;
	const int next = (o.rank + 1) % o.ranks;
	const int last = (o.rank + o.ranks - 1) % o.ranks;
	const hcclDataType_t type = e.type();
	const double spread = double(n - 1) / double(n);
	const bool is_root = o.rank == root;

	auto v = [](uint64_t address) { return reinterpret_cast<void *>(address); };
	auto sum = [=](uint64_t i) { return o.ranks * value(0, i) + sum_of_ranks; };
	auto none = std::function<int(uint64_t)>();
	Rank *m = &me;

	return {
		{ "all_reduce", all, all, 2 * spread, value, sum,
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclAllReduce(v(send), v(recv), all, type,
					    hcclSum, m->comm, m->stream));
		  } },
		{ "all_reduce_max", all, all, 2 * spread, value,
		  [=](uint64_t i) { return value(o.ranks - 1, i); },
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclAllReduce(v(send), v(recv), all, type,
					    hcclMax, m->comm, m->stream));
		  } },
		{ "reduce_scatter", all, part, spread, value,
		  [=](uint64_t i) { return sum(i + r * part); },
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclReduceScatter(v(send), v(recv), part, type,
						hcclSum, m->comm, m->stream));
		  } },
		{ "all_gather", part, all, spread, value,
		  [=](uint64_t i) { return value(int(i / part), i % part); },
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclAllGather(v(send), v(recv), part, type,
					    m->comm, m->stream));
		  } },
		{ "all2all", all, all, spread, value,
		  [=](uint64_t i) {
			return value(int(i / part), i % part + r * part);
		  },
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclAlltoAll(v(send), v(recv), all, type,
					   m->comm, m->stream));
		  } },
		{ "broadcast", all, all, 1, value,
		  [=](uint64_t i) { return value(root, i); },
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclBroadcast(v(send), v(recv), all, type, root,
					    m->comm, m->stream));
		  } },
		{ "reduce", all, all, 1, value,
		  is_root ? std::function<int(uint64_t)>(sum) : none,
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclReduce(v(send), v(recv), all, type, hcclSum,
					 root, m->comm, m->stream));
		  } },
		{ "send_recv", all, all, 1, value,
		  [=](uint64_t i) { return value(last, i); },
		  [=](uint64_t send, uint64_t recv) {
			CHECK(hcclGroupStart());
			CHECK(hcclSend(v(send), all, type, next, m->comm,
				       m->stream));
			CHECK(hcclRecv(v(recv), all, type, last, m->comm,
				       m->stream));
			CHECK(hcclGroupEnd());
		  } },
	};
}

static bool run(Rank &me, const Test &test, const Options &o)
{
	const Elements e(o.bf16);
	const uint64_t bytes = std::max(test.send, test.recv) * e.size();
	const uint64_t send = me.buffer(test.send * e.size());
	const uint64_t recv = me.buffer(test.recv * e.size());
	bool right = true;

	me.upload(send, e.make(test.send, [&](uint64_t i) {
		return test.in(o.rank, i);
	}));
	test.call(send, recv);
	if (test.out)
		right = me.download(recv, test.recv * e.size()) ==
			e.make(test.recv, test.out);
	const double ns = me.time(o.loops, [&] { test.call(send, recv); });

	if (!right)
		std::printf("rank %d: %s: WRONG\n", o.rank, test.name.c_str());
	else if (o.rank == 0)
		std::printf("%-16s %10llu bytes %10.1f us  algbw %8.3f GB/s  busbw %8.3f GB/s\n",
			    test.name.c_str(), (unsigned long long)bytes,
			    ns / 1000, double(bytes) / ns,
			    double(bytes) / ns * test.bus);
	me.free(send);
	me.free(recv);

	return right;
}

static Options parse(int argc, char **argv)
{
	Options o;

	for (int i = 1; i < argc; i += 2) {
		const std::string name = argv[i];
		const std::string text = i + 1 < argc ? argv[i + 1] : "";

		if (name == "--test")
			o.test = text;
		else if (name == "--size")
			o.size = bytes_of(text);
		else if (name == "--loops")
			o.loops = std::stoi(text);
		else if (name == "--type" &&
			 (text == "float" || text == "bfloat16"))
			o.bf16 = text == "bfloat16";
		else
			throw std::invalid_argument(name + " " + text +
				"\nusage: hccl_bench [--test NAME] [--size N[KMG]] [--loops N] [--type float|bfloat16]");
	}
	if (o.loops < 1 || o.ranks < 1 || o.rank < 0 || o.rank >= o.ranks)
		throw std::invalid_argument("loops, or the rank, make no sense");

	return o;
}

int main(int argc, char **argv)
{
	bool right = true;
	int ran = 0;

	try {
		const Options o = parse(argc, argv);

		setenv("HCCL_COMM_ID", "127.0.0.1:5555", 0);
		Rank me(o);

		for (const Test &test : make_tests(me, o)) {
			if (o.test != "all" && o.test != test.name)
				continue;
			right &= run(me, test, o);
			ran++;
		}
		if (!ran)
			throw std::invalid_argument("no test " + o.test);
		me.close();
	} catch (const std::exception &e) {
		std::fprintf(stderr, "hccl_bench: %s\n", e.what());
		return 2;
	}

	return !right;
}
