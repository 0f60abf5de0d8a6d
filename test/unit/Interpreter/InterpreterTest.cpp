// Imported modules in the interpreter against the evaluator of whole models:
// the ops of a step, put together, are the model.
#include "cheems/Interpreter/Interpreter.h"
#include "cheems/Conversion/CheemsToCPU/Passes.h"
#include "cheems/Import/Checkpoint.h"
#include "cheems/Import/ModuleBuilder.h"
#include "cheems/Reference/Model.h"
#include "mlir/Pass/PassManager.h"
#include "test/unit/Reference/Golden.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using interpreter::Interpreter;
using interpreter::RuntimeValue;
using reference::Rounding;
using reference::Tensor;

namespace {

struct Case {
  const char *folder;
  enum { Plain, StateBF16, StateInt8, WeightsInt8, WeightsInt4 } form;
};

/// Numbers are equal but for the order of a few sums. With experts, f32's unit
/// is left: their scores' sums are rounded, as the op's equation says.
constexpr double kSame = 0x1p-40, kRoundedSums = 0x1p-20;

constexpr Case cases[] = {
    {"cheems-bias-gelu", Case::Plain},
    {"cheems-moe", Case::Plain},
    {"cheems-paper", Case::Plain},
    {"cheems-scale-rope", Case::Plain},
    {"cheems-threshold", Case::Plain},
    {"cheems-window", Case::Plain},
    {"doge-author-moe", Case::Plain},
    {"doge-moe-window", Case::Plain},
    {"doge-untied-bf16", Case::StateBF16},
    {"cheems-threshold", Case::StateInt8},
    {"doge-window", Case::StateInt8},
    {"cheems-dense", Case::WeightsInt8},
    {"doge-tiny", Case::WeightsInt8},
    {"doge-tiny", Case::WeightsInt4},
};

class ImportedModule : public testing::TestWithParam<Case> {
protected:
  ImportOptions options() const {
    ImportOptions options;
    options.stateBF16 = GetParam().form == Case::StateBF16;
    options.stateInt8 = GetParam().form == Case::StateInt8;
    options.matrices = options.stateBF16 ? DType::BF16 : DType::F32;
    options.weightBits = GetParam().form == Case::WeightsInt8   ? 8
                         : GetParam().form == Case::WeightsInt4 ? 4
                                                                : 0;
    return options;
  }
  Rounding rounding() const {
    Rounding rounding;
    rounding.state = GetParam().form == Case::StateBF16;
    rounding.int8 = GetParam().form == Case::StateInt8;
    rounding.weightBits = options().weightBits;
    return rounding;
  }

  /// Empty pools of the module, of one slot.
  static std::vector<RuntimeValue> pools(mlir::func::FuncOp step,
                                         int64_t capacity) {
    std::vector<RuntimeValue> pools;
    for (mlir::Type type : step.getArgumentTypes().drop_front(6)) {
      auto shaped = mlir::cast<mlir::RankedTensorType>(type);
      llvm::SmallVector<int64_t> shape(shaped.getShape());
      for (size_t d = 0; d < shape.size(); ++d) {
        if (mlir::ShapedType::isDynamic(shape[d])) {
          shape[d] = d == 0 ? 1 : capacity;
        }
      }
      pools.emplace_back(Tensor(shape));
    }
    return pools;
  }
};

Tensor whole(const std::vector<double> &values) {
  return Tensor({static_cast<int64_t>(values.size())}, values);
}

TEST_P(ImportedModule, GivesWhatTheModelIs) {
  std::string folder = goldenPath(std::string("models/") + GetParam().folder);
  Checkpoint checkpoint =
      llvm::cantFail(Checkpoint::open(folder, [](llvm::StringRef) {}));
  GoldenFile golden(folder + "/golden.safetensors");
  Tensor ids = slice(golden.tensor("input_ids"), 0);
  std::vector<int64_t> tokens(ids.data.begin(), ids.data.end());
  auto length = static_cast<int64_t>(tokens.size());

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildModule(context, checkpoint.model(), options());
  mlir::PassManager passes(&context);
  passes.addPass(cheems::createQuantizeParametersPass());
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  auto step = module->lookupSymbol<mlir::func::FuncOp>("step");
  ASSERT_TRUE(step);

  Interpreter machine(
      *module, [&](llvm::StringRef name) { return checkpoint.find(name); });
  Tensor want = reference::evaluateModel(checkpoint, tokens, rounding());
  double bound =
      (checkpoint.model().find<RetrievedExperts>() ? kRoundedSums : kSame) *
      maxMagnitude(want);
  std::vector<RuntimeValue> state = pools(step, length);
  // a prompt, some rows together, and one
  for (auto [from, end] : {std::pair(int64_t(0), length / 2),
                           {length / 2, length - 1},
                           {length - 1, length}}) {
    std::vector<double> rows;
    for (int64_t row = 0; row < end - from; ++row) {
      rows.push_back(static_cast<double>(row));
    }
    llvm::SmallVector<RuntimeValue> arguments{
        ids.rows(from, end - from),
        Tensor({1, 8}, {0, 0, double(end - from), double(from), double(length),
                        0, 0, 0}),
        whole(rows),
        interpreter::emptyTensor({end - from, want.shape[1]}),
        whole({}), // no embedding is asked for
        interpreter::emptyTensor({0, checkpoint.model().hidden})};
    arguments.append(state.begin(), state.end());
    auto results = machine.call(step, arguments);
    ASSERT_TRUE(mlir::succeeded(results));
    EXPECT_LE(maxError(results->front().tensor(), want.rows(from, end - from)),
              bound)
        << "rows " << from << " to " << end;
    state.assign(results->begin() + 2, results->end());
  }
}

std::string nameOf(const testing::TestParamInfo<Case> &info) {
  const char *forms[] = {"", "_state_bf16", "_state_int8", "_weights_int8",
                         "_weights_int4"};
  std::string name = info.param.folder;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + forms[info.param.form];
}

INSTANTIATE_TEST_SUITE_P(Models, ImportedModule, testing::ValuesIn(cases),
                         nameOf);

} // namespace
