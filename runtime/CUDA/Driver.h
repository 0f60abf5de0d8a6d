// CUDA's driver, opened when it is first needed: nothing of CUDA is linked, and
// a machine without it runs everything else.
#ifndef CHEEMS_RUNTIME_CUDA_DRIVER_H
#define CHEEMS_RUNTIME_CUDA_DRIVER_H

#include "runtime/CUDA/Types.h"
#include "runtime/Error.h"
#include <string>

namespace cheems::cuda {

/// Whether a context after this failure refuses every call, whoever asks.
bool losesContext(CUresult code);

/// A call of the driver failed, and `code` says how.
struct DriverError : Error {
  CUresult code;
  DriverError(CUresult code, const std::string &message)
      : Error(message), code(code) {}
  bool lostContext() const { return losesContext(code); }
};

/// A function of the driver. A call throws DriverError "cuX failed: NAME: text"
/// where the driver refuses it.
template <typename... Parameters> class Entry {
public:
  using Function = CUresult (*)(Parameters...);
  explicit Entry(const char *name) : name(name) {}

  void operator()(Parameters... parameters) const;
  /// The same for destructors, and for those that tell failures apart. A
  /// driver's types have other names, which a sanitizer takes for other
  /// functions.
  __attribute__((no_sanitize("function"))) CUresult
  result(Parameters... parameters) const noexcept {
    return function(parameters...);
  }

private:
  friend class Driver;
  const char *name;
  Function function = nullptr;
};

template <typename Function> struct EntryOf;
template <typename... Parameters> struct EntryOf<CUresult(Parameters...)> {
  using Type = Entry<Parameters...>;
};

class Driver {
public:
  /// The driver of the process: the library that CHEEMS_CUDA_DRIVER names, else
  /// libcuda.so.1. Opened once and never closed, for it may have threads of its
  /// own; a try that failed may be made again. Throws Error (unsupported) where
  /// there is none, where it is too old or where it finds no GPU; (usage) in
  /// the child of a fork, where no driver works.
  static const Driver &get();

  /// 12020: CUDA 12.2.
  int version() const { return cudaVersion; }
  /// "CUDA_ERROR_NAME: text" of a failure.
  std::string describe(CUresult code) const;

  /// What only some libraries have besides the driver API; null: not this one.
  void *extension(const char *symbol) const;

  // Those that need a context want it current in the calling thread:
  // Context::Current.
#define ENTRY(name, symbol, parameters)                                        \
  EntryOf<CUresult parameters>::Type name{#name};
#include "runtime/CUDA/Entries.def"

private:
  Driver() = default;
  void open();
  void resolve(void *library, const std::string &path);

  using TextOf = CUresult (*)(CUresult code, const char **text);
  TextOf nameOf = nullptr, textOf = nullptr;
  int cudaVersion = 0;
  void *handle = nullptr;
};

/// Throws what a failed call of `name` means.
[[noreturn]] void throwFailure(CUresult code, const char *name);

template <typename... Parameters>
void Entry<Parameters...>::operator()(Parameters... parameters) const {
  if (CUresult code = result(parameters...); code != CUDA_SUCCESS) {
    throwFailure(code, name);
  }
}

} // namespace cheems::cuda

#endif
