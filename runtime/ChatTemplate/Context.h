// One rendering: its limits, where it is, and what must be taken apart when it
// ends.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_CONTEXT_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_CONTEXT_H

#include "runtime/ChatTemplate/Value.h"

#include <memory>
#include <unordered_map>

namespace cheems::jinja {

/// Fails the rendering; whoever started it adds the line.
[[noreturn]] void fail(const std::string &message);
/// The same for something that Jinja or Python has and this interpreter does
/// not: "`construct` is not supported".
[[noreturn]] void unsupported(const std::string &construct);

/// What a template may use up, so that a hostile one ends.
struct Limits {
  int64_t steps; ///< nodes evaluated and items walked
  int64_t bytes; ///< of all texts and lists made on the way
  int depth;     ///< nodes inside nodes, through macro calls too
};

struct Scope {
  explicit Scope(std::shared_ptr<Scope> parent) : parent(std::move(parent)) {}
  std::unordered_map<std::string, Value> names;
  std::shared_ptr<Scope> parent;
};

class Context {
public:
  explicit Context(const Limits &limits) : limits(limits) {}
  Context(const Context &) = delete;
  /// Namespaces and macros' scopes may hold themselves; emptying them frees the
  /// rest.
  ~Context();

  void step(int64_t count = 1);
  /// For reading a whole text of `count` bytes.
  void scan(size_t count) { step(int64_t(count >> 8)); }
  /// For looking for `needle` bytes in `text` bytes.
  void search(size_t text, size_t needle) {
    step(int64_t((double(text) * double(needle)) / 1024));
  }
  /// Before `count` bytes are made.
  void charge(size_t count);
  /// A new text, charged for.
  Value text(std::string value, bool isMarkup = false) {
    charge(value.size() + sizeof(Value::Characters));
    return Value::text(std::move(value), isMarkup);
  }
  /// Charges for items about to be copied.
  void chargeItems(size_t count) {
    step(int64_t(count));
    charge(count * sizeof(Value));
  }

  std::shared_ptr<Namespace> makeNamespace();
  void keepUntilEnd(std::shared_ptr<Scope> scope);

  int line = 1; ///< of the node being evaluated

  /// Counts one level of evaluation for as long as it lives.
  class Level {
  public:
    explicit Level(Context &context);
    ~Level() { --context.depth; }
    Level(const Level &) = delete;

  private:
    Context &context;
  };

private:
  Limits limits;
  int64_t steps = 0;
  int64_t bytes = 0;
  int depth = 0;
  std::vector<std::shared_ptr<Namespace>> namespaces;
  std::vector<std::shared_ptr<Scope>> scopes;
};

} // namespace cheems::jinja

#endif
