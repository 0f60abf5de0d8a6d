// Compiles, runs and compares.
#include "Compared.h"
#include "Tools.h"
#include "gtest/gtest.h"
#include <stdexcept>

namespace cheems::test {

template <typename T> static T need(llvm::Expected<T> value) {
  if (!value) {
    throw std::runtime_error(llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

static void expectSuccess(const std::string &failure) {
  if (!failure.empty()) {
    throw std::runtime_error(failure);
  }
}

Compared::Compared(const std::filesystem::path &model, const Build &build,
                   const std::filesystem::path &scratch)
    : scratch(scratch), build(build),
      opened(std::make_unique<Checkpoint>(
          need(Checkpoint::open(model.string(), [](llvm::StringRef) {})))),
      path((scratch / (build.pipeline + ".cheems")).string()) {
  expectSuccess(
      runTool("cheems-compile",
              {model.string(), "-o", path, "--pipeline", build.pipeline,
               "--cpu", build.cpu, "--kv", build.kv, "--weights", build.weights,
               "--group-experts", std::to_string(build.expertGroup)},
              scratch));
  chosen = need(variantOf(path, scratch));
}

reference::Rounding Compared::rounding() const {
  bool fast = build.pipeline == "fast", tiles = fast && chosen == "amx",
       pairs = tiles || (fast && chosen == "avx512bf16");
  return {/*state=*/true,
          /*products=*/pairs,
          /*attention=*/tiles,
          /*chunk=*/tiles ? 64 : 0,
          /*prefill=*/0,
          build.kv == "int8",
          build.weights == "int8"   ? 8
          : build.weights == "int4" ? 4
                                    : 0};
}

Evaluator::Agreement Compared::run(std::vector<Sequence> &sequences,
                                   int64_t chunk, int64_t threads) const {
  SCOPED_TRACE(chosen + ", " + build.pipeline + ", chunks of " +
               std::to_string(chunk) + ", threads " + std::to_string(threads));
  int64_t length = static_cast<int64_t>(sequences[0].ids.size());
  std::filesystem::path input = scratch / "ids.safetensors",
                        output = scratch / "logits.safetensors";
  std::vector<std::vector<int64_t>> ids;
  for (const Sequence &sequence : sequences) {
    ids.push_back(sequence.ids);
  }
  writeIds(input, ids);
  std::filesystem::remove(output);
  expectSuccess(runTool("cheems-run",
                        {path, "--input-ids", input.string(), "--logits",
                         output.string(), "-t", std::to_string(threads),
                         "--prefill-chunk", std::to_string(chunk)},
                        scratch));
  reference::Tensor logits = need(readLogits(output));
  Evaluator::Agreement worst;
  llvm::SmallVector<int64_t, 4> shape{static_cast<int64_t>(ids.size()), length,
                                      opened->model().vocabulary};
  EXPECT_EQ(logits.shape, shape);
  if (logits.shape != shape) {
    return worst;
  }
  const ModelDescription &model = opened->model();
  for (size_t b = 0; b < sequences.size(); ++b) {
    Sequence want = sequences[b];
    reference::Rounding cut = rounding();
    if (cut.chunk && model.find<SSD>() && chunk < length) {
      cut.prefill = chunk; // chunks of SSD begin anew in each
      int64_t firm = want.firm;
      want = Evaluator(*opened, cut).evaluate(want.ids);
      want.firm = std::min(want.firm, firm);
    }
    Evaluator::Agreement got =
        Evaluator(*opened, cut).compare(logits, static_cast<int64_t>(b), want);
    EXPECT_TRUE(got.holds())
        << "sequence " << b << " differs by " << got.error << ", allowed are "
        << got.allowed << "; of " << got.ties << " ties " << got.turned.size()
        << " went the other way";
    if (got.holds() && got.turned != want.turned) {
      sequences[b] = evaluator().evaluate(want.ids, got.turned);
    }
    if (!(got.error / got.allowed <= worst.error / worst.allowed)) {
      worst = got;
    }
  }
  return worst;
}

Evaluator::Turned Compared::turnedEntries(const std::vector<int64_t> &ids,
                                          int64_t chunk,
                                          int64_t threads) const {
  return evaluator().turnedEntries(
      ids, need(storedEntries(path, ids, chunk, threads, scratch)));
}

} // namespace cheems::test
