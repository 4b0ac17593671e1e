// SPDX-License-Identifier: MIT
//
// What sources read of PyTorch's and C++'s headers, compiled once (Makefile). Each source
// names what it uses all the same.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/native/Resize.h>
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <torch/library.h>
#include <vector>
