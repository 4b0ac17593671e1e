/* SPDX-License-Identifier: MIT */
/* Random numbers come of seeds, which generators of the CPU's draw. */
#ifndef TORCH_GAUDI_GENERATOR_H
#define TORCH_GAUDI_GENERATOR_H

#include <ATen/core/Generator.h>

namespace torch_gaudi {

/* A seed of the CPU's default generator. */
uint64_t draw_seed();
/* One of the device, which draws from @host. Of PyTorch 1 the device has none. */
at::Generator device_generator(at::Generator host);
/* The CPU's generator that one of the device draws from. */
at::Generator host_generator(const at::Generator &generator);

} // namespace torch_gaudi

#endif /* TORCH_GAUDI_GENERATOR_H */
