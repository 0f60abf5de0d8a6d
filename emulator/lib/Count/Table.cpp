//===- Table.cpp - Counts as tables --------------------------------------===//
#include "Names.h"
#include "Report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

using namespace cheems::emulator;

namespace {

using Row = std::vector<std::string>;

template <typename T> std::string sum(const std::array<T, pipes> &values) {
  return std::to_string(
      std::llround(std::accumulate(values.begin(), values.end(), 0.0)));
}

Row rowOf(const KernelCounts &counts) {
  char occupancy[16];
  std::snprintf(occupancy, sizeof(occupancy), "%.0f %%",
                100 * counts.occupancy);
  return {counts.kernel,
          std::to_string(counts.launches),
          std::to_string(counts.blocks),
          std::to_string(counts.threads),
          std::to_string(counts.registers),
          std::to_string(counts.sharedBytes),
          occupancy,
          std::to_string(counts.barriers),
          std::to_string(counts.sharedWavefronts),
          std::to_string(counts.bankConflicts()),
          std::to_string(counts.globalRequests),
          std::to_string(counts.globalSectors),
          std::to_string(counts.dramReadSectors),
          std::to_string(counts.dramWriteSectors),
          std::to_string(counts.compulsoryBytes)};
}

/// Columns as wide as their widest cell; numbers end where their titles end.
std::string align(const std::vector<Row> &rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Row &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      text += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string memoryTable(const StepCounts &step) {
  std::vector<Row> rows = {
      {"kernel", "launches", "blocks", "threads", "registers", "shared bytes",
       "occupancy", "barriers", "wavefronts", "conflicts", "requests",
       "sectors", "DRAM reads", "DRAM writes", "compulsory bytes"}};
  for (const KernelCounts &counts : step.kernels) {
    rows.push_back(rowOf(counts));
  }
  return align(rows);
}

/// A column for each pipe that something runs on.
template <typename T>
std::string pipeTable(const StepCounts &step, const char *title,
                      std::array<T, pipes> KernelCounts::*values) {
  std::vector<int> used;
  for (int pipe = 0; pipe < pipes; ++pipe) {
    if (std::any_of(step.kernels.begin(), step.kernels.end(),
                    [&](const KernelCounts &counts) {
                      return (counts.*values)[pipe] != T();
                    })) {
      used.push_back(pipe);
    }
  }
  std::vector<Row> rows = {{title}};
  for (int pipe : used) {
    rows[0].emplace_back(pipeNames[pipe]);
  }
  rows[0].emplace_back("sum");
  for (const KernelCounts &counts : step.kernels) {
    Row &row = rows.emplace_back(Row{counts.kernel});
    for (int pipe : used) {
      row.push_back(std::to_string(
          std::llround(static_cast<double>((counts.*values)[pipe]))));
    }
    row.push_back(sum(counts.*values));
  }
  return align(rows);
}

} // namespace

std::string
cheems::emulator::countsAsTable(const CountedGPU &gpu,
                                const std::vector<StepCounts> &steps) {
  std::string text = "sm_" + std::to_string(gpu.architecture) + ", " +
                     std::to_string(gpu.multiprocessors) + " multiprocessors\n";
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepCounts &step = steps[i];
    if (steps.size() > 1) {
      text += "\nstep " + std::to_string(i) + "\n";
    }
    if (!step.kernels.empty()) {
      text += "\n" + memoryTable(step);
      text += "\n" +
              pipeTable(step, "warp instructions", &KernelCounts::instructions);
      text += "\n" + pipeTable(step, "cycles of a pipe", &KernelCounts::cycles);
    }
    for (size_t d = 0; d < directionNames.size(); ++d) {
      const CopyCounts &copies = step.copies[d];
      if (copies.copies) {
        text += "copies " + std::string(directionNames[d]) + ": " +
                std::to_string(copies.copies) + ", " +
                std::to_string(copies.bytes) + " bytes\n";
      }
    }
  }
  return text;
}
