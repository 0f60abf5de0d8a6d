// The tensors of a state-space (SSD) layer.
#include "lib/Import/DogeLike/Parts.h"
#include "lib/Import/Messages.h"

namespace cheems {
namespace {

/// Groups are read from b_proj's rows; c_proj must have as many.
llvm::Error bindGroups(DogeLikeBinding &binding, SSD &ssd,
                       const std::string &prefix) {
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  const Binder::Flag &flag = read.ssdBias;
  int64_t size = read.ssdStateSize;
  ssd.groups = read.heads;
  std::string b = prefix + "b_proj.weight", c = prefix + "c_proj.weight";
  if (const TensorView *view = binder.find(b)) {
    int64_t rows = view->shape.size() == 2 ? view->shape[0] : 0;
    if (rows < size || rows % size != 0 || read.heads % (rows / size) != 0) {
      return failed(binder.pathOf(b) + ": tensor " + quoted(b) + " has shape " +
                    shapeText(view->shape) +
                    ", but its rows must be ssd_state_size " +
                    llvm::Twine(size) +
                    " times a number of groups that divides "
                    "num_attention_heads " +
                    llvm::Twine(read.heads));
    }
    ssd.groups = rows / size;
    const TensorView *other = binder.find(c);
    if (other && other->shape != view->shape) {
      return failed(binder.pathOf(c) + ": tensor " + quoted(c) + " has shape " +
                    shapeText(other->shape) + ", but " + quoted(b) + " has " +
                    shapeText(view->shape) + "; their groups must agree");
    }
  }
  int64_t rows = ssd.groups * size;
  if (llvm::Error error =
          binder.take(ssd.b, prefix + "b_proj", rows, read.hidden, flag)) {
    return error;
  }
  return binder.take(ssd.c, prefix + "c_proj", rows, read.hidden, flag);
}

} // namespace

llvm::Error bindSSD(DogeLikeBinding &binding, SSD &ssd,
                    const std::string &prefix) {
  Binder &binder = binding.binder;
  const DogeLikeFields &read = binding.read;
  const Binder::Flag &flag = read.ssdBias;
  ssd.heads = read.heads;
  ssd.headSize = read.headDim;
  ssd.stateSize = read.ssdStateSize;
  ssd.rotary = RotaryUse{0, read.ssdStateSize};
  int64_t inner = read.heads * read.headDim;
  if (llvm::Error error = bindGroups(binding, ssd, prefix)) {
    return error;
  }
  if (llvm::Error error =
          binder.take(ssd.x, prefix + "x_proj", inner, read.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(ssd.step, prefix + "dt_proj", read.heads,
                                      read.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(ssd.output, prefix + "out_proj",
                                      read.hidden, inner, flag)) {
    return error;
  }
  std::string a = prefix + "A", logarithm = prefix + "A_log",
              skip = prefix + "D";
  ssd.logarithm = binder.has(logarithm);
  if (ssd.logarithm && binder.has(a)) {
    return failed(binder.pathOf(a) + ": tensors " + quoted(a) + " and " +
                  quoted(logarithm) +
                  " are both there; a layer has only one of them");
  }
  ssd.a = ssd.logarithm ? logarithm : a;
  if (llvm::Error error = binder.take(ssd.a, {read.heads})) {
    return error;
  }
  if (!binder.has(skip)) {
    return llvm::Error::success();
  }
  ssd.skip = skip;
  return binder.take(skip, {read.heads});
}

} // namespace cheems
