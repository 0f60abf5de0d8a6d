// Who reads and writes what.
#include "Memory.h"

namespace cheems::interpreter {

constexpr int64_t kNobody = -1, kSeveral = -2;

Memory::Memory(Tensor contents, bool isWritable)
    : now(std::move(contents)), writable(isWritable),
      readers(now.data.size(), kNobody), writers(now.data.size(), kNobody) {}

bool Memory::read(int64_t place, int64_t block) {
  int64_t &reader = readers[size_t(place)];
  reader = reader == kNobody || reader == block ? block : kSeveral;
  int64_t writer = writers[size_t(place)];
  return writer == kNobody || writer == block;
}

bool Memory::write(int64_t place, double element, int64_t block) {
  int64_t reader = readers[size_t(place)], &writer = writers[size_t(place)];
  bool isAlone = (reader == kNobody || reader == block) &&
                 (writer == kNobody || writer == block);
  writer = block;
  now.data[size_t(place)] = element;
  return isAlone;
}

} // namespace cheems::interpreter
