#include "Options.h"
#include "tools/Support/CommandLine.h"

namespace cheems::translate {

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(
      "Translates the kernels of an MLIR module, which "
      "cheems-tile-to-nvvm has lowered, to code for a GPU, or its plan of "
      "launches to the text that the runtime reads.\nExamples:\n"
      "  cheems-opt kernels.mlir --cheems-tile-to-nvvm | "
      "cheems-translate --to-ptx\n"
      "  cheems-opt launches.mlir --cheems-cuda-to-plan | "
      "cheems-translate --to-plan",
      "cheems-translate");
  prepare(app, 30);
  Options options;
  app.add_option("FILE", options.input,
                 "module as text or bytecode; - (the default) is standard "
                 "input");
  app.add_option("-o,--output", options.output,
                 "file to write; - (the default) is standard output");
  bool llvm = false, ptx = false, cubin = false, plan = false;
  auto *forms = app.add_option_group("Form");
  forms->add_flag("--to-ptx", ptx, "PTX text");
  forms->add_flag("--to-cubin", cubin,
                  "machine code, by ptxas: CHEEMS_PTXAS, or the one of PATH, "
                  "of CUDA's toolkit, of PyPI's nvidia-cuda-nvcc");
  forms->add_flag("--to-llvm", llvm, "LLVM IR, as it becomes PTX");
  forms->add_flag("--to-plan", plan,
                  "the plan of a module at the stage plan, as JSON in lines");
  forms->require_option(1);
  app.add_option("--cuda-arch", options.architecture,
                 "GPU that the code is for: sm_80 and later, or sm_90a (the "
                 "default)")
      ->type_name("NAME");
  app.add_flag("--resources", options.resources,
               "print registers and memory of each kernel to standard error; "
               "with --to-cubin");
  if (!parse(app, argc, argv)) {
    return std::nullopt;
  }
  options.form = llvm    ? Form::LLVM
                 : cubin ? Form::Cubin
                 : plan  ? Form::Plan
                         : Form::PTX;
  if (options.resources && !cubin) {
    throw usage("--resources are those of machine code: add --to-cubin");
  }
  return options;
}

} // namespace cheems::translate
