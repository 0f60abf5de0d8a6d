// The safetensors container: every claim of the header is checked before a view
// is handed out.
#include "cheems/Import/SafeTensors.h"
#include "lib/Import/InputFile.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

namespace cheems {
namespace {

constexpr uint64_t longestHeader = 100'000'000; // the format's own limit
constexpr size_t highestRank =
    64; // keeps messages and loops small; no writer comes near

std::optional<DType> parseType(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<DType>>(text)
      .Case("F32", DType::F32)
      .Case("BF16", DType::BF16)
      .Case("F16", DType::F16)
      .Case("F64", DType::F64)
      .Case("I64", DType::I64)
      .Case("I32", DType::I32)
      .Default(std::nullopt);
}

/// The array under `key` if it holds integers from 0 only.
std::optional<llvm::SmallVector<int64_t, 4>>
sizes(const llvm::json::Object &entry, llvm::StringRef key) {
  const llvm::json::Array *array = entry.getArray(key);
  if (!array || array->size() > highestRank) {
    return std::nullopt;
  }
  llvm::SmallVector<int64_t, 4> result;
  for (const llvm::json::Value &value : *array) {
    std::optional<int64_t> size = value.getAsInteger();
    if (!size || *size < 0) {
      return std::nullopt;
    }
    result.push_back(*size);
  }
  return result;
}

llvm::Expected<TensorView> parseEntry(llvm::StringRef name,
                                      const llvm::json::Value &value,
                                      llvm::ArrayRef<uint8_t> data,
                                      const llvm::Twine &where) {
  const llvm::json::Object *entry = value.getAsObject();
  if (!entry) {
    return failed(where + " is not described by an object");
  }
  std::optional<llvm::StringRef> typeText = entry->getString("dtype");
  if (!typeText) {
    return failed(where + " has no dtype");
  }
  std::optional<DType> type = parseType(*typeText);
  if (!type) {
    return unsupported(where + " has dtype " + quoted(*typeText) +
                       "; weights can be F32, BF16 or F16");
  }
  auto shape = sizes(*entry, "shape"), offsets = sizes(*entry, "data_offsets");
  if (!shape) {
    return failed(where + " has no shape with sizes of 0 or more");
  }
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1]) {
    return failed(where + " has no data_offsets [begin, end]");
  }
  uint64_t begin = (*offsets)[0], end = (*offsets)[1];
  if (end > data.size()) {
    return failed(where + " ends at byte " + llvm::Twine(end) +
                  " of the data, but the file holds " +
                  llvm::Twine(data.size()) + "; is it complete?");
  }
  int64_t expected = byteSize(*type);
  for (int64_t extent : *shape) {
    if (llvm::MulOverflow(expected, extent, expected)) {
      return failed(where + " has an impossible shape " + shapeText(*shape));
    }
  }
  if (static_cast<uint64_t>(expected) != end - begin) {
    return failed(where + " has " + llvm::Twine(end - begin) + " bytes, but " +
                  *typeText + " " + shapeText(*shape) + " needs " +
                  llvm::Twine(expected));
  }
  return TensorView{name.str(), *type, std::move(*shape),
                    data.slice(begin, end - begin)};
}

/// The tensors must cover the data exactly once, as the format demands: a
/// shifted offset shows here.
llvm::Error checkCoverage(llvm::ArrayRef<TensorView> views,
                          llvm::ArrayRef<uint8_t> data, llvm::StringRef file) {
  std::vector<const TensorView *> order;
  for (const TensorView &view : views) {
    order.push_back(&view);
  }
  llvm::sort(order, [](const TensorView *a, const TensorView *b) {
    return std::make_pair(a->bytes.begin(), a->bytes.end()) <
           std::make_pair(b->bytes.begin(), b->bytes.end());
  });
  const uint8_t *reached = data.begin();
  const TensorView *before = nullptr;
  for (const TensorView *view : order) {
    if (view->bytes.begin() < reached) {
      return failed(file + ": tensors " + quoted(before->name) + " and " +
                    quoted(view->name) + " overlap");
    }
    if (view->bytes.begin() > reached) {
      return failed(file + ": " + llvm::Twine(view->bytes.begin() - reached) +
                    " bytes before tensor " + quoted(view->name) +
                    " belong to no tensor");
    }
    reached = view->bytes.end();
    before = view;
  }
  if (reached != data.end()) {
    return failed(file + ": the last " + llvm::Twine(data.end() - reached) +
                  " bytes belong to no tensor");
  }
  return llvm::Error::success();
}

} // namespace

void TensorView::release() const {
  static const uint64_t page = sysconf(_SC_PAGESIZE);
  auto at = reinterpret_cast<uintptr_t>(bytes.begin());
  uint64_t begin = llvm::alignTo(at, page),
           end = llvm::alignDown(at + bytes.size(), page);
  if (mapped && begin < end) {
    const void *first = bytes.begin() + (begin - at);
    madvise(const_cast<void *>(first), end - begin, MADV_DONTNEED);
  }
}

llvm::Expected<SafeTensorsFile> SafeTensorsFile::open(llvm::StringRef path) {
  auto buffer = openInput(path, /*terminated=*/false);
  if (!buffer) {
    return buffer.takeError();
  }
  return parse(std::move(*buffer), path);
}

llvm::Expected<SafeTensorsFile>
SafeTensorsFile::parse(std::unique_ptr<llvm::MemoryBuffer> buffer,
                       llvm::StringRef name) {
  llvm::StringRef bytes = buffer->getBuffer();
  if (bytes.size() < 8) {
    return failed(name + ": not a safetensors file: only " +
                  llvm::Twine(bytes.size()) + " bytes long");
  }
  uint64_t length = llvm::support::endian::read64le(bytes.data());
  if (length > longestHeader || length > bytes.size() - 8) {
    if (bytes.ltrim().starts_with("<")) { // as the length, it is too large
      return failed(name + ": not a safetensors file: it begins as a web page; "
                           "download the file itself");
    }
    return failed(name +
                  ": not a complete safetensors file: its header claims " +
                  llvm::Twine(length) + " bytes of a file of " +
                  llvm::Twine(bytes.size()));
  }
  auto header =
      parseJsonObject(bytes.substr(8, length), (name + ": header").str());
  if (!header) {
    return header.takeError();
  }
  llvm::ArrayRef<uint8_t> data =
      llvm::arrayRefFromStringRef(bytes.drop_front(8 + length));

  SafeTensorsFile file;
  for (const auto &[key, value] : *header) {
    llvm::StringRef tensorName = key;
    if (tensorName == "__metadata__") {
      const llvm::json::Object *entries = value.getAsObject();
      if (!entries) {
        return failed(name + ": __metadata__ is not an object");
      }
      for (const auto &[metaKey, metaValue] : *entries) {
        std::optional<llvm::StringRef> text = metaValue.getAsString();
        if (!text) {
          return failed(name + ": __metadata__ entry " + quoted(metaKey) +
                        " is not a string");
        }
        file.meta.emplace_back(metaKey.str(), text->str());
      }
      continue;
    }
    auto view = parseEntry(tensorName, value, data,
                           name + ": tensor " + quoted(tensorName));
    if (!view) {
      return view.takeError();
    }
    file.views.push_back(std::move(*view));
  }
  // the header's own order is lost in parsing; names give one that does not
  // depend on hashing
  llvm::sort(file.meta);
  llvm::sort(file.views, [](const TensorView &a, const TensorView &b) {
    return a.name < b.name;
  });
  if (llvm::Error error = checkCoverage(file.views, data, name)) {
    return std::move(error);
  }
  for (TensorView &view : file.views) {
    view.mapped =
        buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap;
  }
  file.buffer = std::move(buffer);
  return file;
}

const TensorView *SafeTensorsFile::find(llvm::StringRef name) const {
  auto found = llvm::lower_bound(
      views, name,
      [](const TensorView &view, llvm::StringRef n) { return view.name < n; });
  return found != views.end() && found->name == name ? &*found : nullptr;
}

} // namespace cheems
