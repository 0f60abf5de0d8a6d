#include "server/Engine/StateCache.h"
#include <algorithm>

namespace cheems::serve {

/// Tokens on the way from the parent; a root has none. Only roots have neither
/// an entry nor two children.
struct StateCache::Node {
  Node *parent = nullptr;
  const std::string *isolation = nullptr; ///< of a root: its key
  Tokens edge;
  std::map<int32_t, std::unique_ptr<Node>> children; ///< by first token
  std::unique_ptr<Entry> entry;
};

int64_t KeptState::bytes() const {
  return static_cast<int64_t>(partial.size() + whole.state.bytes.size());
}

StateCache::StateCache(int64_t budget) : limit(budget) {}
StateCache::~StateCache() = default;

/// With its tokens, which the trie keeps at most once.
int64_t StateCache::costOf(const KeptState &state) {
  constexpr int64_t node = 256;
  return state.bytes() + node +
         state.position * static_cast<int64_t>(sizeof(int32_t));
}

namespace {

/// How many of `edge` are tokens[depth…].
size_t follow(const std::vector<int32_t> &edge,
              const std::vector<int32_t> &tokens, size_t depth, size_t end) {
  size_t most = std::min(edge.size(), end - depth), same = 0;
  while (same < most && edge[same] == tokens[depth + same]) {
    ++same;
  }
  return same;
}

} // namespace

StateCache::Match StateCache::find(const std::string &isolation,
                                   const Tokens &tokens) const {
  Match match;
  auto root = roots.find(isolation);
  if (root == roots.end()) {
    return match;
  }
  const Node *node = root->second.get();
  size_t depth = 0;
  for (bool whole = true; whole && depth < tokens.size();) {
    auto child = node->children.find(tokens[depth]);
    if (child == node->children.end()) {
      break;
    }
    node = child->second.get();
    size_t same = follow(node->edge, tokens, depth, tokens.size());
    depth += same;
    whole = same == node->edge.size();
    if (whole && node->entry) {
      match.states.push_back(node->entry.get());
    }
  }
  match.common = static_cast<int64_t>(depth);
  // below any node that is no root there is an entry
  for (const Node *at = node; depth != 0 && at && !match.longer;) {
    if (at->entry && at->entry->position >= match.common) {
      match.longer = at->entry.get();
    } else {
      at = at->children.empty() ? nullptr : at->children.begin()->second.get();
    }
  }
  return match;
}

bool StateCache::makeRoom(int64_t bytes) {
  if (bytes > limit) {
    return false;
  }
  while (used + bytes > limit) {
    auto oldest = entries.begin();
    if (oldest != entries.end() && *oldest == pinned) {
      ++oldest;
    }
    if (oldest == entries.end()) {
      return false;
    }
    drop(*oldest);
    ++evicted;
  }
  return true;
}

StateCache::Node *StateCache::nodeAt(Node *node, const Tokens &tokens,
                                     size_t end) {
  size_t depth = 0;
  while (depth < end) {
    std::unique_ptr<Node> &child = node->children[tokens[depth]];
    if (!child) {
      child = std::make_unique<Node>();
      child->parent = node;
      child->edge.assign(tokens.begin() + static_cast<std::ptrdiff_t>(depth),
                         tokens.begin() + static_cast<std::ptrdiff_t>(end));
      return child.get();
    }
    size_t same = follow(child->edge, tokens, depth, end);
    if (same < child->edge.size()) { // a node in the middle of the edge
      auto middle = std::make_unique<Node>();
      middle->parent = node;
      auto cut = child->edge.begin() + static_cast<std::ptrdiff_t>(same);
      middle->edge.assign(child->edge.begin(), cut);
      child->edge.erase(child->edge.begin(), cut);
      child->parent = middle.get();
      int32_t first = child->edge.front();
      middle->children[first] = std::move(child);
      child = std::move(middle);
    }
    node = child.get();
    depth += same;
  }
  return node;
}

/// The node has lost its entry. A root that has nothing left goes, too: there
/// may be one for each client that ever came.
void StateCache::prune(Node *node) {
  while (node->parent && !node->entry && node->children.empty()) {
    Node *parent = node->parent;
    parent->children.erase(node->edge.front());
    node = parent;
  }
  if (!node->parent) {
    if (node->children.empty()) {
      roots.erase(roots.find(*node->isolation));
    }
    return;
  }
  if (!node->entry && node->children.size() == 1) {
    std::unique_ptr<Node> child = std::move(node->children.begin()->second);
    child->edge.insert(child->edge.begin(), node->edge.begin(),
                       node->edge.end());
    child->parent = node->parent;
    std::unique_ptr<Node> &place = node->parent->children[child->edge.front()];
    place = std::move(child); // the node goes
  }
}

void StateCache::keep(const std::string &isolation, const Tokens &tokens,
                      KeptState state) {
  int64_t cost = costOf(state);
  if (state.position < 1 || !makeRoom(cost)) {
    return;
  }
  auto root = roots.find(isolation);
  if (root == roots.end()) {
    root = roots.emplace(isolation, std::make_unique<Node>()).first;
    root->second->isolation = &root->first;
  }
  Node *node =
      nodeAt(root->second.get(), tokens, static_cast<size_t>(state.position));
  if (node->entry) {
    Entry &old = *node->entry;
    bool better = &old != pinned && (old.isPartial() || !state.isPartial()) &&
                  (state.exact || !old.exact);
    if (!better) {
      touch(&old);
      return;
    }
    state.uses += old.uses;
    used -= costOf(old);
    entries.erase(old.place);
  }
  node->entry = std::make_unique<Entry>();
  static_cast<KeptState &>(*node->entry) = std::move(state);
  node->entry->node = node;
  node->entry->place = entries.insert(entries.end(), node->entry.get());
  used += cost;
}

void StateCache::touch(KeptState *state) {
  auto *entry = static_cast<Entry *>(state);
  entries.splice(entries.end(), entries, entry->place);
  ++entry->uses;
}

KeptState *StateCache::partialOf(int64_t slot, int64_t tokens) const {
  KeptState *found = nullptr;
  for (Entry *each : entries) {
    if (each->slot == slot && each->position > tokens &&
        (!found || each->position > found->position)) {
      found = each;
    }
  }
  return found;
}

KeptState StateCache::drop(KeptState *state) {
  auto *entry = static_cast<Entry *>(state);
  used -= costOf(*entry);
  entries.erase(entry->place);
  Node *node = entry->node;
  KeptState result = std::move(static_cast<KeptState &>(*entry));
  node->entry.reset();
  prune(node);
  return result;
}

void StateCache::clear() {
  entries.clear();
  roots.clear();
  used = 0;
  pinned = nullptr;
}

} // namespace cheems::serve
