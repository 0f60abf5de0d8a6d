//===- Handles.h - From handles to objects ----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_HANDLES_H
#define CHEEMS_EMULATOR_DRIVER_HANDLES_H

#include "Failure.h"

#include <cstdint>
#include <map>
#include <memory>

namespace cheems::emulator::driver {

/// A number that no handle of the process had before, of whatever type.
uintptr_t newHandle();

/// Handles are numbers that are never used again. So a stale handle, one of
/// another type, or any other pointer is an error and not an access to memory.
template <typename Handle, typename T> class Handles {
public:
  Handle add(std::shared_ptr<T> object) {
    uintptr_t number = newHandle();
    objects.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }
  /// Gives a handle that was removed another object.
  void put(Handle handle, std::shared_ptr<T> object) {
    objects[reinterpret_cast<uintptr_t>(handle)] = std::move(object);
  }
  /// Null if there is none.
  std::shared_ptr<T> find(Handle handle) const {
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> get(Handle handle,
                         CUresult otherwise = CUDA_ERROR_INVALID_HANDLE) const {
    auto object = find(handle);
    require(object, otherwise);
    return object;
  }
  void remove(Handle handle) {
    objects.erase(reinterpret_cast<uintptr_t>(handle));
  }
  template <typename Predicate> void removeIf(Predicate holds) {
    std::erase_if(objects,
                  [&](const auto &entry) { return holds(*entry.second); });
  }
  /// They come in the order in which they were made.
  const std::map<uintptr_t, std::shared_ptr<T>> &all() const { return objects; }

private:
  std::map<uintptr_t, std::shared_ptr<T>> objects;
};

} // namespace cheems::emulator::driver

#endif
