// Names of parts in locations.
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

SmallVector<StringRef> cheems::partsOf(ArrayRef<Location> locations) {
  SetVector<StringRef> names;
  for (Location location : locations) {
    location->walk([&](Location part) {
      if (auto name = dyn_cast<NameLoc>(part)) {
        names.insert(name.getName().getValue());
      }
      return WalkResult::advance();
    });
  }
  SmallVector<StringRef> parts(names.begin(), names.end());
  llvm::erase_if(parts, [&](StringRef part) {
    return llvm::any_of(names, [&](StringRef other) {
      return other.consume_front(part) && other.starts_with(".");
    });
  });
  return parts;
}

std::string cheems::describeParts(ArrayRef<Location> locations) {
  std::string text;
  StringRef within; // the part before is in it
  for (StringRef part : partsOf(locations)) {
    size_t last = part.rfind('.');
    StringRef parent =
        last == StringRef::npos ? StringRef() : part.take_front(last);
    bool beside = !parent.empty() && parent == within;
    text += text.empty() ? "" : ", ";
    text += beside ? part.drop_front(last + 1) : part;
    within = parent;
  }
  return text;
}

std::string cheems::placeOf(Location location) {
  std::string text = describeParts(location);
  if (text.empty()) {
    location->walk([&](Location part) {
      if (auto file = dyn_cast<FileLineColLoc>(part)) {
        text = file.getFilename().str() + ":" + std::to_string(file.getLine());
      }
      return text.empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
  }
  return text;
}
