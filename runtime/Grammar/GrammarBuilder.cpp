// Calls name rules until the grammar is finished: then they name nodes.
#include "runtime/Grammar/GrammarBuilder.h"

#include "runtime/Error.h"
#include "runtime/Grammar/TextCounts.h"
#include "runtime/Work.h"

#include <algorithm>

namespace cheems::grammar {

/// A node, and what finds it again and orders it while the grammar is made.
static constexpr size_t bytesOfNode = 512;
static constexpr size_t nodesAtOnce = 1024;

void GrammarBuilder::spend(size_t steps) {
  constexpr size_t often = 256;
  if (work / often != (work + steps) / often) {
    Work::check();
  }
  work += steps;
  if (nodes.size() > paidNodes) {
    Work::take(nodesAtOnce * bytesOfNode);
    paidNodes += nodesAtOnce;
  }
  if (nodes.size() >= maximumNodes) {
    refuseStates();
  }
  if (work > maximumBuildWork) {
    throw Error(Status::usage,
                "the grammar is too large: it takes more than " +
                    std::to_string(maximumBuildWork) +
                    " steps of work; let it have fewer parts, alternatives and "
                    "repetitions");
  }
}

void GrammarBuilder::refuseStates() {
  throw Error(Status::usage,
              "the grammar is too large: more than " +
                  std::to_string(maximumNodes) +
                  " states; repeat less, or make strings and lists shorter");
}

NodeId GrammarBuilder::add(const Node &node) {
  spend();
  nodes.push_back(node);
  return static_cast<NodeId>(nodes.size() - 1);
}

NodeId GrammarBuilder::bytes(uint8_t low, uint8_t high, NodeId next) {
  spend();
  auto [found, isNew] = byteNodes.try_emplace(
      {low, high, next}, static_cast<NodeId>(nodes.size()));
  if (isNew) {
    nodes.push_back({Node::bytes, low, high, Node::none, next, 0});
  }
  return found->second;
}

NodeId GrammarBuilder::literal(std::string_view text, NodeId next) {
  for (size_t index = text.size(); index-- > 0;) {
    auto byte = static_cast<uint8_t>(text[index]);
    next = bytes(byte, byte, next);
  }
  return next;
}

NodeId GrammarBuilder::distinctList(bool tuple, NodeId next) {
  Node::Mark mark = tuple ? Node::opensTuple : Node::opensDistinct;
  return add({Node::bytes, '[', '[', mark, next, 0});
}

NodeId GrammarBuilder::endOfItem(NodeId next) {
  return add({Node::split, 0, 0, Node::endsItem, next, next});
}

void GrammarBuilder::requireTexts(NodeId item, int64_t minimum,
                                  std::string why) {
  minimums.push_back({item, minimum, std::move(why)});
}

NodeId GrammarBuilder::blank(NodeId next) {
  auto [found, isNew] = blanks.try_emplace(next, endNode);
  if (isNew) {
    found->second = add({Node::bytes, ' ', ' ', Node::blank, next, 0});
  }
  return found->second;
}

NodeId GrammarBuilder::texts(std::vector<std::string> all, NodeId next) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return textsFrom(all, 0, all.size(), 0, next);
}

/// What follows the first `at` bytes of the texts in [begin, end), which have
/// those in common.
NodeId GrammarBuilder::textsFrom(const std::vector<std::string> &all,
                                 size_t begin, size_t end, size_t at,
                                 NodeId next) {
  const std::string &first = all[begin], &last = all[end - 1];
  size_t same = at;
  while (same < std::min(first.size(), last.size()) &&
         first[same] == last[same]) {
    ++same;
  }
  std::vector<NodeId> choices;
  if (first.size() == same) {
    choices.push_back(next);
    ++begin;
  }
  while (begin < end) {
    size_t to = begin;
    while (to < end && all[to][same] == all[begin][same]) {
      ++to;
    }
    auto byte = static_cast<uint8_t>(all[begin][same]);
    choices.push_back(
        bytes(byte, byte, textsFrom(all, begin, to, same + 1, next)));
    begin = to;
  }
  return literal(std::string_view(first).substr(at, same - at),
                 either(choices));
}

NodeId GrammarBuilder::either(const std::vector<NodeId> &choices) {
  NodeId all = choices.back();
  for (size_t index = choices.size() - 1; index-- > 0;) {
    all = add({Node::split, 0, 0, Node::none, choices[index], all});
  }
  return all;
}

NodeId GrammarBuilder::call(RuleId rule, NodeId next) {
  return add({Node::call, 0, 0, Node::none, next, rule});
}

NodeId GrammarBuilder::placeholder() {
  return add({Node::split, 0, 0, Node::none, endNode, endNode});
}

void GrammarBuilder::become(NodeId placeholder, NodeId same) {
  nodes[placeholder].next = nodes[placeholder].other = same;
}

NodeId GrammarBuilder::characters(const CharacterSet &set, NodeId next) {
  std::vector<NodeId> choices;
  // a range never goes across a change of the encoding's length
  constexpr uint32_t ends[] = {0x7F, 0x7FF, 0xFFFF, CharacterSet::last};
  for (auto [first, final] : set.all()) {
    uint32_t begin = first;
    for (uint32_t end : ends) {
      if (begin <= end && begin <= final) {
        choices.push_back(utf8(begin, std::min(final, end), next));
        begin = end + 1;
      }
    }
  }
  return either(choices);
}

/// Characters whose encodings are equally long.
NodeId GrammarBuilder::utf8(uint32_t first, uint32_t final, NodeId next) {
  int length = final < 0x80 ? 1 : final < 0x800 ? 2 : final < 0x10000 ? 3 : 4;
  constexpr uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  std::function<NodeId(uint32_t, uint32_t, int, bool)> build =
      [&](uint32_t from, uint32_t to, int rest, bool lead) -> NodeId {
    // `rest` bytes follow, six bits each
    uint32_t mask = (uint32_t(1) << (6 * rest)) - 1;
    uint8_t mark = lead ? leads[length] : 0x80;
    auto byteOf = [&](uint32_t bits) {
      return static_cast<uint8_t>(mark | (bits >> (6 * rest)));
    };
    if (rest == 0) {
      return bytes(byteOf(from), byteOf(to), next);
    }
    std::vector<NodeId> choices;
    uint32_t low = from & ~mask, high = to & ~mask;
    auto follow = [&](uint32_t begin, uint32_t end) {
      return build(begin & mask, end & mask, rest - 1, false);
    };
    if (low == high) {
      return bytes(byteOf(from), byteOf(from), follow(from, to));
    }
    if (from != low) {
      choices.push_back(
          bytes(byteOf(from), byteOf(from), follow(from, from | mask)));
      low += mask + 1;
    }
    bool partial = (to & mask) != mask;
    uint32_t full = partial ? high - (mask + 1) : high;
    if (low <= full) {
      choices.push_back(bytes(byteOf(low), byteOf(full), follow(0, mask)));
    }
    if (partial) {
      choices.push_back(bytes(byteOf(to), byteOf(to), follow(0, to)));
    }
    return either(choices);
  };
  return build(first, final, length - 1, true);
}

NodeId GrammarBuilder::repeat(const std::function<NodeId(NodeId)> &part,
                              int64_t minimum, std::optional<int64_t> maximum,
                              NodeId next) {
  int64_t copies = maximum.value_or(std::max<int64_t>(minimum, 1));
  if (copies > maximumRepetition) {
    throw Error(Status::usage, "a repetition of " + std::to_string(copies) +
                                   " times is too large: at most " +
                                   std::to_string(maximumRepetition) +
                                   " are possible");
  }
  std::function<NodeId(NodeId)> once = part;
  if (copies > 1) {
    // copies of what is large are calls of one rule
    size_t before = nodes.size();
    NodeId start = part(endNode);
    if (nodes.size() - before > 2) {
      RuleId rule = declare("a repetition");
      define(rule, start);
      once = [this, rule](NodeId after) { return call(rule, after); };
    }
  }
  if (!maximum) {
    NodeId loop = placeholder();
    NodeId entry = once(loop);
    become(loop, either({entry, next}));
    next = minimum == 0 ? loop : entry;
    minimum = std::max<int64_t>(minimum - 1, 0);
  } else {
    NodeId after = next;
    for (int64_t index = minimum; index < *maximum; ++index) {
      spend();
      next = either({once(next), after});
    }
  }
  for (int64_t index = 0; index < minimum; ++index) {
    spend();
    next = once(next);
  }
  return next;
}

GrammarBuilder::RuleId GrammarBuilder::declare(std::string name) {
  if (rules.size() == maximumRules) {
    throw Error(Status::usage, "the grammar is too large: more than " +
                                   std::to_string(maximumRules) + " rules");
  }
  rules.push_back({std::move(name), 0});
  return static_cast<RuleId>(rules.size() - 1);
}

void GrammarBuilder::define(RuleId rule, NodeId start) {
  rules[rule].start = start;
}

std::vector<std::vector<NodeId>> GrammarBuilder::predecessors() const {
  std::vector<std::vector<NodeId>> before(nodes.size());
  for (NodeId id = 1; id < nodes.size(); ++id) {
    const Node &node = nodes[id];
    before[node.next].push_back(id);
    if (node.kind == Node::split) {
      before[node.other].push_back(id);
    } else if (node.kind == Node::call) {
      before[rules[node.other].start].push_back(id);
    }
  }
  return before;
}

std::vector<bool> GrammarBuilder::nullable() const {
  std::vector<std::vector<NodeId>> before = predecessors();
  std::vector<bool> empty(nodes.size());
  std::vector<NodeId> work = {endNode};
  empty[endNode] = true;
  while (!work.empty()) {
    NodeId id = work.back();
    work.pop_back();
    for (NodeId earlier : before[id]) {
      const Node &node = nodes[earlier];
      bool is = node.kind == Node::split ||
                (node.kind == Node::call && empty[node.next] &&
                 empty[rules[node.other].start]);
      if (is && !empty[earlier]) {
        empty[earlier] = true;
        work.push_back(earlier);
      }
    }
  }
  return empty;
}

/// A rule that could call itself before its first byte would be called for
/// ever.
void GrammarBuilder::refuseLeftRecursion() const {
  std::vector<bool> empty = nullable();
  std::vector<std::vector<RuleId>> firsts(rules.size());
  std::vector<RuleId> seen(nodes.size(), UINT32_MAX);
  for (RuleId rule = 0; rule < rules.size(); ++rule) {
    std::vector<NodeId> work = {rules[rule].start};
    while (!work.empty()) {
      NodeId id = work.back();
      work.pop_back();
      if (std::exchange(seen[id], rule) == rule) {
        continue;
      }
      const Node &node = nodes[id];
      if (node.kind == Node::split) {
        work.push_back(node.next);
        work.push_back(node.other);
      } else if (node.kind == Node::call) {
        firsts[rule].push_back(node.other);
        if (empty[rules[node.other].start]) {
          work.push_back(node.next);
        }
      }
    }
  }
  enum Mark : uint8_t { unseen, open, done };
  std::vector<Mark> marks(rules.size(), unseen);
  for (RuleId root = 0; root < rules.size(); ++root) {
    if (marks[root] != unseen) {
      continue;
    }
    std::vector<std::pair<RuleId, size_t>> path = {{root, 0}};
    marks[root] = open;
    while (!path.empty()) {
      auto &[rule, at] = path.back();
      if (at == firsts[rule].size()) {
        marks[rule] = done;
        path.pop_back();
        continue;
      }
      RuleId callee = firsts[rule][at++];
      if (marks[callee] == open) {
        throw Error(Status::usage,
                    "left recursion: " + rules[callee].name +
                        " begins with itself; put a text before it");
      }
      if (marks[callee] == unseen) {
        marks[callee] = open;
        path.emplace_back(callee, 0);
      }
    }
  }
}

/// Depth by depth, so that each node gets its smallest.
void GrammarBuilder::findNeeds(Grammar &made) const {
  std::vector<std::vector<NodeId>> before = predecessors();
  made.need.assign(nodes.size(), endless);
  std::vector<NodeId> work = {endNode}, deeper;
  made.need[endNode] = 0;
  for (uint16_t depth = 0; depth <= maximumDepth; ++depth) {
    for (NodeId id : deeper) {
      if (made.need[id] == endless) {
        made.need[id] = depth;
        work.push_back(id);
      }
    }
    deeper.clear();
    while (!work.empty()) {
      NodeId id = work.back();
      work.pop_back();
      for (NodeId earlier : before[id]) {
        const Node &node = nodes[earlier];
        if (made.need[earlier] != endless) {
          continue;
        }
        if (node.kind == Node::call) {
          uint16_t inside = made.need[rules[node.other].start];
          if (inside == endless || made.need[node.next] == endless) {
            continue;
          }
          // a call at the end of a rule takes the place of the rule
          if (node.next != endNode && inside == depth) {
            deeper.push_back(earlier);
            continue;
          }
        }
        made.need[earlier] = depth;
        work.push_back(earlier);
      }
    }
  }
}

void GrammarBuilder::findClasses(Grammar &made) const {
  std::array<bool, 257> begins = {};
  begins[0] = true;
  for (const Node &node : nodes) {
    if (node.kind == Node::bytes) {
      begins[node.low] = begins[node.high + 1] = true;
    }
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (begins[byte]) {
      made.sample.push_back(static_cast<uint8_t>(byte));
    }
    made.classOf[byte] = static_cast<uint8_t>(made.sample.size() - 1);
  }
}

bool GrammarBuilder::hasText(NodeId node) const {
  Grammar grammar;
  findNeeds(grammar);
  return grammar.need[node] != endless;
}

std::shared_ptr<const Grammar>
GrammarBuilder::finish(RuleId root, const std::string &whyNothing) {
  refuseLeftRecursion();
  auto made = std::make_shared<Grammar>();
  findNeeds(*made);
  if (made->need[rules[root].start] == endless) {
    if (!whyNothing.empty()) {
      throw Error(Status::usage, whyNothing);
    }
    throw Error(Status::usage, rules[root].name +
                                   " has no text: it never ends, or needs "
                                   "rules more than " +
                                   std::to_string(maximumDepth) +
                                   " deep inside each other");
  }
  findClasses(*made);
  made->start = rules[root].start;
  made->nodes = nodes;
  for (Node &node : made->nodes) {
    if (node.kind == Node::call) {
      node.other = rules[node.other].start;
    }
    made->hasDistinct = made->hasDistinct || node.mark == Node::opensDistinct ||
                        node.mark == Node::opensTuple;
  }
  if (made->hasDistinct) {
    countTexts(*made);
  }
  for (const Minimum &minimum : minimums) {
    if (hasFewerTexts(*made, minimum.item, minimum.count)) {
      throw Error(Status::usage, minimum.why);
    }
  }
  return made;
}

} // namespace cheems::grammar
