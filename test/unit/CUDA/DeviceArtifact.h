// Files with images for GPUs in them, which nothing can run.
#ifndef CHEEMS_TEST_UNIT_CUDA_DEVICEARTIFACT_H
#define CHEEMS_TEST_UNIT_CUDA_DEVICEARTIFACT_H

#include "../Artifact/FakeArtifact.h"
#include "cheems/artifact.h"
#include <string>
#include <vector>

namespace cheems::test {

/// The plan of steps that have ten launches of one block: they take longer than
/// a CPU takes for a small model.
inline std::string planOfTenLaunches() {
  using nlohmann::json;
  json launch = {{"kernel", 0}, {"grid", {0, 0, 0}}};
  launch["arguments"] = json::array();
  json entry = {{"numbers", {1}},
                {"areas", json::array()},
                {"parts", json::array()},
                {"launches", json::array()}};
  for (int i = 0; i < 10; ++i) {
    entry["launches"].push_back(launch);
  }
  json plan = {{"version", CHEEMS_LAUNCH_PLAN_VERSION},
               {"kernels", {{{"name", "k"}, {"threads", 32}, {"shared", 0}}}}};
  plan["entries"] = {
      {"general", entry}, {"decode", entry}, {"top_logits", json::array()}};
  return plan.dump();
}

/// Adds an image with such a plan for each architecture.
inline void addGPUs(FakeArtifact &artifact,
                    const std::vector<std::string> &architectures) {
  std::string bytes = planOfTenLaunches();
  auto size = static_cast<int64_t>(bytes.size());
  bytes.push_back('\0');
  nlohmann::json gpus = nlohmann::json::array();
  for (const std::string &each : architectures) {
    gpus.push_back(
        {{"architecture", each}, {"plan", {0, size}}, {"ptx", {size, 1}}});
  }
  artifact.metadata["images"].push_back({{"target", "cuda"},
                                         {"section", "image.cuda"},
                                         {"decode_rows", 8},
                                         {"prefill", 128},
                                         {"cards", gpus}});
  artifact.texts.emplace_back("image.cuda", bytes);
}

inline void removeCpu(FakeArtifact &artifact) {
  artifact.metadata["images"].erase(0);
}

} // namespace cheems::test

#endif
