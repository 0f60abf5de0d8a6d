// What ptxas prints of the kernels that it assembles (ptxas -v).
#include "AssemblerReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

namespace cheems::cuda {
namespace {

int64_t number(llvm::StringRef text) {
  int64_t value = 0;
  (void)text.getAsInteger(10, value);
  return value;
}

/// "@product spills registers (120 bytes stored, 96 loaded a thread; 255
/// registers)"; empty where nothing is wrong.
std::string faultOf(const KernelResources &kernel) {
  std::string text = "@" + kernel.kernel;
  if (kernel.spillStores != 0 || kernel.spillLoads != 0) {
    return text + " spills registers (" + std::to_string(kernel.spillStores) +
           " bytes stored and " + std::to_string(kernel.spillLoads) +
           " loaded a thread, with " + std::to_string(kernel.registers) +
           " registers)";
  }
  if (kernel.stack != 0) {
    return text + " has " + std::to_string(kernel.stack) +
           " bytes of local memory a thread";
  }
  return "";
}

/// All kernels of the report, and the warnings that are faults.
std::vector<KernelResources> read(llvm::StringRef report,
                                  std::vector<std::string> &faults) {
  static const llvm::Regex entry("Compiling entry function '([^']+)'");
  static const llvm::Regex memory("([0-9]+) bytes stack frame, ([0-9]+) bytes "
                                  "spill stores, ([0-9]+) bytes spill loads");
  static const llvm::Regex registers("Used ([0-9]+) registers");
  static const llvm::Regex warning(R"(\((C75[0-9][0-9])\) *(.*))");
  std::vector<KernelResources> kernels;
  llvm::SmallVector<llvm::StringRef> lines, parts;
  report.split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    if (entry.match(line, &parts)) {
      kernels.emplace_back().kernel = parts[1].str();
    } else if (warning.match(line, &parts)) {
      faults.push_back(parts[1].str() + ": " + parts[2].str());
    } else if (kernels.empty()) {
      continue; // of the whole file
    } else if (memory.match(line, &parts)) {
      // Also of functions that the kernel calls.
      kernels.back().stack += number(parts[1]);
      kernels.back().spillStores += number(parts[2]);
      kernels.back().spillLoads += number(parts[3]);
    } else if (registers.match(line, &parts)) {
      kernels.back().registers = number(parts[1]);
    }
  }
  return kernels;
}

} // namespace

std::vector<KernelResources> readReport(llvm::StringRef report,
                                        std::vector<std::string> &faults) {
  std::vector<KernelResources> kernels = read(report, faults);
  for (const KernelResources &kernel : kernels) {
    std::string fault = faultOf(kernel);
    if (!fault.empty()) {
      faults.push_back(fault);
    }
  }
  return kernels;
}

std::vector<std::string> kernelsThatSpill(llvm::StringRef report) {
  std::vector<std::string> names, faults;
  for (const KernelResources &kernel : read(report, faults)) {
    if (kernel.spillStores != 0 || kernel.spillLoads != 0) {
      names.push_back(kernel.kernel);
    }
  }
  return names;
}

int64_t spilledBytes(llvm::StringRef report) {
  std::vector<std::string> faults;
  int64_t bytes = 0;
  for (const KernelResources &kernel : read(report, faults)) {
    bytes += kernel.spillStores + kernel.spillLoads;
  }
  return bytes;
}

std::string reasonOf(llvm::StringRef report) {
  llvm::SmallVector<llvm::StringRef> lines;
  report.split(lines, '\n', -1, false);
  for (llvm::StringRef line : lines) {
    if (line.contains("error") || line.contains("fatal")) {
      return line.trim().str();
    }
  }
  return lines.empty() ? "it says nothing" : lines.front().trim().str();
}

} // namespace cheems::cuda
