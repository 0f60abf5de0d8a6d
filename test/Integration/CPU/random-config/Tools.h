// The tools beside the test binary, run as a user runs them.
#ifndef CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_TOOLS_H
#define CHEEMS_TEST_INTEGRATION_CPU_RANDOMCONFIG_TOOLS_H

#include "cheems/Reference/Tensor.h"
#include "llvm/Support/Error.h"
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace cheems::test {

/// Returns the folder of this binary and the tools.
std::filesystem::path toolFolder();

/// Runs a tool of toolFolder() and waits for it. Empty when it exits with 0;
/// otherwise the command, how it ended and what it wrote to standard error.
/// `scratch` is a folder for that text, and for stdout.txt.
std::string runTool(const std::string &tool,
                    const std::vector<std::string> &arguments,
                    const std::filesystem::path &scratch);

/// The variant of the code that cheems-run takes from an artefact here.
llvm::Expected<std::string> variantOf(const std::string &artefact,
                                      const std::filesystem::path &scratch);

/// What an artefact's matrices of MLPs and of outputs of sequence parts are:
/// "exact", or bits and numbers that share a scale, as "4/64", or "8" where
/// those are whole rows.
llvm::Expected<std::set<std::string>>
matmulFormatsOf(const std::string &artefact,
                const std::filesystem::path &scratch);

/// A safetensors file with `input_ids` [rows, length] as int64; rows are
/// equally long. Throws std::runtime_error.
void writeIds(const std::filesystem::path &path,
              const std::vector<std::vector<int64_t>> &rows);

/// `logits` of a file that cheems-run wrote; an error when there is no such
/// file or tensor.
llvm::Expected<reference::Tensor> readLogits(const std::filesystem::path &path);

/// Keys and values [T, G, P] of every attention layer in turn, bf16, that an
/// artefact stored of a sequence of T `ids` fed in steps of `chunk` rows. An
/// error where it did not store all of them.
llvm::Expected<std::vector<reference::Tensor>>
storedEntries(const std::string &artefact, const std::vector<int64_t> &ids,
              int64_t chunk, int64_t threads,
              const std::filesystem::path &scratch);

} // namespace cheems::test

#endif
