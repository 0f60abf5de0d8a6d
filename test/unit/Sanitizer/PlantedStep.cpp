// The whole way from MLIR to an artefact's bytes.
#include "PlantedStep.h"
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CPU/CodeGenerator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include <stdexcept>

namespace cheems::test {

/// A step whose one token is the element that `access` touches: of the pool of
/// kContext, of the kRowElements that a row has in the workspace, or of the two
/// weights.
static std::string stepText(const std::string &access) {
  return R"(
func.func @step(%tokens: memref<?xi32> {cheems.field = #cheems.step_field<tokens>},
                %logits: memref<?x64xf32> {cheems.field = #cheems.step_field<logits>},
                %weights: memref<?xi8> {cheems.field = #cheems.step_field<parameters>},
                %pool: memref<?x?xi32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64})
    attributes {cheems.entry = "cheems_step_any"} {
  %c0 = arith.constant 0 : index
  %token = memref.load %tokens[%c0] : memref<?xi32>
  %i = arith.index_cast %token : i32 to index
  %n = memref.dim %tokens, %c0 : memref<?xi32>
  %scratch = memref.alloc(%n) : memref<?x16xi32>
  %w = memref.view %weights[%c0][] : memref<?xi8> to memref<2xf32>
)" + access +
         "  return\n}\n";
}

template <typename T> static T orThrow(llvm::Expected<T> value) {
  if (!value) {
    throw std::runtime_error(llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

FakeArtifact plantedStep(const std::string &access, bool raceChecks) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(stepText(access), &context);
  TargetInfo target = orThrow(TargetInfo::find("portable"));
  target.threadSanitizer = raceChecks;
  target.addressSanitizer &= !raceChecks;
  mlir::PassManager before(&context), after(&context);
  buildPipeline(before, target.describe(false), CPUStage::Tiled,
                CPUStage::Planned);
  buildPipeline(after, target.describe(false), CPUStage::Planned);
  if (!module || mlir::failed(before.run(*module))) {
    throw std::runtime_error("the step does not bufferise");
  }
  auto needs =
      (*module->getOps<mlir::func::FuncOp>().begin())
          ->getAttrOfType<mlir::DenseI64ArrayAttr>("cheems_cpu.workspace");
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
  nlohmann::json &image = metadata["images"][0];
  image["variants"][0]["decode"] = image["variants"][0]["general"];
  image["variants"][0]["workspace"] = {{"general", workspace},
                                       {"decode", workspace}};
  if (target.addressSanitizer) {
    image["sanitizer"] = "address";
  }
  if (target.threadSanitizer) {
    image["sanitizer"] = "thread";
  }
  return result;
}

} // namespace cheems::test
