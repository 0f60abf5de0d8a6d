// What cannot become code is refused, with its place.
#include "cheems/Target/CPU/CodeGenerator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

namespace cheems {
namespace {

TEST(CodeGenerator, aCallOfALibraryNamesTheFunctionThatNeedsIt) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic ignored;
  auto module = llvm::parseAssemblyString(R"(
    define float @before(float %x) {
      ret float %x
    }
    define internal float @layer_ssd(float %x, float %y) noinline {
      %r = frem float %x, %y
      ret float %r
    }
    define float @after(float %x) {
      %r = call float @layer_ssd(float %x, float 2.0)
      ret float %r
    })",
                                          ignored, context);
  ASSERT_TRUE(module);
  TargetInfo target = llvm::cantFail(TargetInfo::find("portable"));
  auto object = generateObject(*module, target);
  ASSERT_FALSE(bool(object));
  EXPECT_EQ(llvm::toString(object.takeError()),
            "internal error: the compiled code would call fmodf in layer_ssd");
}

TEST(CodeGenerator, whatDoesNotTranslateNamesItsPlace) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::LLVM::LLVMDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    llvm.func @layer(%x: f32) -> f32 {
      %0 = builtin.unrealized_conversion_cast %x : f32 to i32 loc("ssd.c_proj")
      %1 = builtin.unrealized_conversion_cast %0 : i32 to f32
      llvm.return %1 : f32
    })",
                                                        &context);
  ASSERT_TRUE(module);
  TargetInfo target = llvm::cantFail(TargetInfo::find("portable"));
  llvm::LLVMContext llvmContext;
  auto code = generateLLVM(*module, target, llvmContext);
  ASSERT_FALSE(bool(code));
  std::string message = llvm::toString(code.takeError());
  EXPECT_EQ(message.find("internal error: the module does not translate to "
                         "LLVM IR: "),
            0u)
      << message;
  EXPECT_NE(message.find(" in ssd.c_proj"), std::string::npos) << message;
}

} // namespace
} // namespace cheems
