// SPDX-License-Identifier: MIT
// The name by which some C++ sources include it.
#pragma once
#include "synapse_common_types.h"
