// The hash of a checkpoint's tensors: each part of them shows, their order does
// not.
#include "lib/Compiler/TensorHash.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace cheems;

namespace {

struct Tensors {
  std::map<std::string, std::vector<uint8_t>> bytes;
  std::map<std::string, TensorView> views;

  void add(const std::string &name, std::vector<uint8_t> content,
           DType type = DType::F32, llvm::ArrayRef<int64_t> shape = {1, 2}) {
    bytes[name] = std::move(content);
    TensorView view;
    view.name = name;
    view.type = type;
    view.shape.assign(shape.begin(), shape.end());
    view.bytes = bytes[name];
    views[name] = view;
  }

  uint64_t hash(const std::vector<std::string> &names) const {
    llvm::StringSet<> set;
    for (const std::string &name : names) {
      set.insert(name);
    }
    return hashTensors(set, [&](llvm::StringRef name) -> const TensorView & {
      return views.at(name.str());
    });
  }
};

const std::vector<uint8_t> some = {1, 2, 3, 4, 5, 6, 7, 8};

Tensors pair() {
  Tensors made;
  made.add("a", some);
  made.add("b", some);
  return made;
}

TEST(TensorHash, orderDoesNotShow) {
  EXPECT_EQ(pair().hash({"a", "b"}), pair().hash({"b", "a"}));
  EXPECT_NE(pair().hash({"a"}), pair().hash({"a", "b"}));
}

TEST(TensorHash, everyByteTypeShapeAndNameShows) {
  uint64_t hash = pair().hash({"a", "b"});
  for (size_t i = 0; i < some.size(); ++i) {
    Tensors other = pair();
    std::vector<uint8_t> changed = some;
    changed[i] ^= 1;
    other.add("b", changed);
    EXPECT_NE(other.hash({"a", "b"}), hash) << i;
  }
  Tensors type = pair(), shape = pair(), name = pair();
  type.add("b", some, DType::I32);
  shape.add("b", some, DType::F32, {2, 1});
  name.add("c", some);
  EXPECT_NE(type.hash({"a", "b"}), hash);
  EXPECT_NE(shape.hash({"a", "b"}), hash);
  EXPECT_NE(name.hash({"a", "c"}), hash);
}

} // namespace
