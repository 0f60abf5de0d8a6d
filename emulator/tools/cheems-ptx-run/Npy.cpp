//===- Npy.cpp - numpy.lib.format, versions 1 to 3 ------------------------===//
#include "Npy.h"

#include "Error.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace cheems::ptxrun {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

bool isNpy(const std::string &path) { return path.ends_with(".npy"); }

/// '<f4' and so on, as numpy writes the type.
std::string descriptor(const ElementType &type) {
  bool known = type.kind != ElementType::Kind::floating ||
               type.exponentBits == 11 || type.exponentBits == 5 ||
               type.bytes == 4;
  char kind =
      type.kind == ElementType::Kind::signedInteger ? 'i'
      : type.kind == ElementType::Kind::floating && known && type.bytes > 1
          ? 'f'
          : 'u';
  return std::string(type.bytes == 1 ? "|" : "<") + kind +
         std::to_string(type.bytes);
}

Error wrong(const std::string &path, const std::string &why) {
  return Error("'" + path + "': " + why);
}

/// What is after `'key': ` in the header, up to a comma outside of
/// parentheses.
std::string field(const std::string &path, const std::string &header,
                  const std::string &key) {
  size_t begin = header.find("'" + key + "':");
  if (begin == header.npos) {
    throw wrong(path, "no '" + key + "' in the header");
  }
  begin = header.find_first_not_of(' ', begin + key.size() + 3);
  size_t end = header[begin] == '(' ? header.find(')', begin) + 1
                                    : header.find_first_of(",}", begin);
  return header.substr(begin, end - begin);
}

/// The bytes after the header, which is checked.
std::string_view payload(const std::string &path, std::string_view file,
                         const Buffer &buffer) {
  if (!file.starts_with(magic) || file.size() < 12) {
    throw wrong(path, "no file of numpy");
  }
  int lengthBytes = file[6] == 1 ? 2 : 4;
  uint32_t length = 0;
  std::memcpy(&length, file.data() + 8, lengthBytes);
  if (length > file.size() - 8 - lengthBytes) {
    throw wrong(path, "the file is cut off");
  }
  std::string header(file.substr(8 + lengthBytes, length));
  std::string type = field(path, header, "descr");
  if (type != "'" + descriptor(buffer.type) + "'") {
    throw wrong(path, "its type is " + type + ", but " + buffer.shape() +
                          " is '" + descriptor(buffer.type) + "'");
  }
  if (field(path, header, "fortran_order") != "False") {
    throw wrong(path, "its order is Fortran's; save a copy in C's order");
  }
  return file.substr(8 + lengthBytes + length);
}

} // namespace

std::vector<std::byte> readFile(const std::string &path, const Buffer &buffer) {
  std::ifstream stream(path, std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    throw wrong(path, "cannot be read");
  }
  std::string_view bytes =
      isNpy(path) ? payload(path, file, buffer) : std::string_view(file);
  if (bytes.size() != buffer.bytes()) {
    throw wrong(path, "it has " + std::to_string(bytes.size()) +
                          " bytes of data, but " + buffer.shape() + " has " +
                          std::to_string(buffer.bytes()));
  }
  std::vector<std::byte> data(bytes.size());
  std::memcpy(data.data(), bytes.data(), bytes.size());
  return data;
}

void writeFile(const std::string &path, const Buffer &buffer,
               const std::byte *data) {
  std::ofstream stream(path, std::ios::binary);
  if (isNpy(path)) {
    std::string header = "{'descr': '" + descriptor(buffer.type) +
                         "', 'fortran_order': False, 'shape': (";
    for (uint64_t extent : buffer.extents) {
      header += std::to_string(extent) + ",";
    }
    header += "), }";
    // Data starts at a multiple of 64 bytes.
    header.resize((magic.size() + 4 + header.size() + 1 + 63) / 64 * 64 -
                      magic.size() - 5,
                  ' ');
    header += '\n';
    auto length = uint16_t(header.size());
    stream << magic << '\1' << '\0';
    stream.write(reinterpret_cast<const char *>(&length), 2);
    stream << header;
  }
  stream.write(reinterpret_cast<const char *>(data),
               std::streamsize(buffer.bytes()));
  stream.flush();
  if (!stream) {
    throw wrong(path, "cannot be written");
  }
}

} // namespace cheems::ptxrun
