// Operands of kernels under test, in memory that notices what must not happen
// to it.
#include "Buffer.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cheems::test {

namespace {
constexpr unsigned char kPattern = 0xa5;

size_t pageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

int64_t product(llvm::ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t extent : shape) {
    result *= extent;
  }
  return result;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The upper half of the f32 nearest to `value`, rounded to nearest even.
uint16_t bf16Of(double value) {
  uint32_t bits = bitsOf(static_cast<float>(value));
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

double widened(uint16_t half) {
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
} // namespace

size_t sizeOf(Element element) {
  switch (element) {
  case Element::I8:
  case Element::U8:
    return 1;
  case Element::BF16:
    return 2;
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::Index:
    return 8;
  }
  return 0;
}

const char *spelling(Element element) {
  switch (element) {
  case Element::F32:
    return "f32";
  case Element::BF16:
    return "bf16";
  case Element::I8:
    return "i8";
  case Element::I32:
    return "i32";
  case Element::U8:
    return "i8";
  case Element::Index:
    return "index";
  }
  return "";
}

double rounded(double value, Element element) {
  if (element == Element::I8) {
    return std::nearbyint(value);
  }
  return element == Element::BF16
             ? widened(bf16Of(value))
             : static_cast<double>(static_cast<float>(value));
}

GuardedMemory::GuardedMemory(size_t bytes, size_t alignment) : bytes(bytes) {
  size_t page = pageSize(), body = (bytes + page - 1) / page * page;
  mapped = body + 2 * page;
  void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED ||
      mprotect(static_cast<char *>(memory) + page + body, page, PROT_NONE) !=
          0) {
    throw std::bad_alloc();
  }
  mapping = static_cast<unsigned char *>(memory);
  begin = mapping + page + (body - bytes) / alignment * alignment;
  std::memset(mapping, kPattern, page + body);
  std::memset(begin, 0xff, bytes);
}

GuardedMemory::~GuardedMemory() {
  if (mapping != nullptr) {
    munmap(mapping, mapped);
  }
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), begin(other.begin),
      mapped(other.mapped), bytes(other.bytes) {}

void GuardedMemory::protect() {
  ASSERT_EQ(mprotect(mapping, mapped - pageSize(), PROT_READ), 0);
}

bool GuardedMemory::intact() const {
  auto keeps = [](const unsigned char *from, const unsigned char *to) {
    return std::all_of(from, to,
                       [](unsigned char byte) { return byte == kPattern; });
  };
  return keeps(mapping, begin) &&
         keeps(begin + bytes, mapping + mapped - pageSize());
}

Buffer::Buffer(Element element, llvm::ArrayRef<int64_t> shape)
    : element(element), shape(shape),
      memory(static_cast<size_t>(product(shape)) * sizeOf(element),
             sizeOf(element)) {}

Buffer::Buffer(Element element, const reference::Tensor &values)
    : Buffer(element, values.shape) {
  for (size_t i = 0; i < values.data.size(); ++i) {
    set(static_cast<int64_t>(i), values.data[i]);
  }
}

Buffer Buffer::number(int64_t value) {
  Buffer buffer(Element::Index, {1});
  std::memcpy(buffer.memory.data(), &value, sizeof value);
  return buffer;
}

double Buffer::get(int64_t index) const {
  const unsigned char *at =
      memory.data() + static_cast<size_t>(index) * sizeOf(element);
  if (element == Element::F32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (element == Element::I32) {
    int32_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  if (element == Element::U8) {
    return *at;
  }
  if (element == Element::I8) {
    return static_cast<int8_t>(*at);
  }
  EXPECT_EQ(element, Element::BF16);
  uint16_t half;
  std::memcpy(&half, at, sizeof half);
  return widened(half);
}

void Buffer::set(int64_t index, double value) {
  unsigned char *at =
      memory.data() + static_cast<size_t>(index) * sizeOf(element);
  if (element == Element::F32) {
    float single = static_cast<float>(value);
    std::memcpy(at, &single, sizeof single);
  } else if (element == Element::I32) {
    int32_t integer = static_cast<int32_t>(value);
    std::memcpy(at, &integer, sizeof integer);
  } else if (element == Element::U8) {
    *at = static_cast<unsigned char>(value);
  } else if (element == Element::I8) {
    *at = static_cast<unsigned char>(static_cast<int8_t>(value));
  } else {
    EXPECT_EQ(element, Element::BF16);
    uint16_t half = bf16Of(value);
    std::memcpy(at, &half, sizeof half);
  }
}

std::vector<int64_t> Buffer::descriptor() const {
  return describe(memory.data(), shape);
}

std::vector<int64_t> describe(void *data, llvm::ArrayRef<int64_t> shape) {
  int64_t address = static_cast<int64_t>(reinterpret_cast<intptr_t>(data));
  std::vector<int64_t> words{address, address, 0};
  words.insert(words.end(), shape.begin(), shape.end());
  for (size_t i = 0; i < shape.size(); ++i) {
    words.push_back(product(shape.drop_front(i + 1)));
  }
  return words;
}

} // namespace cheems::test
