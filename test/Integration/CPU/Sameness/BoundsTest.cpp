// Compiled code stays inside its buffers: each ends, and another time begins,
// at a page that may not be touched.
#include "Artefacts.h"
#include "Sequences.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace cheems;
using namespace cheems::test;

namespace {

/// `bytes` between two forbidden pages, filled with `fill`; against the upper
/// one, or else against the lower one.
class Guarded {
public:
  Guarded(int64_t bytes, bool upper, int64_t alignment, int fill = 0xff) {
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t inside = (bytes + page - 1) / page * page;
    size = inside + 2 * page;
    base = static_cast<char *>(
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base == MAP_FAILED ||
        mprotect(base + page, inside, PROT_READ | PROT_WRITE) != 0) {
      throw std::bad_alloc();
    }
    std::memset(base + page, fill, inside);
    int64_t slack = upper ? (inside - bytes) / alignment * alignment : 0;
    data = base + page + slack;
  }
  ~Guarded() { munmap(base, size); }
  Guarded(const Guarded &) = delete;

  template <typename T> T *as() const { return reinterpret_cast<T *>(data); }
  char *data;

private:
  char *base;
  int64_t size;
};

/// Fills a guarded copy of `values`.
template <typename T>
std::unique_ptr<Guarded> guard(const std::vector<T> &values, bool upper) {
  auto copy =
      std::make_unique<Guarded>(values.size() * sizeof(T), upper, alignof(T));
  std::copy(values.begin(), values.end(), copy->template as<T>());
  return copy;
}

constexpr int64_t slots = 3;

/// Buffers of exactly the sizes that a session has.
class Buffers {
public:
  Buffers(const Model &model, int64_t context, int64_t rows, bool upper)
      : model(model), upper(upper) {
    constexpr int64_t alignment = 64;
    sizes = {model.metadata().capacity(context),
             model.metadata().ring(context, rows)};
    for (const StateKind &kind : model.metadata().state) {
      pools.push_back(std::make_unique<Guarded>(slots * kind.slotBytes(sizes),
                                                upper, alignment));
      bases.push_back(pools.back()->data);
    }
    const Variant &variant = model.variant();
    general = std::make_unique<Guarded>(variant.generalWorkspace.bytes(rows, 1),
                                        upper, alignment);
    decode = std::make_unique<Guarded>(variant.decodeWorkspace.bytes(1, 1),
                                       upper, alignment);
  }

  /// One step of one slot; without a thread pool everything runs here.
  Logits step(int64_t slot, int64_t position, const Ids &ids,
              int64_t ropeLength) {
    auto count = static_cast<int32_t>(ids.size());
    Ids wanted;
    for (int32_t i = 0; i < count; ++i) {
      wanted.push_back(i);
    }
    cheems_segment segment = {static_cast<int32_t>(slot),
                              0,
                              count,
                              static_cast<int32_t>(position),
                              static_cast<int32_t>(ropeLength),
                              {}};
    int64_t vocabulary = model.metadata().vocabulary;
    auto tokens = guard(ids, upper), rowIds = guard(wanted, upper);
    auto segments = guard(std::vector<cheems_segment>{segment}, upper);
    auto logits = guard(std::vector<float>(count * vocabulary, NAN), upper);
    bool single = count == 1;
    cheems_step step = {};
    step.tokens = tokens->as<int32_t>();
    step.token_count = step.row_count = count;
    step.segments = segments->as<cheems_segment>();
    step.segment_count = 1;
    step.rows = rowIds->as<int32_t>();
    step.logits = logits->as<float>();
    step.parameters = model.parameters();
    step.pools = bases.data();
    step.slot_count = slots;
    step.capacity = sizes.capacity;
    step.ring = sizes.ring;
    step.workspace = (single ? decode : general)->data;
    (single ? model.decodeEntry() : model.generalEntry())(&step);
    return {vocabulary,
            {logits->as<float>(), logits->as<float>() + count * vocabulary}};
  }

  /// Whether every byte of the other slots is still as it was filled.
  bool othersUntouched(int64_t slot) const {
    for (size_t i = 0; i < pools.size(); ++i) {
      int64_t bytes = model.metadata().state[i].slotBytes(sizes);
      for (int64_t at = 0; at < slots * bytes; ++at) {
        if (at / bytes != slot &&
            static_cast<unsigned char>(pools[i]->data[at]) != 0xff) {
          return false;
        }
      }
    }
    return true;
  }

private:
  const Model &model;
  PoolSizes sizes;
  bool upper;
  std::vector<std::unique_ptr<Guarded>> pools;
  std::vector<void *> bases;
  std::unique_ptr<Guarded> general, decode;
};

class Bounds : public Compiled {};
INSTANTIATE_TEST_SUITE_P(Models, Bounds, over(allModels()), caseName);

// Pools and scratch hold NaNs at first, so the comparison also says that
// nothing of them is read before it is written.
TEST_P(Bounds, AFullContextFitsExactlyAndOtherSlotsStay) {
  constexpr int64_t longest = 200;
  for (int64_t context : {1, 64, 75, 200}) {
    Ids ids = drawIds(*model, longest);
    ids.resize(context);
    for (int64_t chunk : {context, int64_t(64), int64_t(7), int64_t(1)}) {
      Session session = makeSession(model, 1, 1, context, context);
      Logits want = chunked(session, 0, ids, {chunk});
      for (int64_t slot = 0; slot < slots; ++slot) {
        SCOPED_TRACE("context " + std::to_string(context) + ", chunk " +
                     std::to_string(chunk) + ", slot " + std::to_string(slot));
        Buffers buffers(*model, context, std::min(chunk, context), slot != 1);
        Logits got;
        for (int64_t done = 0; done < context; done += chunk) {
          int64_t end = std::min(context, done + chunk);
          got.append(buffers.step(slot, done, part(ids, done, end), context));
        }
        EXPECT_TRUE(same(want, got));
        EXPECT_TRUE(buffers.othersUntouched(slot));
      }
    }
  }
}

} // namespace
