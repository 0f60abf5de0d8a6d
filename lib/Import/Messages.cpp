// How the importer words its errors.
#include "lib/Import/Messages.h"
#include "cheems/Import/Error.h"
#include "llvm/ADT/StringExtras.h"

namespace cheems {

char UnsupportedError::ID = 0;

llvm::Error failed(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Error unsupported(const llvm::Twine &message) {
  return llvm::make_error<UnsupportedError>(message.str());
}

std::string quoted(llvm::StringRef text) {
  constexpr size_t longest = 160;
  std::string result = "'";
  for (char c : text.take_front(longest)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += "\\x";
      result += llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
    } else {
      result += c;
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size() && result.size() < 160; ++i) {
    result += (i ? ", " : "") + std::to_string(shape[i]);
  }
  return result + "]";
}

} // namespace cheems
