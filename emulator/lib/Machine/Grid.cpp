//===- Grid.cpp - A launch in progress -----------------------------------===//
#include "Arithmetic/HostRounding.h"
#include "Launch.h"

#include "Interleaving.h"
#include "SideBySide.h"
#include "WriteLog.h"

#include <algorithm>
#include <cstdio>
#include <thread>

using namespace cheems::emulator;

struct Grid::Implementation {
  Implementation(Device &device, Launch given)
      : launch(std::move(given)), program(launch.kernel->program),
        warnings(device.options.isStrict),
        context{device, launch, *program, warnings, device.grids++} {
    for (int kind = 0; kind < observerKinds; ++kind) {
      ObserverFactory factory = observerFactory(kind);
      observers.push_back(factory ? factory(device, launch) : nullptr);
    }
    context.waitsForPrimary = launch.programmatic && program->waitsForPrimary;
    if (launch.pausesAtRelease && !program->communicates) {
      auto made = std::make_unique<WriteLog>(device.memory);
      log = made.get();
      observers.push_back(std::move(made));
    }
    if (launch.isInterleaved()) {
      interleaving = std::make_unique<Interleaving>(context, observers);
    }
  }

  State run() {
    if (interleaving) {
      const State state = interleaving->run();
      if (state == State::released && log) {
        log->close();
      }
      if (state != State::finished) {
        return state;
      }
      end(interleaving->executions());
      return State::finished;
    }
    uint64_t threads = context.device.options.threads;
    if (!threads) {
      threads = std::max(std::thread::hardware_concurrency(), 1u);
    }
    SideBySide sideBySide(context, observers);
    end(sideBySide.run(
        static_cast<int>(std::min(threads, clusterCount(launch)))));
    return State::finished;
  }

  /// `executions`: how often segments began and ended.
  void end(const std::vector<int64_t> &executions) {
    std::vector<uint64_t> counts(program->instructions.size());
    int64_t count = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      count += executions[i];
      counts[i] = static_cast<uint64_t>(count);
    }
    for (auto &observer : observers) {
      if (observer) {
        observer->endGrid(counts);
      }
    }
  }

  const Launch launch;
  const std::shared_ptr<const Program> program;
  Warnings warnings;
  GridContext context;
  Resident::Observers observers;
  WriteLog *log = nullptr; ///< one of the observers
  std::unique_ptr<Interleaving> interleaving;
};

bool Launch::isInterleaved() const {
  const Program &program = *kernel->program;
  return program.communicates || pausesAtRelease ||
         (programmatic && program.waitsForPrimary);
}

Grid::Grid(Device &device, Launch launch)
    : implementation(
          std::make_unique<Implementation>(device, std::move(launch))) {}

Grid::~Grid() = default;

namespace {
/// Also when a finding ends the grid: what it printed, or was warned of, is
/// why, often.
struct Told {
  std::string &text;
  Warnings &warnings;
  std::vector<Finding> &into;

  ~Told() {
    for (Finding &warning : warnings.take()) {
      into.push_back(std::move(warning));
    }
    if (!text.empty()) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
      text.clear();
    }
  }
};
} // namespace

Grid::State Grid::run() {
  Device &device = implementation->context.device;
  Told told{device.printed, implementation->warnings, device.warnings};
  // A program may have set its threads to flush subnormal numbers, or to round
  // in another way. The grid's own threads take the mode from this one.
  lanes::HostRounding scope(lanes::Rounding::nearestEven);
  return implementation->run();
}

void Grid::hideWrites() {
  if (WriteLog *log = implementation->log) {
    log->hide();
  }
}

void Grid::showWrites() {
  if (WriteLog *log = implementation->log) {
    log->show();
  }
}

void Grid::primaryFinished() {
  implementation->context.waitsForPrimary = false;
  ++implementation->context.primaryFinished;
}
