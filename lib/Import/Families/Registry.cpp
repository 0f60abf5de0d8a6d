// Which family a folder is of.
#include "lib/Import/Families/Family.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace cheems {
namespace {

/// Models that are asked for, and why no family has them.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> foreign[] = {
    {"jamba", "its states decay by a matrix, so they have no dual form"},
    {"mamba", "its states decay by a matrix, so they have no dual form"},
    {"falcon_mamba", "its states decay by a matrix, so they have no dual form"},
    {"zamba2", "its blocks are shared and change with each use"}};

std::string supportedTypes() {
  std::vector<std::string> types;
  for (const Family *family : families()) {
    if (!family->isBuilt) {
      continue;
    }
    for (const ModelKind &kind : family->kinds) {
      std::string type = quoted(kind.modelType);
      if (!llvm::is_contained(types, type)) {
        types.push_back(std::move(type));
      }
    }
  }
  std::string last = std::move(types.back());
  types.pop_back();
  return llvm::join(types, ", ") + " and " + last;
}

/// The first kind that `is` says yes to.
template <typename Is> std::optional<FoundFamily> findKind(Is is) {
  for (const Family *family : families()) {
    for (const ModelKind &kind : family->kinds) {
      if (is(kind)) {
        return FoundFamily{family, &kind};
      }
    }
  }
  return std::nullopt;
}

} // namespace

llvm::ArrayRef<const Family *> families() {
  static const Family *const all[] = {&dogeFamily(), &cheemsFamily(),
                                      &llamaFamily()};
  return all;
}

std::vector<ConfigField> fieldsOf(const Family &family) {
  std::vector<ConfigField> fields;
  for (llvm::ArrayRef<ConfigField> table : family.fields) {
    llvm::append_range(fields, table);
  }
  llvm::append_range(fields, commonFields());
  return fields;
}

llvm::Expected<FoundFamily> findFamily(const llvm::json::Object &config,
                                       llvm::StringRef file,
                                       const WeightFiles *weights) {
  ConfigReader reader(config, file);
  std::optional<llvm::StringRef> type = reader.string("model_type");
  if (llvm::Error error = reader.take()) {
    return std::move(error);
  }
  std::optional<FoundFamily> found;
  if (type) {
    found = findKind(
        [&](const ModelKind &kind) { return kind.modelType == *type; });
    if (!found) {
      for (auto [name, why] : foreign) {
        if (name == *type) {
          return unsupported(file + ": model_type " + quoted(*type) +
                             " is not supported: " + why);
        }
      }
      return unsupported(file + ": model_type " + quoted(*type) +
                         " is not supported; " + supportedTypes() + " are");
    }
    return *found;
  }
  const llvm::json::Array *classes = config.getArray("architectures");
  if (classes && classes->size() == 1) {
    llvm::StringRef name = classes->front().getAsString().value_or("");
    found = findKind(
        [&](const ModelKind &kind) { return kind.architecture == name; });
    if (!found) {
      return unsupported(file + ": model_type is missing, and architectures " +
                         quoted(name) + " is of none of " + supportedTypes());
    }
  } else if (weights) {
    found = findKind([&](const ModelKind &kind) {
      return !kind.tensor.empty() && weights->tensors.contains(kind.tensor);
    });
  }
  if (!found) {
    return failed(file + ": model_type is missing; " + supportedTypes() +
                  " are supported");
  }
  return *found;
}

} // namespace cheems
