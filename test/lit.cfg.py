# The lit suite: *.mlir and *.test files with RUN lines. Each of our tools that is built is a feature of its name.
import os

import lit.formats

config.name = "Cheems"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "fuzz", "golden", "package", "compiled"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cheems_build, "test")

# RUN lines name tools plainly: ours from this build, FileCheck and its like from LLVM 22
config.environment["PATH"] = os.pathsep.join([config.cheems_bin, config.llvm_bin, os.environ.get("PATH", "")])
for tool in ["cheems-opt", "cheems-compile", "cheems-run", "cheems-bench", "cheems-cache", "cheems-perplexity", "cheems-lsp-server", "cheems-translate", "cheems-ptx-run"]:
    if os.access(os.path.join(config.cheems_bin, tool), os.X_OK):
        config.available_features.add(tool)
if not os.path.exists("/usr/local/cuda/bin/ptxas"):  # a place that no variable hides
    config.available_features.add("no-toolkit")
if "CHEEMS_TEST_LONG" in os.environ:  # what takes long, or watches pages of docs alone
    config.available_features.add("long")
if config.cheems_sanitize:  # code is instrumented, tools are large
    config.available_features.add("sanitizer")
for tool in ["FileCheck", "clang", "not", "count", "split-file", "mlir-opt", "llvm-nm"]:
    if not os.access(os.path.join(config.llvm_bin, tool), os.X_OK):
        lit_config.fatal(f"{tool} is missing from {config.llvm_bin}: run scripts/setup.sh tests")

config.substitutions.append(("%bin", config.cheems_bin))
# one kind of code, for tests of tools; instrumented, this machine's best takes several times as long to compile as the plainest
config.substitutions.append(("%cpu", "x86-64-v3" if config.cheems_sanitize else "native"))
software_gpu = os.path.join(config.cheems_lib, "libcheems-cuda-emulator.so")
if os.access(software_gpu, os.R_OK):
    config.available_features.add("software-gpu")
config.substitutions.append(("%software-gpu", software_gpu))
config.substitutions.append(("%models", os.path.join(config.cheems_source, "models")))
config.substitutions.append(("%golden", os.path.join(config.test_source_root, "golden")))
# the software GPU takes no machine code, and ptxas is slow: tests of ptxas name one
config.environment["CHEEMS_PTXAS"] = "none"
# what the software GPU only warns of in other people's kernels is an error in ours
config.environment["CHEEMS_EMULATOR_STRICT"] = "1"
# a model folder given to cheems-run compiles into the build, never into the user's cache
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
