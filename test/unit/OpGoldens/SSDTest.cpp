// ssd over a whole sequence, in several chunks, state in and out.
#include "cheems/Reference/SSD.h"
#include "OpGolden.h"

using namespace cheems;
using namespace cheems::test;

namespace {

struct Recorded {
  GoldenFile golden;
  Tensor x, step, a, b, c, y, finalState;
  std::optional<Tensor> skip, initialState;

  explicit Recorded(const std::string &file)
      : golden(openOp(file)), x(golden.tensor("x")), step(golden.tensor("dt")),
        a(golden.tensor("A")), b(golden.tensor("B")), c(golden.tensor("C")),
        y(golden.tensor("y")), finalState(golden.tensor("final_state")) {
    if (golden.has("D")) {
      skip = golden.tensor("D");
    }
    if (golden.has("initial_state")) {
      initialState = golden.tensor("initial_state");
    }
  }

  int64_t sequences() const { return x.shape[0]; }
  int64_t rows() const { return x.shape[1]; }
  /// A decay is a product of as many factors as there are rows, a state a sum
  /// over rows, and an output one over the numbers of a state.
  int64_t roundings() const { return 2 * rows() + b.shape[3]; }
  /// [H, N, P]; recorded as [H, P, N].
  Tensor stateBefore(int64_t sequence) const {
    Tensor recorded = initialState ? slice(*initialState, sequence)
                                   : Tensor(slice(finalState, sequence).shape);
    return transposed(recorded, 1, 2);
  }
  Tensor stateAfter(int64_t sequence) const {
    return transposed(slice(finalState, sequence), 1, 2);
  }

  std::string text() const {
    std::string heads = shapeText({-1, x.shape[2], x.shape[3]}),
                steps = shapeText({-1, x.shape[2]}),
                head = shapeText({x.shape[2]}),
                groups = shapeText({-1, b.shape[2], b.shape[3]}),
                state = shapeText({x.shape[2], b.shape[3], x.shape[3]}),
                results = tensorText(heads) + ", " + tensorText(state);
    FunctionText function("scan");
    function.input("x", heads)
        .input("dt", steps)
        .input("a", head)
        .input("b", groups)
        .input("c", groups);
    std::string op = "%r, %s = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : " +
                     tensorText(heads) + ", " + tensorText(steps) + ", " +
                     tensorText(head) + ", " + tensorText(groups) + ", " +
                     tensorText(groups) + ")";
    if (skip) {
      function.input("d", head);
      op += " skip(%d : " + tensorText(head) + ")";
    }
    return function.output("y", heads)
        .output("h", state)
        .line(op + " outs(%y, %h : " + results + ") -> " + results)
        .store("%r", "y", heads)
        .store("%s", "h", state)
        .text();
  }
};

class SSDEvaluated : public EvaluatedOpGolden {};
class SSDCompiled : public CompiledOpGolden {};
CHEEMS_OP_GOLDENS(SSDEvaluated, SSDCompiled, ssdFiles);

TEST_P(SSDEvaluated, ScansAsRecorded) {
  Recorded recorded(GetParam());
  for (int64_t i = 0; i < recorded.sequences(); ++i) {
    reference::SSDInputs inputs{slice(recorded.x, i), slice(recorded.step, i),
                                recorded.a,           slice(recorded.b, i),
                                slice(recorded.c, i), recorded.skip};
    Tensor y = slice(recorded.y, i), state = recorded.stateAfter(i);
    for (bool chunk : {false, true}) {
      Tensor before = recorded.stateBefore(i);
      reference::SSDResult got = chunk ? reference::ssdChunk(inputs, before)
                                       : reference::ssd(inputs, before);
      // a decay is a product of as many factors as there are rows
      EXPECT_LE(maxError(got.y, y), toleranceF32(y, 2 * recorded.rows()));
      EXPECT_LE(maxError(got.state, state),
                toleranceF32(state, 2 * recorded.rows()));
    }
  }
}

/// The largest of outputs and of states, of all sequences.
double errorOf(const Recorded &recorded, Mode mode) {
  auto module = CompiledModule::compile(recorded.text(), mode);
  double error = module ? 0.0 : INFINITY;
  for (int64_t i = 0; module && i < recorded.sequences(); ++i) {
    Tensor want = slice(recorded.y, i), wantState = recorded.stateAfter(i);
    Buffer x(Element::F32, slice(recorded.x, i)),
        step(Element::F32, slice(recorded.step, i)),
        a(Element::F32, recorded.a), b(Element::F32, slice(recorded.b, i)),
        c(Element::F32, slice(recorded.c, i)), y(Element::F32, want.shape),
        state(Element::F32, recorded.stateBefore(i));
    std::optional<Buffer> skip;
    std::vector<const Buffer *> buffers{&x, &step, &a, &b, &c};
    if (recorded.skip) {
      skip.emplace(Element::F32, *recorded.skip);
      buffers.push_back(&*skip);
    }
    buffers.insert(buffers.end(), {&y, &state});
    module->call("scan", recorded.rows(), buffers);
    error =
        std::max({error, relativeError(contents(y, want.shape), want),
                  relativeError(contents(state, wantState.shape), wantState)});
  }
  return error;
}

TEST_P(SSDCompiled, ScansAsRecorded) {
  Recorded recorded(file());
  EXPECT_LE(errorOf(recorded, mode()),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(SSDMistaken, ADroppedTermIsSeen) {
  Recorded recorded("ssd_ragged");
  ASSERT_TRUE(recorded.skip);
  recorded.skip.reset();
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
}

TEST(SSDMistaken, AWrongRoundingIsSeen) {
  Recorded recorded("ssd_ragged");
  recorded.b = coarser(recorded.b, 16);
  EXPECT_GT(errorOf(recorded, Mode::Narrow),
            compiledBound(Element::F32, recorded.roundings()));
}

} // namespace
