// Typed access to a JSON object that remembers the first mistake, so that
// reading stays a list of fields.
#ifndef CHEEMS_LIB_IMPORT_CONFIGREADER_H
#define CHEEMS_LIB_IMPORT_CONFIGREADER_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace cheems {

class ConfigReader {
public:
  /// `prefix` precedes field names in messages ("rope_parameters.").
  ConfigReader(const llvm::json::Object &object, llvm::StringRef file,
               llvm::StringRef prefix = "")
      : object(object), file(file), prefix(prefix) {}
  ~ConfigReader() { llvm::consumeError(std::move(first)); }
  ConfigReader(const ConfigReader &) = delete;
  ConfigReader &operator=(const ConfigReader &) = delete;

  bool has(llvm::StringRef name) const { return object.get(name); }
  /// The field unless it is absent or null.
  const llvm::json::Value *get(llvm::StringRef name) const;

  // Absent where the field is absent or null, or at fault.
  std::optional<int64_t> integer(llvm::StringRef name, int64_t low,
                                 int64_t high);
  std::optional<double> number(llvm::StringRef name);
  std::optional<bool> boolean(llvm::StringRef name);
  std::optional<llvm::StringRef> string(llvm::StringRef name);
  const llvm::json::Object *child(llvm::StringRef name);

  /// FILE: FIELD MESSAGE, exit code 1.
  void fail(llvm::StringRef name, const llvm::Twine &message);
  /// The same with exit code 3.
  void refuse(llvm::StringRef name, const llvm::Twine &message);
  /// Keeps `error` if it is the first.
  void record(llvm::Error error);
  llvm::Error take() { return std::move(first); }

private:
  const llvm::json::Object &object;
  std::string file, prefix;
  llvm::Error first = llvm::Error::success();
};

/// A value as it goes into a message: short and on one line.
std::string valueText(const llvm::json::Value &value);

} // namespace cheems

#endif
