// The recorded models with weights of 4 bits: their errors are too large for a
// bound against the recording to say much, so they are held against the
// evaluator, which rounds the same weights and rows alike. One model a kind of
// layer; all of them where CHEEMS_TEST_LONG is set.
#include "Compared.h"
#include "Tools.h"
#include "cheems/Import/SafeTensors.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestPaths.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstdlib>

using namespace cheems;
using namespace cheems::test;

namespace {

std::filesystem::path recordings() {
  return std::filesystem::path(cheems::test_paths::sourceFolder) /
         "test/golden/models";
}

std::vector<std::string> names() {
  if (!std::getenv("CHEEMS_TEST_LONG")) {
    return {"cheems-long", "cheems-paper", "doge-author-moe", "doge-window"};
  }
  std::vector<std::string> found;
  for (const auto &entry : std::filesystem::directory_iterator(recordings())) {
    if (std::filesystem::exists(entry.path() / "golden.safetensors")) {
      found.push_back(entry.path().filename());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::vector<int64_t>> recordedIds(const std::string &path) {
  auto file = SafeTensorsFile::open(path);
  if (!file) {
    throw std::runtime_error(llvm::toString(file.takeError()));
  }
  const TensorView *view = file->find("input_ids");
  int64_t length = view->shape[1];
  std::vector<std::vector<int64_t>> rows(view->shape[0]);
  for (size_t b = 0; b < rows.size(); ++b) {
    rows[b].resize(length);
    std::memcpy(rows[b].data(), view->bytes.data() + b * length * 8,
                length * 8);
  }
  return rows;
}

class Recorded : public testing::TestWithParam<std::string> {};

TEST_P(Recorded, WithWeightsOf4BitsAreWhatTheReferenceRounds) {
  std::filesystem::path model = recordings() / GetParam();
  TemporaryFolder folder;
  Build build;
  build.weights = "int4";
  Compared compared(model, build, folder.path);
  auto formats = matmulFormatsOf(compared.artefact(), folder.path);
  ASSERT_TRUE(bool(formats)) << llvm::toString(formats.takeError());
  EXPECT_EQ(*formats, GetParam() == "cheems-long"
                          ? (std::set<std::string>{"4/32", "4/64"})
                          : std::set<std::string>{"4/64"});
  constexpr size_t longest = 200; // the evaluation's time grows by the square
  std::vector<Sequence> sequences;
  for (std::vector<int64_t> &ids :
       recordedIds((model / "golden.safetensors").string())) {
    ids.resize(std::min(ids.size(), longest));
    sequences.push_back(compared.evaluator().evaluate(std::move(ids)));
  }
  int64_t firm = 0, length = static_cast<int64_t>(sequences[0].ids.size());
  for (const Sequence &sequence : sequences) {
    ASSERT_GT(sequence.firm, 0);
    firm += sequence.firm;
  }
  for (int64_t chunk : {length, int64_t(7)}) {
    Evaluator::Agreement got = compared.run(sequences, chunk, 2);
    std::printf("%s, %s, chunks of %d: error %.1e of %.1e, %d ties turned, "
                "%d of %d rows\n",
                GetParam().c_str(), compared.variant().c_str(),
                static_cast<int>(chunk), got.error, got.allowed,
                static_cast<int>(got.turned.size()), static_cast<int>(firm),
                static_cast<int>(sequences.size() * length));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Recorded, testing::ValuesIn(names()),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
