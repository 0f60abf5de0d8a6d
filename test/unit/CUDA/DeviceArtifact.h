// Files with images for cards in them, which nothing can run.
#ifndef CHEEMS_TEST_UNIT_CUDA_DEVICEARTIFACT_H
#define CHEEMS_TEST_UNIT_CUDA_DEVICEARTIFACT_H

#include "../Artifact/FakeArtifact.h"
#include <string>
#include <vector>

namespace cheems::test {

/// Adds an image with an empty plan for each architecture.
inline void addCards(FakeArtifact &artifact,
                     const std::vector<std::string> &architectures) {
  std::string bytes = "{}";
  bytes.push_back('\0');
  nlohmann::json cards = nlohmann::json::array();
  for (const std::string &each : architectures) {
    cards.push_back(
        {{"architecture", each}, {"plan", {0, 2}}, {"ptx", {2, 1}}});
  }
  artifact.metadata["images"].push_back({{"target", "cuda"},
                                         {"section", "image.cuda"},
                                         {"decode_rows", 8},
                                         {"prefill", 128},
                                         {"most_tokens", 24},
                                         {"cards", cards}});
  artifact.texts.emplace_back("image.cuda", bytes);
}

inline void removeCpu(FakeArtifact &artifact) {
  artifact.metadata["images"].erase(0);
}

} // namespace cheems::test

#endif
