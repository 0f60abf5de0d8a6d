// What is printed: tables in Markdown, or JSON.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_REPORT_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_REPORT_H

#include "Limits.h"
#include "Load.h"
#include "OperationTest.h"
#include "Tests.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cheems::bench {

struct Row {
  std::shared_ptr<const ModelFacts> model;
  Timing timing;
  std::optional<OperationFacts> operation; ///< else a model was timed
};

struct Report {
  std::vector<Row> rows;
  std::map<int, Limits>
      limits; ///< by threads; of every row's on the CPU, or none

  /// Those of the row's threads; null: not measured.
  const Limits *limitsOf(const Row &row) const;

  /// The rows, then what was measured once.
  std::string markdown() const;
  /// A list of rows; each tells all there is to know about it.
  std::string json() const;
};

} // namespace cheems::bench

#endif
