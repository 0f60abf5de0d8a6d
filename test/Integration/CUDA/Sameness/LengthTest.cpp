// A prompt that is many windows long: it is read in the memory that a short one
// needs, and keeps what it keeps on the host. 100,000 tokens in long runs.
#include "../../CPU/Sameness/Artefacts.h"
#include "../../CPU/Sameness/Sequences.h"
#include "test/unit/Support/TestRun.h"

using namespace cheems;
using namespace cheems::test;

namespace {

// In one layer masks are far apart or equal: both keep the same entries.
constexpr const char *name = "window-64";
constexpr int64_t chunk = 512;

TEST(GPULength, aLongPromptIsReadInTheMemoryOfAShortOne) {
  auto model = openArtefact(name, "cuda", "cuda"),
       onHost = openArtefact(name, "avx2", "cpu");
  int64_t length = isLongRun() ? 100000 : 1500;
  constexpr int64_t tailLength = 3, shortest = 2 * chunk;
  auto sessionOf = [](const std::shared_ptr<const Model> &of, int64_t context) {
    return makeSession(of, 1, 1, chunk, context);
  };
  Session gpu = sessionOf(model, length + tailLength),
          host = sessionOf(onHost, length + tailLength);
  SessionBytes has = gpu.bytes(), few = sessionOf(model, shortest).bytes();
  EXPECT_EQ(has.state, few.state);
  EXPECT_EQ(has.workspace, few.workspace);

  Ids ids = drawIds(*model, length), tail = drawIds(*model, tailLength, 2);
  Logits got = chunked(gpu, 0, ids, {chunk}),
         want = chunked(host, 0, ids, {chunk});
  // Sums of as many terms as a row sees, in the layer and in the head.
  const Metadata &data = model->metadata();
  double bound =
      static_cast<double>((data.keepWindow + data.block) * (data.layers + 1)) *
      0x1p-24;
  EXPECT_LE(distance(want, got), bound);
  EXPECT_LE(distance(decoded(host, 0, tail), decoded(gpu, 0, tail)), bound);
  EXPECT_EQ(gpu.bytes().state, few.state);
}

} // namespace
