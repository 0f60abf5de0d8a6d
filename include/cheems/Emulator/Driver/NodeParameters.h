//===- NodeParameters.h - Work from the parameters of a node ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_NODEPARAMETERS_H
#define CHEEMS_EMULATOR_DRIVER_NODEPARAMETERS_H

#include "cheems/Emulator/Driver/Graph.h"

#include <memory>

namespace cheems::emulator::driver {

struct Context;

/// Checked as a submission to a stream would be. `old` is the work that a
/// node has so far: what parameters do not say is kept from it.
std::unique_ptr<Work> kernelOf(Context &context,
                               const CUDA_KERNEL_NODE_PARAMS *parameters,
                               const Work *old = nullptr);
std::unique_ptr<Work> copyOf(Context &context, const CUDA_MEMCPY3D *parameters);
std::unique_ptr<Work> setOf(Context &context,
                            const CUDA_MEMSET_NODE_PARAMS *parameters);
std::unique_ptr<Work> hostOf(const CUDA_HOST_NODE_PARAMS *parameters);
std::unique_ptr<Work> eventOf(CUgraphNodeType kind, CUevent event);
std::unique_ptr<Work> childOf(CUgraph graph);
/// Any kind of node that this driver knows.
std::unique_ptr<Work> workOf(Context &context,
                             const CUgraphNodeParams *parameters,
                             const Work *old = nullptr);

/// Gives a node other work of the same type.
void replace(Node &node, std::unique_ptr<Work> work);

} // namespace cheems::emulator::driver

#endif
