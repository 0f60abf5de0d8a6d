// Writes the stand-in artefact to files, for tests that drive cheems-run from
// outside: FOLDER/good.cheems and variants that lack something.
#include "TalkingArtifact.h"
#include <fstream>
#include <iostream>

using namespace cheems::test;

static void write(const std::string &path, const FakeArtifact &artifact) {
  std::ofstream(path, std::ios::binary) << artifact.bytes();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: write-talking-artifact FOLDER\n";
    return 2;
  }
  std::string folder = argv[1];
  write(folder + "/good.cheems", talkingArtifact());
  write(folder + "/window.cheems", talkingArtifact(8));

  FakeArtifact weights = talkingArtifact();
  weights.weights[0] = 0.25f;
  write(folder + "/other-weights.cheems", weights);

  FakeArtifact mute = talkingArtifact();
  setText(mute, CHEEMS_SECTION_TOKENIZER, "");
  setText(mute, CHEEMS_SECTION_TOKENIZER_CONFIG, "");
  write(folder + "/mute.cheems", mute);

  // tokens a, b, c and d are the bytes 1B, C2, 9B and 0D
  FakeArtifact wild = talkingArtifact();
  auto controls = nlohmann::json::parse(talkingTokenizer());
  auto &vocabulary = controls["model"]["vocab"];
  const char *bytes[] = {"\u011b", "\u00c2", "\u013d", "\u010d"};
  for (const char *name : {"a", "b", "c", "d", "ab"}) {
    vocabulary.erase(name);
  }
  vocabulary["\u011b\u011b"] = 15;
  for (int i = 0; i < 4; ++i) {
    vocabulary[bytes[i]] = 4 + i;
  }
  controls["model"]["merges"] = nlohmann::json::array();
  setText(wild, CHEEMS_SECTION_TOKENIZER, controls.dump());
  wild.metadata["compiler"] = "\u009b31m\u007f";
  write(folder + "/controls.cheems", wild);

  FakeArtifact blunt = talkingArtifact();
  setText(blunt, CHEEMS_SECTION_CHAT_TEMPLATE, "");
  write(folder + "/no-template.cheems", blunt);

  FakeArtifact strange = talkingArtifact();
  setText(strange, CHEEMS_SECTION_TOKENIZER, "{\"model\": 1}");
  write(folder + "/bad-tokenizer.cheems", strange);

  FakeArtifact config = talkingArtifact();
  setText(config, CHEEMS_SECTION_GENERATION_CONFIG,
          "{\"temperature\": \"hot\"}");
  write(folder + "/bad-generation.cheems", config);

  FakeArtifact jinja = talkingArtifact();
  setText(jinja, CHEEMS_SECTION_CHAT_TEMPLATE, "{% for %}");
  write(folder + "/bad-template.cheems", jinja);

  FakeArtifact beginless = talkingArtifact(); // no token begins a text
  auto tokenizer = nlohmann::json::parse(talkingTokenizer());
  tokenizer["post_processor"] = nullptr;
  setText(beginless, CHEEMS_SECTION_TOKENIZER, tokenizer.dump());
  setText(beginless, CHEEMS_SECTION_TOKENIZER_CONFIG, "");
  beginless.metadata["bos_token_id"] = nullptr;
  write(folder + "/no-bos.cheems", beginless);
  return 0;
}
