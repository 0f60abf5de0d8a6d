// Faults planted in a whole artefact: code from the real generator, memory from
// the real runtime. Built with AddressSanitizer it reports each; built without,
// the runtime refuses instrumented code.
#include "../Artifact/FakeArtifact.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CPU/CodeGenerator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Redzones.h"
#include "runtime/Session/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cheems::test {
namespace {

constexpr int64_t kVocabulary = 64, kContext = 5, kRowElements = 16;

/// A step whose one token is the element that `access` touches: of the pool of
/// kContext, of the kRowElements that a row has in the workspace, or of the two
/// weights.
std::string stepText(const std::string &access) {
  return R"(
func.func @step(%tokens: memref<?xi32> {cheems.field = "tokens"},
                %logits: memref<?x64xf32> {cheems.field = "logits"},
                %weights: memref<?xi8> {cheems.field = "parameters"},
                %pool: memref<?x?xi32> {cheems.field = "pools", cheems.index = 0 : i64})
    attributes {cheems.entry = "cheems_step_general"} {
  %c0 = arith.constant 0 : index
  %token = memref.load %tokens[%c0] : memref<?xi32>
  %i = arith.index_cast %token : i32 to index
  %n = memref.dim %tokens, %c0 : memref<?xi32>
  %scratch = memref.alloc(%n) : memref<?x16xi32>
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<2xf32>
)" + access +
         "  return\n}\n";
}
const std::string
    kStoreToPool = "  memref.store %token, %pool[%c0, %i] : memref<?x?xi32>\n",
    kStoreToWorkspace =
        "  memref.store %token, %scratch[%c0, %i] : memref<?x16xi32>\n"
        "  %read = memref.load %scratch[%c0, %c0] : memref<?x16xi32>\n"
        "  memref.store %read, %pool[%c0, %c0] : memref<?x?xi32>\n",
    kLoadFromWeights =
        "  %v = memref.load %w[%i] : memref<2xf32>\n"
        "  memref.store %v, %logits[%c0, %c0] : memref<?x64xf32>\n";

template <typename T> T orThrow(llvm::Expected<T> value) {
  if (!value) {
    throw std::runtime_error(llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

/// The stand-in artefact around the compiled step.
FakeArtifact artefact(const std::string &access) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(stepText(access), &context);
  TargetInfo target = orThrow(TargetInfo::find("portable"));
  mlir::PassManager before(&context), after(&context);
  buildBufferizePipeline(before, target.describe(false));
  buildLLVMPipeline(after, target.describe(false));
  if (!module || mlir::failed(before.run(*module))) {
    throw std::runtime_error("the step does not bufferise");
  }
  auto needs = (*module->getOps<mlir::func::FuncOp>().begin())
                   ->getAttrOfType<mlir::DenseI64ArrayAttr>("cheems.workspace");
  nlohmann::json workspace = needs.asArrayRef().vec();
  if (mlir::failed(after.run(*module))) {
    throw std::runtime_error("the step does not become LLVM IR");
  }
  llvm::LLVMContext llvmContext;
  auto code = orThrow(generateLLVM(*module, target, llvmContext));
  auto object = orThrow(generateObject(*code, target));
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("cheems-planted", "so", path)) {
    throw std::runtime_error("cannot create a temporary file");
  }
  llvm::FileRemover remover(path);
  if (llvm::Error error = linkSharedObject(object, path)) {
    throw std::runtime_error(llvm::toString(std::move(error)));
  }

  FakeArtifact result;
  result.code = (*llvm::MemoryBuffer::getFile(path))->getBuffer().str();
  nlohmann::json &metadata = result.metadata;
  metadata["vocab_size"] = kVocabulary;
  metadata["context"]["default"] = kContext;
  metadata["variants"][0]["decode"] = metadata["variants"][0]["general"];
  metadata["variants"][0]["workspace"] = {{"general", workspace},
                                          {"decode", workspace}};
  if (target.addressSanitizer) {
    metadata["target"]["sanitizer"] = "address";
  }
  return result;
}

void touch(const FakeArtifact &artefact, int32_t element) {
  TemporaryFile file(artefact.bytes());
  SessionOptions options;
  options.threads = 1; // and room for kContext rows, of which a step uses one
  Session session(Model::open(file.path()), options);
  std::vector<float> logits(kVocabulary);
  session.decode(0, element, logits.data());
}

class Instrumented : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Elements 0 to last may be touched; the next one is reported.
  void reportsPast(int32_t last, const std::string &access,
                   const std::string &kind) {
    FakeArtifact planted = artefact(access);
    touch(planted, 0);
    touch(planted, last);
    if (kAddressSanitizer) {
      EXPECT_DEATH(touch(planted, last + 1),
                   "ERROR: AddressSanitizer(.|\n)*" + kind);
    }
  }
};

TEST_F(Instrumented, storeOneElementPastAPool) {
  reportsPast(kContext - 1, kStoreToPool, "WRITE of size 4");
}

TEST_F(Instrumented, storeOneElementPastTheWorkspaceOfAStep) {
  reportsPast(kRowElements - 1, kStoreToWorkspace, "WRITE of size 4");
}

TEST_F(Instrumented, loadOneElementPastTheWeights) {
  reportsPast(1, kLoadFromWeights, "READ of size 4");
}

TEST_F(Instrumented, codeLoadsOnlyWhereItsChecksAreKnown) {
  FakeArtifact checked;
  checked.metadata["target"]["sanitizer"] = "address";
  TemporaryFile file(checked.bytes());
  if (kAddressSanitizer) {
    EXPECT_NO_THROW(Model::open(file.path()));
    return;
  }
  try {
    Model::open(file.path());
    FAIL() << "it was opened";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::unsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("AddressSanitizer"));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

} // namespace
} // namespace cheems::test
