// Says where a text of JSON is among lists whose items must differ
// (`uniqueItems`).
//
// A grammar cannot say that: what may follow depends on all items before. It
// says where such a list begins, and this reads the items from there.
#ifndef CHEEMS_RUNTIME_GRAMMAR_DISTINCTITEMS_H
#define CHEEMS_RUNTIME_GRAMMAR_DISTINCTITEMS_H

#include "runtime/Grammar/CompiledGrammar.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace cheems::grammar {

/// A value: a copy goes on by itself, and shares the items that it has.
class DistinctItems {
public:
  /// After one more byte, the last of `text`; the same text must have come
  /// with each byte before. `opens` says which list of distinct items begins
  /// with it, if one does. False: an item is there twice.
  bool step(std::string_view text, Node::Mark opens);
  /// Whether `step` does nothing at this byte, where it opens no list.
  bool ignores(char byte) const;

  bool inList() const { return inside; }
  /// Whether an item of the outermost list has begun, or must follow.
  bool inItem() const { return inside && (list.outer || list.part != after); }
  /// Equal where `step` and `ignores` do the same with the same bytes, until
  /// they find an item complete.
  int part() const { return list.part; }
  /// Whether it may be that the list cannot end any more. After an item it
  /// can, or an item like others may follow; but a listed one may be no other.
  bool mayFail() const { return inItem() || (inside && isTuple()); }
  /// Whether the first items of the outermost list are listed.
  bool isTuple() const;
  /// Items of outermost lists so far.
  size_t completed() const { return outermost; }
  /// Items that others are compared with.
  size_t remembered() const;
  /// Whether such a list is within an item of another.
  bool isNested() const { return list.outer != nullptr; }
  bool inScalar() const { return list.part == scalar; }
  bool inString() const { return list.part == string || list.part == escape; }
  /// How the item begins, where that is a string of an outermost list and has
  /// no escape yet. Keys of equal beginnings begin so.
  std::optional<std::string_view> plainString(std::string_view text) const;
  /// Makes `keys` those of the outermost list, where they are those of what was
  /// there `before`.
  void addKeys(const DistinctItems &before,
               std::set<std::string, std::less<>> &keys) const;

private:
  struct Item {
    std::string key; ///< equal for equal values
    std::shared_ptr<Item> before;
    size_t count;
    Item(std::string of, std::shared_ptr<Item> last)
        : key(std::move(of)), before(std::move(last)),
          count(before ? before->count + 1 : 1) {}
    ~Item();
  };
  enum Part : unsigned char {
    before,    ///< an item, or the end
    scalar,    ///< within a number, true, false or null
    string,    ///< within one, on whatever level
    escape,    ///< after its backslash
    structure, ///< within an object or a list
    after,     ///< an item
  };
  struct List {
    Part part = before;
    bool tuple = false; ///< its first items are listed
    size_t begin = 0;   ///< of the item in the text
    size_t nesting = 0; ///< objects and lists within the item that are open
    std::shared_ptr<Item> last;
    std::shared_ptr<const List> outer;
  };

  void open(bool tuple);
  bool close(std::string_view text);
  bool complete(std::string_view text, size_t end);
  bool leave(std::string_view text);

  bool inside = false;
  size_t outermost = 0;
  List list; ///< the innermost
};

} // namespace cheems::grammar

#endif
