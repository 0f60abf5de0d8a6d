// Counts go from what is reached to what reaches it, so nodes are visited in
// the order of Tarjan's algorithm: from a cycle there are any number of texts.
#include "runtime/Grammar/TextCounts.h"

#include <algorithm>

namespace cheems::grammar {

namespace {

class Counter {
public:
  explicit Counter(Grammar &grammar)
      : grammar(grammar), states(grammar.nodes.size()) {}

  void run() {
    for (NodeId id = 0; id < states.size(); ++id) {
      visit(id);
    }
    grammar.texts.resize(states.size());
    for (NodeId id = 0; id < states.size(); ++id) {
      grammar.texts[id] = static_cast<uint16_t>(states[id].texts);
    }
  }

private:
  struct State {
    uint32_t index = 0, low = 0; ///< 0: not visited
    uint32_t texts = 0;          ///< at most `manyTexts`
    uint8_t edge = 0;            ///< the next to follow
    bool open = false, onCycle = false;
  };

  bool endsNever(NodeId id) const { return grammar.need[id] == endless; }

  /// Returns where the edge leads; none: `endNode`, which leads nowhere.
  NodeId target(NodeId id, uint8_t edge) const {
    const Node &node = grammar.nodes[id];
    bool second = node.kind == Node::split || node.kind == Node::call;
    if (endsNever(id) || node.kind == Node::end ||
        node.mark == Node::endsItem || node.mark == Node::blank ||
        (edge == 1 && !second)) {
      return endNode;
    }
    NodeId to = edge == 0 ? node.next : node.other;
    return endsNever(to) ? endNode : to;
  }

  static uint32_t product(uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(
        std::min<uint64_t>(uint64_t(a) * b, manyTexts));
  }

  uint32_t textsFrom(NodeId id) const {
    const Node &node = grammar.nodes[id];
    if (endsNever(id) || node.mark == Node::blank) {
      return 0;
    }
    if (states[id].onCycle) {
      return manyTexts;
    }
    if (node.kind == Node::end || node.mark == Node::endsItem) {
      return 1;
    }
    uint32_t next = states[node.next].texts;
    if (node.kind == Node::bytes) {
      return product(node.high - node.low + 1, next);
    }
    uint32_t other = states[node.other].texts;
    if (node.kind == Node::call) {
      return product(other, next);
    }
    return node.next == node.other ? next : std::min(next + other, manyTexts);
  }

  void enter(NodeId id) {
    states[id].index = states[id].low = ++visited;
    states[id].open = true;
    component.push_back(id);
    path.push_back(id);
  }

  /// All nodes of the component that begins here are known.
  void leave(NodeId first) {
    bool cycle = component.back() != first;
    NodeId id = first;
    do {
      id = component.back();
      component.pop_back();
      states[id].open = false;
      states[id].onCycle = states[id].onCycle || cycle;
      states[id].texts = textsFrom(id);
    } while (id != first);
  }

  void visit(NodeId root) {
    if (states[root].index != 0) {
      return;
    }
    enter(root);
    while (!path.empty()) {
      NodeId id = path.back();
      State &state = states[id];
      if (state.edge < 2) {
        NodeId to = target(id, state.edge++);
        if (states[to].index == 0) {
          enter(to);
        } else if (states[to].open && to != endNode) {
          state.low = std::min(state.low, states[to].index);
          state.onCycle = state.onCycle || to == id;
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        State &before = states[path.back()];
        before.low = std::min(before.low, state.low);
      }
      if (state.low == state.index) {
        leave(id);
      }
    }
  }

  Grammar &grammar;
  std::vector<State> states;
  std::vector<NodeId> component, path;
  uint32_t visited = 0;
};

} // namespace

void countTexts(Grammar &grammar) { Counter(grammar).run(); }

bool hasFewerTexts(const Grammar &grammar, NodeId node, int64_t count) {
  if (grammar.texts[node] == manyTexts || grammar.texts[node] >= count ||
      grammar.need[node] == endless) {
    return false;
  }
  std::vector<bool> seen(grammar.nodes.size());
  std::vector<NodeId> work = {node};
  while (!work.empty()) {
    NodeId id = work.back();
    work.pop_back();
    if (seen[id]) {
      continue;
    }
    seen[id] = true;
    const Node &at = grammar.nodes[id];
    if (at.mark == Node::opensDistinct || at.mark == Node::opensTuple) {
      return false;
    }
    if (at.mark == Node::endsItem) {
      continue; // the items of the list itself
    }
    work.push_back(at.next);
    if (at.kind == Node::split || at.kind == Node::call) {
      work.push_back(at.other);
    }
  }
  return true;
}

} // namespace cheems::grammar
