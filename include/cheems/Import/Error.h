// The error that means "sound, but not something this compiler handles".
#ifndef CHEEMS_IMPORT_ERROR_H
#define CHEEMS_IMPORT_ERROR_H

#include "llvm/Support/Error.h"
#include <string>

namespace cheems {

/// The model cannot be handled although its files are sound (exit code 3).
class UnsupportedError : public llvm::ErrorInfo<UnsupportedError> {
public:
  static char ID;
  explicit UnsupportedError(std::string message)
      : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string message;
};

} // namespace cheems

#endif
