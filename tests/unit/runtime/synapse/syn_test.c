// SPDX-License-Identifier: MIT
/* Synapse's calls as programs make them: memory, streams, copies, events. */
#include "syn_bed.h"

SYN_TEST(copies_go_there_and_back)
{
	static uint8_t from[100003], to[100003];
	synStreamHandle stream = new_stream();
	uint64_t a = new_memory(sizeof(from)), b = new_memory(sizeof(from));

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + i / 251);
	WORKS(synHostMap(0, sizeof(from), from));
	WORKS(synHostMap(0, sizeof(to), to));
	WORKS(synMemCopyAsync(stream, at(from), sizeof(from), a, HOST_TO_DRAM));
	WORKS(synMemCopyAsync(stream, a, sizeof(from), b, DRAM_TO_DRAM));
	WORKS(synMemCopyAsync(stream, b, sizeof(from), at(to), DRAM_TO_HOST));
	WORKS(synStreamSynchronize(stream));
	WORKS(synStreamQuery(stream));
	assert_memory_equal(from, to, sizeof(from));
	WORKS(synHostUnmap(0, from));
	WORKS(synHostUnmap(0, to));
	WORKS(synDeviceFree(0, a, 0));
	WORKS(synDeviceFree(0, b, 0));
	WORKS(synStreamDestroy(stream));
}
