// A small model with code for GPUs, on the software GPU behind a driver that
// fails when it is told to.
#ifndef CHEEMS_TEST_INTEGRATION_CUDA_FAULTS_COMPILEDMODEL_H
#define CHEEMS_TEST_INTEGRATION_CUDA_FAULTS_COMPILEDMODEL_H

#include "runtime/Artifact/Model.h"
#include "test/unit/CUDA/SoftwareGPU.h"
#include <memory>
#include <string>

namespace cheems::test {

/// The file: doge-tiny, compiled once a process by the cheems-compile beside
/// this binary; or what COMPILED_MODEL names, which another process made.
const std::string &compiledModel();
/// The same, opened for the GPU.
std::shared_ptr<const Model> openOnGPU();
/// The same with weights in bf16, whose prompts have tensor maps.
std::shared_ptr<const Model> openWithMaps();

} // namespace cheems::test

#endif
