// What --json says of a run.
#ifndef CHEEMS_TOOLS_CHEEMS_RUN_REPORT_H
#define CHEEMS_TOOLS_CHEEMS_RUN_REPORT_H

#include "runtime/Generation/Generator.h"
#include "runtime/Sampler/Sampler.h"
#include <cstdint>
#include <string>
#include <vector>

namespace cheems::run {

/// One line of JSON.
std::string report(const std::string &text, const std::vector<int32_t> &ids,
                   Stop stop, const Statistics &statistics,
                   const SamplingOptions &sampling);

/// An embedding as one line of JSON.
std::string report(const std::vector<float> &embedding);

} // namespace cheems::run

#endif
