// Which thread holds which element of a tile, counted out and held to the PTX
// ISA's fragments.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace mlir;
using namespace cheems::tile;

namespace {

using Place = std::vector<int64_t>;

class Layouts : public testing::Test {
protected:
  Layouts() { context.loadDialect<CheemsTileDialect>(); }

  /// `tensor<SHAPExf32, #cheems_tile.LAYOUT>`
  RankedTensorType tile(const std::string &shape, const std::string &layout) {
    std::string text = "tensor<" + shape + "xf32, #cheems_tile." + layout + ">";
    auto type = dyn_cast_or_null<RankedTensorType>(parseType(text, &context));
    EXPECT_TRUE(type) << text;
    return type;
  }

  /// Returns the elements of each thread, in order.
  static std::vector<std::vector<Place>> indicesOf(RankedTensorType tile) {
    std::vector<std::vector<Place>> indices;
    for (int64_t thread = 0; thread < layoutOf(tile).getWarpCount() * 32;
         ++thread) {
      indices.emplace_back();
      for (const SmallVector<int64_t> &place : coordinatesOf(tile, thread)) {
        indices.back().emplace_back(place.begin(), place.end());
      }
    }
    return indices;
  }

  /// Tiles of every kind of layout.
  std::vector<RankedTensorType> tiles() {
    std::vector<RankedTensorType> all;
    for (auto [shape, layout] :
         std::vector<std::pair<std::string, std::string>>{
             {"4x256", "blocked<rows = 4, columns = 32, width = 8>"},
             {"6x512", "blocked<rows = 2, columns = 64, width = 4>"},
             {"64x16", "blocked<rows = 32, columns = 4, width = 2>"},
             {"3x256", "blocked<rows = 1, columns = 256, width = 1>"},
             {"16x16", "fragment<role = a, warps_m = 1, warps_n = 1>"},
             {"64x48", "fragment<role = a, warps_m = 2, warps_n = 2>"},
             {"32x128", "fragment<role = a, warps_m = 1, warps_n = 2, "
                        "warps_k = 2, k_width = 8>"},
             {"8x16", "fragment<role = b, warps_m = 1, warps_n = 1>"},
             {"48x32", "fragment<role = b, warps_m = 2, warps_n = 2>"},
             {"16x128", "fragment<role = b, warps_m = 2, warps_n = 1, "
                        "warps_k = 4, k_width = 8>"},
             {"16x8", "fragment<role = c, warps_m = 1, warps_n = 1>"},
             {"64x48", "fragment<role = c, warps_m = 4, warps_n = 2>"},
             {"32x24", "fragment<role = c, warps_m = 1, warps_n = 1, "
                       "warps_k = 4>"}}) {
      all.push_back(tile(shape, layout));
      std::string rows = shape.substr(0, shape.find('x'));
      std::string columns = shape.substr(shape.find('x') + 1);
      all.push_back(
          tile(rows, "slice<axis = 1, of = #cheems_tile." + layout + ">"));
      all.push_back(
          tile(columns, "slice<axis = 0, of = #cheems_tile." + layout + ">"));
    }
    return all;
  }

  static std::string text(Type type) {
    std::string words;
    llvm::raw_string_ostream(words) << type;
    return words;
  }

  MLIRContext context;
};

TEST_F(Layouts, EveryElementIsHeldEquallyOftenAndByAThreadOnce) {
  for (RankedTensorType tile : tiles()) {
    SCOPED_TRACE(text(tile));
    std::map<Place, int64_t> holders;
    int64_t held = 0;
    for (const std::vector<Place> &own : indicesOf(tile)) {
      EXPECT_EQ(std::set<Place>(own.begin(), own.end()).size(), own.size());
      EXPECT_EQ(int64_t(own.size()), elementsPerThread(tile));
      held += int64_t(own.size());
      for (const Place &place : own) {
        ++holders[place];
      }
    }
    EXPECT_EQ(int64_t(holders.size()), tile.getNumElements());
    for (const auto &[place, count] : holders) {
      for (auto [coordinate, extent] :
           llvm::zip_equal(place, tile.getShape())) {
        EXPECT_TRUE(coordinate >= 0 && coordinate < extent);
      }
      EXPECT_EQ(count, held / tile.getNumElements());
    }
  }
}

TEST_F(Layouts, ElementsOfAVectorAreNeighboursFromAnAlignedColumnOn) {
  for (RankedTensorType tile : tiles()) {
    SCOPED_TRACE(text(tile));
    auto width = size_t(layoutOf(tile).getVectorWidth());
    for (const std::vector<Place> &own : indicesOf(tile)) {
      ASSERT_EQ(own.size() % width, 0u);
      for (size_t e = 0; e < own.size(); ++e) {
        Place expected = own[e / width * width];
        EXPECT_EQ(expected.back() % int64_t(width), 0);
        expected.back() += int64_t(e % width);
        EXPECT_EQ(own[e], expected);
      }
    }
  }
}

TEST_F(Layouts, ASliceHasTheRowsOrColumnsOfEachThreadsElements) {
  for (RankedTensorType slice : tiles()) {
    auto layout = dyn_cast<SliceAttr>(slice.getEncoding());
    if (!layout) {
      continue;
    }
    SCOPED_TRACE(text(slice));
    // The other extent is any that the layout takes.
    SmallVector<int64_t> shape = layout.getOf().getLeastShape();
    shape[size_t(1 - layout.getAxis())] = slice.getDimSize(0);
    shape[size_t(layout.getAxis())] *= 2;
    auto whole =
        RankedTensorType::get(shape, slice.getElementType(), layout.getOf());
    for (auto [own, elements] :
         llvm::zip_equal(indicesOf(slice), indicesOf(whole))) {
      std::set<Place> kept;
      for (const Place &place : elements) {
        kept.insert({place[size_t(1 - layout.getAxis())]});
      }
      EXPECT_THAT(own, testing::ElementsAreArray(kept));
    }
  }
}

TEST_F(Layouts, BitsOfThreadsAreThoseThatACoordinateAloneDependsOn) {
  for (RankedTensorType tile : tiles()) {
    SCOPED_TRACE(text(tile));
    auto indices = indicesOf(tile);
    for (int64_t axis = 0; axis < tile.getRank(); ++axis) {
      int64_t bits = 0;
      for (int64_t bit = 1; bit < int64_t(indices.size()); bit *= 2) {
        std::set<int64_t> moved;
        for (size_t thread = 0; thread < indices.size(); ++thread) {
          const Place &here = indices[thread][0];
          const Place &there = indices[thread ^ size_t(bit)][0];
          for (int64_t d = 0; d < tile.getRank(); ++d) {
            if (here[size_t(d)] != there[size_t(d)]) {
              moved.insert(d);
            }
          }
        }
        bits |= moved == std::set<int64_t>{axis} ? bit : 0;
      }
      EXPECT_EQ(layoutOf(tile).getThreadBits(axis), bits);
      // Threads that differ in these bits hold, together, all of it.
      for (size_t thread = 0; thread < indices.size(); ++thread) {
        std::set<int64_t> along;
        for (size_t other = 0; other < indices.size(); ++other) {
          if ((thread ^ other) == ((thread ^ other) & size_t(bits))) {
            for (const Place &place : indices[other]) {
              along.insert(place[size_t(axis)]);
            }
          }
        }
        EXPECT_EQ(int64_t(along.size()), tile.getDimSize(unsigned(axis)));
      }
    }
  }
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": the
// row and column of element i of a lane. B is [n, k] here, so its row is the
// ISA's column.
Place elementOfA(int64_t lane, int64_t i) {
  int64_t group = lane >> 2, inGroup = lane % 4;
  bool first = i < 2 || (i >= 4 && i < 6);
  return {first ? group : group + 8, inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
Place elementOfB(int64_t lane, int64_t i) {
  int64_t group = lane >> 2, inGroup = lane % 4;
  return {group, inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8)};
}
Place elementOfC(int64_t lane, int64_t i) {
  int64_t group = lane >> 2, inGroup = lane % 4;
  return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
}

TEST_F(Layouts, FragmentsAreThoseOfThePtxIsa) {
  struct Part {
    const char *role;
    std::string shape; ///< of a warp: 2 x 3 fragments
    int64_t rows, columns, elements;
    Place (*element)(int64_t lane, int64_t i);
  };
  for (const Part &part : {Part{"a", "32x48", 16, 16, 8, elementOfA},
                           Part{"b", "16x48", 8, 16, 4, elementOfB},
                           Part{"c", "32x24", 16, 8, 4, elementOfC}}) {
    SCOPED_TRACE(part.role);
    auto indices =
        indicesOf(tile(part.shape, std::string("fragment<role = ") + part.role +
                                       ", warps_m = 1, warps_n = 1>"));
    for (int64_t lane = 0; lane < 32; ++lane) {
      std::vector<Place> expected;
      for (int64_t row = 0; row < 2; ++row) {
        for (int64_t column = 0; column < 3; ++column) {
          for (int64_t i = 0; i < part.elements; ++i) {
            Place at = part.element(lane, i);
            expected.push_back(
                {row * part.rows + at[0], column * part.columns + at[1]});
          }
        }
      }
      EXPECT_EQ(indices[size_t(lane)], expected) << lane;
    }
  }
}

// What `fragment` says of k_width 8: the ISA's k of instruction s, by lane.
TEST_F(Layouts, EightNeighboursOfKAreTheSameKOfBothOperands) {
  for (const char *role : {"a", "b"}) {
    auto indices =
        indicesOf(tile(role == std::string("a") ? "16x32" : "8x32",
                       std::string("fragment<role = ") + role +
                           ", warps_m = 1, warps_n = 1, k_width = 8>"));
    for (int64_t lane = 0; lane < 32; ++lane) {
      std::set<Place> expected;
      for (int64_t s = 0; s < 2; ++s) {
        for (int64_t i = 0; i < (role == std::string("a") ? 8 : 4); ++i) {
          Place at = role == std::string("a") ? elementOfA(lane, i)
                                              : elementOfB(lane, i);
          int64_t q = at[1] % 8 / 2, low = at[1] % 2, high = at[1] / 8;
          expected.insert({at[0], 8 * q + 4 * s + 2 * high + low});
        }
      }
      std::set<Place> own(indices[size_t(lane)].begin(),
                          indices[size_t(lane)].end());
      EXPECT_EQ(own, expected) << role << " " << lane;
    }
  }
}

TEST_F(Layouts, WarpsHaveNeighbouringPartsOfATile) {
  // Warp 5 of 2 x 2 x 2 is at m 1, n 0, k 1.
  std::string warps = ", warps_m = 2, warps_n = 2, warps_k = 2>";
  EXPECT_EQ(indicesOf(tile("64x64", "fragment<role = a" + warps))[5 * 32][0],
            (Place{32, 32}));
  EXPECT_EQ(indicesOf(tile("64x64", "fragment<role = b" + warps))[5 * 32][0],
            (Place{0, 32}));
  EXPECT_EQ(indicesOf(tile("64x64", "fragment<role = c" + warps))[5 * 32][0],
            (Place{32, 0}));
  EXPECT_EQ(indicesOf(tile("64x64", "fragment<role = c" + warps))[6 * 32][0],
            (Place{0, 32}));
}

// Eight lanes of one phase of `ldmatrix` read the same piece of eight rows.
TEST_F(Layouts, EightRowsOfASwizzledBufferLieInDifferentBanks) {
  for (int64_t rowBytes = 16; rowBytes <= 512; rowBytes *= 2) {
    SCOPED_TRACE(rowBytes);
    auto buffer = BufferType::get(&context, {1, 64, rowBytes / 4},
                                  Float32Type::get(&context), true);
    int64_t pieces = rowBytes / 16;
    auto byteOf = [&](int64_t row, int64_t piece) {
      int64_t moved =
          piece ^ (row / buffer.getSwizzleRows() % buffer.getSwizzlePieces());
      return row * rowBytes + moved * 16;
    };
    std::set<int64_t> all;
    for (int64_t piece = 0; piece < pieces; ++piece) {
      for (int64_t first = 0; first < 64; first += 8) {
        std::set<int64_t> banks;
        for (int64_t row = first; row < first + 8; ++row) {
          int64_t byte = byteOf(row, piece);
          // The formula of the type's text.
          EXPECT_EQ(byte % rowBytes / 16,
                    piece ^ (row / std::max<int64_t>(1, 8 / pieces) %
                             std::min<int64_t>(pieces, 8)));
          EXPECT_EQ(byte / rowBytes, row);
          banks.insert(byte / 4 % 32 / 4);
          all.insert(byte);
        }
        EXPECT_EQ(banks.size(), 8u);
      }
    }
    EXPECT_EQ(int64_t(all.size()), 64 * pieces);
  }
}

TEST_F(Layouts, AFlatBufferIsNotSwizzled) {
  auto buffer = BufferType::get(&context, {2, 64, 64},
                                BFloat16Type::get(&context), false);
  EXPECT_EQ(buffer.getSwizzlePieces(), 1);
  EXPECT_EQ(buffer.getAlignment(), 16);
  EXPECT_EQ(buffer.getBytes(), 2 * 64 * 64 * 2);
  EXPECT_EQ(buffer.getStageBytes(), 64 * 64 * 2);
}

} // namespace
