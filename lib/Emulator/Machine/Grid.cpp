//===- Grid.cpp - A launch in progress -----------------------------------===//
#include "cheems/Emulator/Lanes/HostRounding.h"
#include "cheems/Emulator/Machine/Launch.h"

#include "Interleaving.h"
#include "SideBySide.h"

#include <algorithm>
#include <thread>

using namespace cheems::emulator;

struct Grid::Implementation {
  Implementation(Device &device, Launch given)
      : launch(std::move(given)), program(launch.kernel->program),
        context{device, launch, *program, device.grids++} {
    for (int kind = 0; kind < observerKinds; ++kind) {
      ObserverFactory factory = observerFactory(kind);
      observers.push_back(factory ? factory(device, launch) : nullptr);
    }
    context.waitsForPrimary = launch.programmatic && program->waitsForPrimary;
    if (program->communicates || context.waitsForPrimary) {
      interleaving = std::make_unique<Interleaving>(context, observers);
    }
  }

  State run() {
    if (interleaving) {
      if (interleaving->run() == State::waitsForPrimary) {
        return State::waitsForPrimary;
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
  GridContext context;
  Resident::Observers observers;
  std::unique_ptr<Interleaving> interleaving;
};

Grid::Grid(Device &device, Launch launch)
    : implementation(
          std::make_unique<Implementation>(device, std::move(launch))) {}

Grid::~Grid() = default;

Grid::State Grid::run() {
  // A program may have set its threads to flush subnormal numbers, or to round
  // in another way. The grid's own threads take the mode from this one.
  lanes::HostRounding scope(lanes::Rounding::nearestEven);
  return implementation->run();
}

void Grid::primaryFinished() {
  implementation->context.waitsForPrimary = false;
  ++implementation->context.primaryFinished;
}
