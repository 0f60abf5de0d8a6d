// segmented_attention: each sequence's entries come from the pools, its rows
// are added, attend, and what is to stay goes back.
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/KeepThreshold.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/QuantizeEntries.h"
#include "cheems/Reference/Segments.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace cheems::reference {

int64_t storedEntries(int64_t position, const std::optional<int64_t> &keep) {
  return keep ? std::min(position, *keep) : position;
}

namespace {

/// A stored row of one state head. What is read back of key and value is as
/// many times the scale.
struct Entry {
  std::vector<double> key, value;
  std::vector<double> masks; ///< of the heads of A that read it
  std::vector<double> ranks; ///< what it is kept and hidden by
  double keyScale = 1.0, valueScale = 1.0;
  int64_t position = 0; ///< in the sequence, or where it is counted among
                        ///< entries
};

/// Keys or values of all rows as they are stored, [T, G, P]; scales [T, G].
QuantizedEntries stored(const Tensor &x, const AttentionPools &pools,
                        const SegmentedAttentionOptions &options) {
  if (pools.keyScales) {
    return quantizeEntries(x);
  }
  Tensor ones({x.shape[0], x.shape[1]});
  std::fill(ones.data.begin(), ones.data.end(), 1.0);
  return {options.storesBF16 ? bf16(x) : x, ones};
}

class Evaluation {
public:
  Evaluation(const AttentionRows &rows, int64_t layer,
             const SegmentedAttentionOptions &options, AttentionPools &pools,
             Tensor *losses)
      : rows(rows), layer(layer), options(options), pools(pools),
        losses(losses), keys(stored(rows.key, pools, options)),
        values(stored(rows.value, pools, options)), y(rows.query.shape) {}

  void attend(const Segment &s) {
    for (int64_t g = 0; g < pools.keys.shape[2]; ++g) {
      int64_t before = entriesBefore(s, g);
      std::vector<Entry> entries;
      entries.reserve(before + s.length);
      for (int64_t e = firstNeeded(before); e < before; ++e) {
        entries.push_back(load(s.slot, g, e));
      }
      std::vector<int64_t> last; // the position of what each row sees last
      for (int64_t t = 0; t < s.length; ++t) {
        Entry entry = entryOf(s.start + t, g);
        if (losses && pools.counts) {
          loseHidden(entry, s.start + t, g);
        }
        if (!pools.counts) {
          entry.position = s.position + t;
          entries.push_back(std::move(entry));
        } else if (isVisible(entry)) {
          entry.position = static_cast<int64_t>(entries.size());
          entries.push_back(std::move(entry));
        }
        last.push_back(pools.counts ? static_cast<int64_t>(entries.size()) - 1
                                    : s.position + t);
      }
      attend(s, g, entries, last);
      if (losses && options.keep) {
        loseDropped(s, g, entries, last);
      }
      if (options.keep && s.length > 0) {
        dropAllButBest(entries, last.back());
      }
      for (size_t e = 0; e < entries.size(); ++e) {
        store(entries[e], s.slot, g, e);
      }
      if (pools.counts) {
        (*pools.counts)(s.slot, layer, g) = entries.size();
      }
    }
  }

  Tensor result() { return std::move(y); }

private:
  int64_t stateHeads() const { return pools.keys.shape[2]; }
  /// Attention without masks has one of zero for each state head, which is
  /// neither stored nor looked at.
  int64_t masksPerHead() const {
    return pools.masks ? pools.masks->shape[2] / stateHeads() : 1;
  }

  int64_t entriesBefore(const Segment &s, int64_t g) const {
    if (pools.counts) {
      return s.position == 0
                 ? 0
                 : static_cast<int64_t>((*pools.counts)(s.slot, layer, g));
    }
    return storedEntries(s.position, options.keep);
  }

  /// What state head g stores of a row.
  Entry entryOf(int64_t row, int64_t g) const {
    int64_t keyHead = g / (stateHeads() / rows.key.shape[1]);
    Entry entry;
    for (int64_t p = 0; p < rows.key.shape[2]; ++p) {
      entry.key.push_back(keys.codes(row, keyHead, p));
      entry.value.push_back(values.codes(row, keyHead, p));
    }
    entry.keyScale = keys.scales(row, keyHead);
    entry.valueScale = values.scales(row, keyHead);
    for (int64_t i = 0; i < masksPerHead(); ++i) {
      int64_t m = g * masksPerHead() + i;
      entry.masks.push_back(rows.mask     ? (*rows.mask)(row, m)
                            : pools.masks ? double(options.visible[m])
                                          : 0.0);
      entry.ranks.push_back(rows.rank ? (*rows.rank)(row, m)
                                      : entry.masks.back());
    }
    return entry;
  }

  bool isVisible(const Entry &entry) const {
    return std::any_of(entry.ranks.begin(), entry.ranks.end(),
                       [&](double rank) { return rank >= options.hideBelow; });
  }

  /// A row whose rank is on the other side of the threshold than its mask.
  void loseHidden(const Entry &entry, int64_t row, int64_t g) {
    for (int64_t i = 0; i < masksPerHead(); ++i) {
      double mask = entry.masks[i];
      bool differs =
          (mask >= options.hideBelow) != (entry.ranks[i] >= options.hideBelow);
      (*losses)(row, g *masksPerHead() + i) =
          differs ? std::abs(mask - options.hideBelow) : 0.0;
    }
  }

  void loseDropped(const Segment &s, int64_t g,
                   const std::vector<Entry> &entries,
                   const std::vector<int64_t> &last) {
    auto [masks, positions] = numbersOf(entries, &Entry::masks);
    Tensor ranks = numbersOf(entries, &Entry::ranks).first;
    KeepThreshold best = keepThreshold(ranks, positions, last, *options.keep);
    constexpr double none = std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < masksPerHead(); ++i) {
      for (int64_t t = 0; t < s.length; ++t) {
        double kept = none, dropped = -none;
        for (size_t n = 0; n < entries.size(); ++n) {
          if (positions[n] > last[t]) {
            continue;
          }
          auto at = static_cast<int64_t>(n);
          if (best.keeps(i, t, ranks(i, at), positions[n])) {
            kept = std::min(kept, masks(i, at));
          } else {
            dropped = std::max(dropped, masks(i, at));
          }
        }
        (*losses)(s.start + t, g * masksPerHead() + i) =
            std::max(dropped - kept, 0.0);
      }
    }
  }

  /// Returns the first of so many rows before a segment that a row of it sees.
  int64_t firstNeeded(int64_t before) const {
    return options.window ? std::max<int64_t>(0, before - *options.window + 1)
                          : 0;
  }

  /// The entry that row e of a sequence is, where pools are rings.
  int64_t placeOf(int64_t e) const {
    return options.window ? e % pools.keys.shape[3] : e;
  }

  /// `row`: of the sequence with a window, else the entry.
  Entry load(int64_t slot, int64_t g, int64_t row) const {
    Entry entry;
    int64_t e = placeOf(row);
    for (int64_t p = 0; p < pools.keys.shape[4]; ++p) {
      entry.key.push_back(pools.keys(slot, layer, g, e, p));
      entry.value.push_back(pools.values(slot, layer, g, e, p));
    }
    if (pools.keyScales) {
      entry.keyScale = (*pools.keyScales)(slot, layer, g, e);
      entry.valueScale = (*pools.valueScales)(slot, layer, g, e);
    }
    for (int64_t i = 0; i < masksPerHead(); ++i) {
      entry.masks.push_back(
          pools.masks ? (*pools.masks)(slot, layer, g * masksPerHead() + i, e)
                      : 0.0);
    }
    entry.ranks = entry.masks;
    entry.position =
        pools.positions ? int64_t((*pools.positions)(slot, layer, g, e)) : row;
    return entry;
  }

  void store(const Entry &entry, int64_t slot, int64_t g, int64_t number) {
    int64_t e = options.window ? placeOf(entry.position) : number;
    for (int64_t p = 0; p < pools.keys.shape[4]; ++p) {
      pools.keys(slot, layer, g, e, p) = entry.key[p];
      pools.values(slot, layer, g, e, p) = entry.value[p];
    }
    if (pools.keyScales) {
      (*pools.keyScales)(slot, layer, g, e) = entry.keyScale;
      (*pools.valueScales)(slot, layer, g, e) = entry.valueScale;
    }
    for (int64_t i = 0; pools.masks && i < masksPerHead(); ++i) {
      (*pools.masks)(slot, layer, g *masksPerHead() + i, e) = entry.masks[i];
    }
    if (pools.positions) {
      (*pools.positions)(slot, layer, g, e) = entry.position;
    }
  }

  /// Masks or ranks [M/G', N] of entries, and the position of each.
  std::pair<Tensor, std::vector<int64_t>>
  numbersOf(const std::vector<Entry> &entries,
            std::vector<double> Entry::*which) const {
    auto count = static_cast<int64_t>(entries.size());
    Tensor numbers({masksPerHead(), count});
    std::vector<int64_t> positions;
    for (int64_t n = 0; n < count; ++n) {
      for (int64_t i = 0; i < masksPerHead(); ++i) {
        numbers(i, n) = (entries[n].*which)[i];
      }
      positions.push_back(entries[n].position);
    }
    return {numbers, positions};
  }

  /// y of the segment's rows, of the query heads that read state head g; `last`
  /// is the position of the last entry that each of them sees.
  void attend(const Segment &s, int64_t g, const std::vector<Entry> &entries,
              const std::vector<int64_t> &last) {
    auto count = static_cast<int64_t>(entries.size());
    int64_t size = rows.query.shape[2],
            heads = rows.query.shape[1] / stateHeads();
    Tensor query({s.length, heads, size}), k({count, 1, size}),
        v({count, 1, size}), valueScales({count, 1});
    for (int64_t t = 0; t < s.length; ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t p = 0; p < size; ++p) {
          query(t, h, p) = rows.query(s.start + t, g * heads + h, p);
        }
      }
    }
    for (int64_t n = 0; n < count; ++n) {
      for (int64_t p = 0; p < size; ++p) {
        k(n, 0, p) = entries[n].key[p] * entries[n].keyScale;
        v(n, 0, p) = entries[n].value[p];
      }
      valueScales(n, 0) = entries[n].valueScale;
    }
    auto [masks, positions] = numbersOf(entries, &Entry::masks);
    MaskOptions how{options.kind, options.keep, options.hideBelow};
    how.ranks = numbersOf(entries, &Entry::ranks).first;
    how.scale = options.scale;
    how.age = options.window;
    if (pools.valueScales) {
      how.valueScales = valueScales;
    }
    Tensor own = dynamicMaskAttention(query, k, v, masks, last, positions, how);
    for (int64_t t = 0; t < s.length; ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        for (int64_t p = 0; p < size && sees(g * heads + h); ++p) {
          y(s.start + t, g * heads + h, p) = own(t, h, p);
        }
      }
    }
  }

  /// Whether a query head sees rows at all.
  bool sees(int64_t head) const {
    if (rows.mask || !pools.masks) {
      return true;
    }
    int64_t headsPerMask = rows.query.shape[1] / pools.masks->shape[2];
    return options.visible[head / headsPerMask];
  }

  /// Leaves the W best of what the row at `position` sees. Masks of NaN come
  /// last; they fill up what numbers leave.
  void dropAllButBest(std::vector<Entry> &entries, int64_t position) const {
    auto [ranks, positions] = numbersOf(entries, &Entry::ranks);
    KeepThreshold best =
        keepThreshold(ranks, positions, {position}, *options.keep);
    std::vector<Entry> kept, others;
    for (Entry &entry : entries) {
      bool stays = best.keeps(0, 0, entry.ranks[0], entry.position);
      (stays ? kept : others).push_back(std::move(entry));
    }
    auto count = storedEntries(kept.size() + others.size(), options.keep);
    for (int64_t i = 0, n = kept.size(); n + i < count; ++i) {
      kept.push_back(std::move(others[i]));
    }
    entries = std::move(kept);
    std::sort(entries.begin(), entries.end(),
              [](const Entry &one, const Entry &other) {
                return one.position < other.position;
              });
  }

  const AttentionRows &rows;
  int64_t layer;
  const SegmentedAttentionOptions &options;
  AttentionPools &pools;
  Tensor *losses;
  QuantizedEntries keys, values;
  Tensor y;
};

} // namespace

Tensor segmentedAttention(const AttentionRows &rows,
                          llvm::ArrayRef<Segment> segments, int64_t layer,
                          const SegmentedAttentionOptions &options,
                          AttentionPools &pools, Tensor *losses) {
  Evaluation attention(rows, layer, options, pools, losses);
  for (const Segment &s : segments) {
    attention.attend(s);
  }
  return attention.result();
}

} // namespace cheems::reference
