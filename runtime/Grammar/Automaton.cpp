#include "runtime/Grammar/Automaton.h"

#include "runtime/Error.h"

#include <algorithm>
#include <unordered_set>

namespace cheems::grammar {

namespace {

uint64_t pair(uint32_t high, uint32_t low) {
  return uint64_t(high) << 32 | low;
}

[[noreturn]] void tooAmbiguous() {
  throw Error(Status::usage,
              "the grammar is too ambiguous: the text so far can be read in "
              "more than " +
                  std::to_string(maximumPlaces) +
                  " ways, or takes as much work; let fewer of its parts "
                  "overlap");
}

} // namespace

Automaton::Automaton(std::shared_ptr<const Grammar> of)
    : grammar(std::move(of)), states(1), stacks(1) {
  stacks[0] = {endNode, 0, 0};
  first = settle(follow({dead, 0}, close({{grammar->start, 0}})));
}

Automaton::StackId Automaton::push(StackId below, NodeId top) {
  checkSize();
  auto [found, isNew] = stackIds.try_emplace(
      pair(below, top), static_cast<StackId>(stacks.size()));
  if (isNew) {
    stacks.push_back({top, below, stacks[below].depth + 1});
  }
  return found->second;
}

Automaton::StackId Automaton::concatenate(StackId above, StackId base) {
  if (base == 0 || above == 0) {
    return base + above;
  }
  std::vector<NodeId> tops;
  for (StackId at = above; at != 0; at = stacks[at].below) {
    tops.push_back(stacks[at].top);
  }
  spend(tops.size());
  for (size_t index = tops.size(); index-- > 0;) {
    base = push(base, tops[index]);
  }
  return base;
}

Automaton::StateId Automaton::intern(State state) {
  if (state.places.empty() && !state.returns) {
    return dead;
  }
  uint64_t hash = state.returns;
  for (auto [node, stack] : state.places) {
    hash = (hash ^ pair(node, stack)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  auto [begin, end] = stateIds.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const State &other = states[at->second];
    if (other.returns == state.returns && other.places == state.places) {
      return at->second;
    }
  }
  checkSize();
  state.next.resize(grammar->sample.size());
  kept += state.places.size() + state.next.size();
  states.push_back(std::move(state));
  stateIds.emplace(hash, static_cast<StateId>(states.size() - 1));
  return static_cast<StateId>(states.size() - 1);
}

Automaton::Edge Automaton::close(std::vector<Place> reached) {
  State state;
  size_t most = std::min(work + maximumEdgeWork, maximumWork);
  auto spendHere = [&](size_t steps) {
    spend(steps);
    if (work > most) {
      tooAmbiguous();
    }
  };
  std::unordered_set<uint64_t> seen;
  auto reach = [&](NodeId node, StackId stack) {
    reached.emplace_back(node, stack);
  };
  while (!reached.empty()) {
    auto [id, stack] = reached.back();
    reached.pop_back();
    // what no text ends from is no place to be
    if (grammar->need[id] == endless || !seen.insert(pair(id, stack)).second) {
      continue;
    }
    spendHere(placeSteps);
    const Node &node = grammar->nodes[id];
    switch (node.kind) {
    case Node::bytes:
      state.places.emplace_back(id, stack);
      break;
    case Node::split:
      reach(node.next, stack);
      reach(node.other, stack);
      break;
    case Node::call:
      // one at the end of its rule returns to where that does
      reach(node.other, node.next == endNode ? stack : push(stack, node.next));
      break;
    case Node::end:
      if (stack == 0) {
        state.returns = true;
      } else {
        reach(stacks[stack].top, stacks[stack].below);
      }
      break;
    }
  }
  if (state.places.size() > maximumPlaces) {
    tooAmbiguous();
  }

  // how deep the shallowest end of a text is
  int need = state.returns ? 0 : endless;
  auto tooDeep = [&](const Place &place) {
    int most = stacks[place.second].depth + grammar->need[place.first];
    for (StackId at = place.second; at != 0; at = stacks[at].below) {
      most =
          std::max(most, stacks[at].depth - 1 + grammar->need[stacks[at].top]);
    }
    spendHere(static_cast<size_t>(stacks[place.second].depth));
    need = std::min(need, most);
    return most > maximumDepth;
  };
  state.places.erase(
      std::remove_if(state.places.begin(), state.places.end(), tooDeep),
      state.places.end());
  std::sort(state.places.begin(), state.places.end());
  Edge edge;
  edge.known = true;
  edge.need = static_cast<uint16_t>(need);

  if (!state.returns && !state.places.empty()) {
    // the common bottom of the stacks
    auto bottomUp = [&](StackId stack) {
      spendHere(static_cast<size_t>(stacks[stack].depth));
      std::vector<NodeId> tops;
      for (; stack != 0; stack = stacks[stack].below) {
        tops.push_back(stacks[stack].top);
      }
      std::reverse(tops.begin(), tops.end());
      return tops;
    };
    std::vector<NodeId> common = bottomUp(state.places.front().second);
    for (const Place &place : state.places) {
      std::vector<NodeId> tops = bottomUp(place.second);
      size_t same = 0;
      while (same < std::min(common.size(), tops.size()) &&
             common[same] == tops[same]) {
        ++same;
      }
      common.resize(same);
      if (common.empty()) {
        break;
      }
    }
    if (!common.empty()) {
      for (NodeId top : common) {
        edge.push = push(edge.push, top);
      }
      for (Place &place : state.places) {
        std::vector<NodeId> tops = bottomUp(place.second);
        place.second = 0;
        for (size_t index = common.size(); index < tops.size(); ++index) {
          place.second = push(place.second, tops[index]);
        }
      }
      std::sort(state.places.begin(), state.places.end());
    }
  }
  edge.state = intern(std::move(state));
  edge.need = edge.state == dead ? 0 : edge.need;
  return edge;
}

void Automaton::checkSize() const {
  if (kept > maximumKept || stacks.size() > maximumStacks) {
    throw Error(Status::usage,
                "the grammar is too ambiguous: one token leads to more than " +
                    std::to_string(maximumKept) + " places and edges, or " +
                    std::to_string(maximumStacks) +
                    " stacks; let fewer of its parts overlap");
  }
}

void Automaton::tooMuchWork() {
  throw Error(Status::usage,
              "the grammar is too ambiguous: one token takes more than " +
                  std::to_string(maximumWork) +
                  " steps of work; let fewer of its parts overlap");
}

Automaton::Edge Automaton::makeEdge(StateId from, uint8_t kind) {
  std::vector<Place> reached;
  uint8_t sample = grammar->sample[kind];
  Node::Mark opens = Node::none;
  spend(states[from].places.size());
  for (auto [id, stack] : states[from].places) {
    const Node &node = grammar->nodes[id];
    if (node.low <= sample && sample <= node.high) {
      reached.emplace_back(node.next, stack);
      // where another reading wants no such list, its items differ, too
      if (node.mark == Node::opensDistinct || node.mark == Node::opensTuple) {
        opens = std::max(opens, node.mark);
      }
    }
  }
  Edge edge = close(std::move(reached));
  edge.opens = opens;
  states[from].next[kind] = edge;
  return edge;
}

Automaton::Position Automaton::settle(Position position) {
  while (states[position.state].returns && position.base != 0) {
    NodeId top = stacks[position.base].top;
    position.base = stacks[position.base].below;
    auto found = returned.find(pair(position.state, top));
    if (found == returned.end()) {
      StackId bottom = push(0, top);
      std::vector<Place> reached = {{top, 0}};
      for (auto [node, stack] : states[position.state].places) {
        reached.emplace_back(node, concatenate(stack, bottom));
      }
      found =
          returned.emplace(pair(position.state, top), close(std::move(reached)))
              .first;
      ++kept;
    }
    position = follow(position, found->second);
  }
  return position;
}

bool Automaton::hasManyItems(Position from, bool inScalar) const {
  for (auto [id, stack] : states[from.state].places) {
    const Node &node = grammar->nodes[id];
    uint32_t texts = grammar->texts[id], ofItem = 0;
    bool found = false;
    auto descend = [&](StackId at) {
      for (; at != 0 && ofItem < manyTexts; at = stacks[at].below) {
        NodeId top = stacks[at].top;
        if (grammar->nodes[top].mark == Node::endsItem) {
          ofItem = texts; // up to here: an outer list may follow
          found = true;
        }
        texts = std::min(texts * grammar->texts[top], manyTexts);
      }
    };
    descend(stack);
    descend(from.base);
    // after the item, or a reading in which the list is another one
    bool delimits = node.low == node.high &&
                    (node.low == ',' || node.low == ']' || node.low == ' ');
    if (!found && !delimits) {
      ofItem = texts;
    }
    // a scalar that ends may be there already
    if (ofItem >= manyTexts && !(inScalar && delimits)) {
      return true;
    }
  }
  return false;
}

Automaton::Position Automaton::adopt(const Automaton &other,
                                     Position position) {
  auto copied = [&](StackId stack) {
    std::vector<NodeId> tops;
    for (; stack != 0; stack = other.stacks[stack].below) {
      tops.push_back(other.stacks[stack].top);
    }
    StackId copy = 0;
    for (size_t index = tops.size(); index-- > 0;) {
      copy = push(copy, tops[index]);
    }
    return copy;
  };
  State state;
  state.returns = other.states[position.state].returns;
  for (auto [node, stack] : other.states[position.state].places) {
    state.places.emplace_back(node, copied(stack));
  }
  std::sort(state.places.begin(), state.places.end());
  return {intern(std::move(state)), copied(position.base)};
}

} // namespace cheems::grammar
