// Quantized matmuls by vectors: a tile of rows by panels of 16 columns stays
// in registers, while the loop takes four k (bytes) or eight k (nibbles) at a
// time.
//
// vpdpbusd sums four products in i32. Without it, nibbles take vpmaddubsw,
// which sums two products in 16 bits: 15 * 127 * 2 fits, and so do eight of
// those. For bytes, 255 * 127 * 2 does not fit. They become words, the even k
// of each four and the odd ones, and vpmaddwd multiplies these.
#include "LinearQuantized.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cheems;

namespace {
/// Rows by streams (panels of a weight) whose sums are in registers together.
struct Shape {
  int64_t rows, streams;
};

/// The 16-bit sums of vpmaddubsw hold so many steps of k of a stream.
constexpr int64_t kNarrowSteps = 4;

struct Dots {
  QuantizedKernel &c;
  LinearKernel &k;
  OpBuilder &b;
  Location loc;
  int64_t lanes; ///< i32 of a register
  int64_t parts; ///< registers of a panel
  bool narrow;   ///< sums of 16 bits on the way
  Shape many;
  SmallVector<Shape> low; ///< heights rise

  struct Rows {
    Value packed, at; ///< where they are packed
    Value row, count; ///< where they are in x, and how many there are
    int64_t height;
  };
  struct Stream {
    int64_t weight;
    Value panel;
  };

  explicit Dots(QuantizedKernel &codes)
      : c(codes), k(codes.k), b(codes.b), loc(codes.loc),
        lanes(std::min(k.unit.lanes, k.kColumns)), parts(k.kColumns / lanes),
        narrow(c.form.nibbles && !c.form.dots) {
    // Beside the sums: weights, taken apart, an input, a product; of nibbles
    // sums over groups, too.
    if (parts == 1) {
      many = !c.form.nibbles ? Shape{12, 2}
             : narrow        ? Shape{4, 2}
                             : Shape{6, 2};
      // Beside tiles, constants of an epilogue stay in registers.
      int64_t wide = c.form.tiles && !k.op.hasIdentityEpilogue() ? 2 : 4;
      low = {{1, 4}, {2, 4}, {4, wide}, {8, 2}};
      if (c.form.nibbles) {
        low = {{1, 4}, {2, wide}, {4, 2}};
      }
    } else {
      // vpdpbusd takes its weights as they are: more sums fit beside them.
      many = {c.form.dots && !c.form.nibbles ? 6 : 4, 1};
      low = {{1, 4}, {2, 1}, {4, 1}};
      if (c.form.nibbles) {
        low = {{1, 2}, {2, 1}, {4, 1}};
      }
    }
  }

  VectorType sums(unsigned bits) {
    return VectorType::get({lanes * 32 / bits}, b.getIntegerType(bits));
  }

  Value cast(Value value, unsigned bits) {
    return vector::BitCastOp::create(b, loc, sums(bits), value);
  }

  Value splat(VectorType type, int64_t value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type,
                               b.getIntegerAttr(type.getElementType(), value)));
  }

  Value call(StringRef name, VectorType type, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                         operands)
        .getResult(0);
  }

  Value multiplyWords(Value weight, Value input) {
    return call(parts == 1 ? "llvm.x86.avx512.pmaddw.d.512"
                           : "llvm.x86.avx2.pmadd.wd",
                sums(32), {cast(weight, 16), cast(input, 16)});
  }

  /// The sum and the products of a vector of weights with four bytes of a row.
  Value dot(Value sum, Value weight, Value input) {
    if (c.form.dots) {
      // This is also the instruction of AVX-VNNI, where registers have 8 lanes.
      return call(parts == 1 ? "llvm.x86.avx512.vpdpbusd.512"
                             : "llvm.x86.avx512.vpdpbusd.256",
                  sums(32), {sum, cast(weight, 8), cast(input, 8)});
    }
    Value products = c.form.words
                         ? multiplyWords(weight, input)
                         : call(parts == 1 ? "llvm.x86.avx512.pmaddubs.w.512"
                                           : "llvm.x86.avx2.pmadd.ub.sw",
                                sums(16), {cast(weight, 8), cast(input, 8)});
    return arith::AddIOp::create(b, loc, sum, products);
  }

  /// A vector of weights taken apart: bytes, or words.
  SmallVector<Value, 2> weights(const Stream &stream, Value step,
                                int64_t part) {
    Value stored = vector::LoadOp::create(
        b, loc, sums(8), k.weights[stream.weight],
        ValueRange{stream.panel, step, k.index(part * lanes * 4)});
    if (!c.form.nibbles && !c.form.words) {
      return {stored};
    }
    auto words = sums(16);
    Value both = cast(stored, 16);
    Value mask = splat(words, c.form.nibbles ? 0x0f0f : 0x00ff);
    Value high = arith::ShRUIOp::create(b, loc, both,
                                        splat(words, c.form.nibbles ? 4 : 8));
    if (c.form.nibbles) {
      high = arith::AndIOp::create(b, loc, high, mask);
    }
    return {arith::AndIOp::create(b, loc, both, mask), high};
  }

  /// `count` steps from `step` on, of a row's bytes from `column` on: sums
  /// [row][stream][part].
  SmallVector<Value> steps(const Rows &rows, ArrayRef<Stream> streams,
                           Value step, Value column, int64_t count,
                           ValueRange inits) {
    int64_t bytes = c.form.words || c.form.nibbles ? 8 : 4;
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(count), k.one, inits,
        [&](OpBuilder &, Location, Value i, ValueRange before) {
          SmallVector<Value> after(before);
          Value from = arith::AddIOp::create(
              b, loc, column, arith::MulIOp::create(b, loc, i, k.index(bytes)));
          Value at = arith::AddIOp::create(b, loc, step, i);
          auto inputs = [&](int64_t r) {
            SmallVector<Value, 2> result;
            for (int64_t f = 0; f < bytes; f += 4) {
              result.push_back(c.pack.spread(rows.packed, k.add(rows.at, r),
                                             k.add(from, f), lanes));
            }
            return result;
          };
          auto add = [&](int64_t r, size_t s, int64_t part,
                         ArrayRef<Value> weights, ArrayRef<Value> inputs) {
            Value &sum = after[(r * streams.size() + s) * parts + part];
            for (auto [weight, input] : llvm::zip_equal(weights, inputs)) {
              sum = dot(sum, weight, input);
            }
          };
          if (rows.height == 1) {
            auto input = inputs(0);
            for (auto [s, stream] : llvm::enumerate(streams)) {
              for (int64_t part = 0; part < parts; ++part) {
                add(0, s, part, weights(stream, at, part), input);
              }
            }
          } else {
            SmallVector<SmallVector<Value, 2>> all;
            for (const Stream &stream : streams) {
              for (int64_t part = 0; part < parts; ++part) {
                all.push_back(weights(stream, at, part));
              }
            }
            for (int64_t r = 0; r < rows.height; ++r) {
              auto input = inputs(r);
              for (auto [i, weight] : llvm::enumerate(all)) {
                add(r, i / parts, i % parts, weight, input);
              }
            }
          }
          scf::YieldOp::create(b, loc, after);
        });
    return SmallVector<Value>(loop.getResults());
  }

  /// Handles 4-bit weights: sums of 16 bits over 32 k, added up in i32.
  SmallVector<Value> narrowSteps(const Rows &rows, ArrayRef<Stream> streams,
                                 Value step, Value column, ValueRange inits) {
    SmallVector<Value> none(inits.size(), splat(sums(16), 0));
    Value ones = splat(sums(16), 1);
    auto block = [&](Value number, ValueRange before) {
      Value first = arith::AddIOp::create(
                b, loc, step,
                arith::MulIOp::create(b, loc, number, k.index(kNarrowSteps))),
            from = arith::AddIOp::create(
                b, loc, column,
                arith::MulIOp::create(b, loc, number,
                                      k.index(kNarrowSteps * 8)));
      SmallVector<Value> after(before);
      SmallVector<Value> narrow =
          steps(rows, streams, first, from, kNarrowSteps, none);
      for (auto [sum, more] : llvm::zip_equal(after, narrow)) {
        sum = arith::AddIOp::create(b, loc, sum, multiplyWords(more, ones));
      }
      return after;
    };
    int64_t blocks = c.form.groupSize / (8 * kNarrowSteps);
    if (blocks == 1) {
      return block(k.zero, inits);
    }
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(blocks), k.one, inits,
        [&](OpBuilder &, Location, Value number, ValueRange before) {
          scf::YieldOp::create(b, loc, block(number, before));
        });
    return SmallVector<Value>(loop.getResults());
  }

  /// Handles 4-bit weights: f32 sums over groups [row][stream][part].
  SmallVector<Value> groups(const Rows &rows, ArrayRef<Stream> streams) {
    auto wide = VectorType::get({lanes}, b.getF32Type());
    Value zeros = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(wide, b.getF32FloatAttr(0)));
    int64_t width = streams.size() * parts;
    SmallVector<Value> inits(rows.height * width, zeros);
    int64_t count = c.form.groupSize / 8;
    auto loop = scf::ForOp::create(
        b, loc, k.zero, k.index(c.form.groups), k.one, inits,
        [&](OpBuilder &, Location, Value g, ValueRange before) {
          SmallVector<Value> exact, after(before);
          for (int64_t r = 0; r < rows.height; ++r) {
            Value start =
                c.pack.start(rows.packed, k.add(rows.at, r), g, lanes);
            exact.append(width, start);
          }
          Value step = arith::MulIOp::create(b, loc, g, k.index(count));
          Value column =
              arith::MulIOp::create(b, loc, g, k.index(c.pack.groupBytes));
          exact = narrow ? narrowSteps(rows, streams, step, column, exact)
                         : steps(rows, streams, step, column, count, exact);
          for (int64_t i = 0; i < width; ++i) {
            const Stream &stream = streams[i / parts];
            Value scale = c.scales(stream.weight, stream.panel, g,
                                   i % parts * lanes, lanes);
            for (int64_t r = 0; r < rows.height; ++r) {
              Value &sum = after[r * width + i];
              Value number =
                  arith::SIToFPOp::create(b, loc, wide, exact[r * width + i]);
              sum = vector::FMAOp::create(b, loc, number, scale, sum);
            }
          }
          scf::YieldOp::create(b, loc, after);
        });
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> multiply(const Rows &rows, ArrayRef<Stream> streams) {
    if (c.form.nibbles) {
      return groups(rows, streams);
    }
    SmallVector<Value> none(rows.height * streams.size() * parts,
                            splat(sums(32), 0));
    return steps(rows, streams, k.zero, k.zero, k.size / 4, none);
  }

  /// All weights of `panels`, so many streams at a time as a shape has.
  void tile(const Rows &rows, int64_t width, ArrayRef<Value> panels) {
    int64_t matrices = k.weights.size();
    SmallVector<Stream> all;
    for (Value panel : panels) {
      for (int64_t w = 0; w < matrices; ++w) {
        all.push_back({w, panel});
      }
    }
    int64_t count = all.size();
    Value scratch = memref::AllocOp::create(
        b, loc,
        MemRefType::get({count * rows.height, k.kColumns},
                        c.form.nibbles ? Type(b.getF32Type())
                                       : Type(b.getI32Type())));
    for (int64_t s = 0; s < count; s += width) {
      auto some = ArrayRef(all).slice(s, std::min(width, count - s));
      SmallVector<Value> tileSums = multiply(rows, some);
      for (auto [i, sum] : llvm::enumerate(tileSums)) {
        int64_t part = i % parts, stream = s + i / parts % some.size(),
                row = i / parts / some.size();
        vector::StoreOp::create(b, loc, sum, scratch,
                                ValueRange{k.index(stream * rows.height + row),
                                           k.index(part * lanes)});
      }
    }
    c.storeRows(scratch, rows.height, rows.packed, rows.at, rows.row,
                rows.count, panels);
  }

  /// `body` for all panels, as many at a time as the shape holds.
  void groupsOfPanels(const Shape &shape,
                      llvm::function_ref<void(ArrayRef<Value>)> body) {
    int64_t matrices = k.weights.size();
    int64_t width = std::max<int64_t>(shape.streams / matrices, 1);
    if (std::optional<int64_t> count = k.panelCount()) {
      width = std::min(width, *count);
    }
    k.each(k.zero, k.panels, width,
           [&](Value n) { body(k.panelsFrom(n, width)); });
  }

  void blocks() {
    Value height = k.index(many.rows);
    Value last = arith::SubIOp::create(b, loc, c.pack.whole, height);
    groupsOfPanels(many, [&](ArrayRef<Value> panels) {
      k.each(k.zero, c.pack.whole, many.rows, [&](Value m) {
        // The last tile ends with the last row, and stores some again.
        Value top = arith::MinUIOp::create(b, loc, m, last);
        tile({c.pack.blocks, top, top, height, many.rows}, many.streams,
             panels);
      });
    });
  }

  void few(Value row, Value count, ArrayRef<Shape> shapes) {
    Shape shape = shapes.front();
    auto emit = [&](bool once) {
      groupsOfPanels(shape, [&](ArrayRef<Value> panels) {
        if (once) {
          return tile({c.pack.rest, k.zero, row, count, shape.rows},
                      shape.streams, panels);
        }
        k.each(k.zero, count, shape.rows, [&](Value m) {
          Value left = arith::SubIOp::create(b, loc, count, m);
          Value some =
              arith::MinUIOp::create(b, loc, left, k.index(shape.rows));
          Value top = arith::AddIOp::create(b, loc, row, m);
          tile({c.pack.rest, m, top, some, shape.rows}, shape.streams, panels);
        });
      });
    };
    if (shapes.size() == 1) {
      return emit(false);
    }
    scf::IfOp::create(
        b, loc,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, count,
                              k.index(shape.rows)),
        [&](OpBuilder &, Location) {
          emit(true);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &, Location) {
          few(row, count, shapes.drop_front());
          scf::YieldOp::create(b, loc);
        });
  }
};
} // namespace

void QuantizedKernel::dotBlocks() { Dots(*this).blocks(); }

void QuantizedKernel::dotFew(Value row, Value count) {
  Dots dots(*this);
  dots.few(row, count, dots.low);
}
