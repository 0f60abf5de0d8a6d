#include "runtime/Generation/CacheIndex.h"
#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/NewFile.h"
#include "runtime/Tokenizer/Utf8.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

using nlohmann::json;

namespace cheems {

namespace {

int64_t nanoseconds(const timespec &time) {
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

std::string hex(XXH128_hash_t hash) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

/// The escape stands before the two hexadecimal digits of a byte: paths
/// and arguments have no byte like it.
constexpr char escape = '\0';

/// A path or an argument as JSON can hold it: what is no UTF-8 has its bytes
/// outside of ASCII as digits.
std::string toJson(const std::string &text) {
  if (utf8::firstInvalid(text) == std::string::npos) {
    return text;
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string spelled;
  for (unsigned char byte : text) {
    if (byte < 0x80) {
      spelled += static_cast<char>(byte);
    } else {
      spelled += {escape, digits[byte >> 4], digits[byte & 15]};
    }
  }
  return spelled;
}

std::string fromJson(const std::string &spelled) {
  std::string text;
  for (size_t i = 0; i < spelled.size(); ++i) {
    unsigned byte = 0;
    const char *begin = spelled.data() + i + 1;
    if (spelled[i] == escape && spelled.size() - i > 2 &&
        std::from_chars(begin, begin + 2, byte, 16).ptr == begin + 2) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += spelled[i];
    }
  }
  return text;
}

std::vector<std::string> each(std::vector<std::string> texts,
                              std::string (*change)(const std::string &)) {
  std::transform(texts.begin(), texts.end(), texts.begin(), change);
  return texts;
}

} // namespace

FileStamp::FileStamp(const struct stat &found)
    : device(found.st_dev), inode(found.st_ino), size(found.st_size),
      modified(nanoseconds(found.st_mtim)),
      changed(nanoseconds(found.st_ctim)) {}

FileStamp FileStamp::of(const std::string &path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) {
    throw Error("cannot read " + path + ": " + std::strerror(errno));
  }
  return FileStamp(found);
}

bool FileStamp::operator==(const FileStamp &other) const {
  return device == other.device && inode == other.inode && size == other.size &&
         modified == other.modified && changed == other.changed;
}

bool FileStamp::settled(std::chrono::nanoseconds since) const {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - std::max(modified, changed) >= since.count();
}

std::string hashOfFile(const std::string &path) {
  struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0) {
        close(number);
      }
    }
  } file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status;
  if (file.number >= 0 && fstat(file.number, &status) == 0 &&
      !S_ISREG(status.st_mode)) { // a pipe would be waited for
    throw Error("cannot read " + path + ": not a regular file");
  }
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state(
      XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> block(size_t{1} << 20);
  for (;;) {
    ssize_t count =
        file.number < 0 ? -1 : read(file.number, block.data(), block.size());
    if (interrupt::requested()) {
      throw Error(Status::interrupted, "interrupted");
    }
    if (count == 0) {
      return hex(XXH3_128bits_digest(state.get()));
    }
    if (count > 0) {
      XXH3_128bits_update(state.get(), block.data(),
                          static_cast<size_t>(count));
    } else if (errno != EINTR) {
      throw Error("cannot read " + path + ": " + std::strerror(errno));
    }
  }
}

std::string hashOfText(const std::string &text) {
  return hex(XXH3_128bits(text.data(), text.size()));
}

CacheIndex CacheIndex::load(const std::string &path) {
  std::ifstream file(path);
  json root =
      parseJson<json>(std::string(std::istreambuf_iterator<char>(file), {}));
  CacheIndex index;
  try {
    for (const auto &[name, item] : root.at("files").items()) {
      const json &stamp = item.at("stamp");
      File &file = index.files[fromJson(name)];
      stamp.at(0).get_to(file.stamp.device);
      stamp.at(1).get_to(file.stamp.inode);
      stamp.at(2).get_to(file.stamp.size);
      stamp.at(3).get_to(file.stamp.modified);
      stamp.at(4).get_to(file.stamp.changed);
      item.at("hash").get_to(file.hash);
    }
    for (const auto &[key, item] : root.at("models").items()) {
      index.models[key] = {
          fromJson(item.at("folder").get<std::string>()),
          each(item.at("arguments").get<std::vector<std::string>>(), fromJson)};
    }
  } catch (const json::exception &) { // none yet, or no longer what we wrote
    return {};
  }
  return index;
}

void CacheIndex::save(const std::string &path) const {
  json root = {{"files", json::object()}, {"models", json::object()}};
  for (const auto &[name, file] : files) {
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored)) {
      const FileStamp &stamp = file.stamp;
      root["files"][toJson(name)] = {{"stamp",
                                      {stamp.device, stamp.inode, stamp.size,
                                       stamp.modified, stamp.changed}},
                                     {"hash", file.hash}};
    }
  }
  for (const auto &[key, origin] : models) {
    root["models"][key] = {{"folder", toJson(origin.folder)},
                           {"arguments", each(origin.arguments, toJson)}};
  }
  std::string text = printJsonOfAnyBytes(root, 1) + "\n";
  NewFile file(path);
  file.write(text.data(), text.size(), 0);
  file.finish();
}

} // namespace cheems
