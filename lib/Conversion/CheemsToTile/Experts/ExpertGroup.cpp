// Finds experts that one launch may add.
#include "ExpertGroup.h"
#include "Builder/Elementwise.h"
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

RetrievalForm cheems::tile::formOf(RetrieveExpertsOp op) {
  return {shapeOf(op.getScores())[3], shapeOf(op.getScore())[2],
          op.getAscending()};
}

std::optional<std::string> cheems::tile::whyNoKernel(RetrieveExpertsOp op) {
  RetrievalForm form = formOf(op);
  if (form.keys > kMostKeys) {
    return "has more than " + std::to_string(kMostKeys) + " keys per half";
  }
  if (form.kept() > kMostKept) {
    return "makes pairs of more than " + std::to_string(kMostKept) +
           " keys per half";
  }
  return std::nullopt;
}

std::optional<std::string> cheems::tile::whyNoKernel(MixExpertsOp op) {
  if (shapeOf(op.getScore())[2] > kMostExperts) {
    return "adds more than " + std::to_string(kMostExperts) +
           " experts of a head";
  }
  if (shapeOf(op.getX())[1] > kMostTableColumns) {
    return "has rows of more than " + std::to_string(kMostTableColumns) +
           " numbers";
  }
  return std::nullopt;
}

tensor::ExtractSliceOp cheems::tile::columnBefore(Value scales) {
  auto slice = scales ? scales.getDefiningOp<tensor::ExtractSliceOp>()
                      : tensor::ExtractSliceOp();
  return slice && slice.getSourceType().getNumElements() ==
                      slice.getType().getNumElements()
             ? slice
             : tensor::ExtractSliceOp();
}

/// What takes some heads [T, h, k] of [T, H, k]; null if there is none.
static tensor::ExtractSliceOp headsBefore(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice || slice.getSourceType().getRank() != 3 ||
      slice.getType().getRank() != 3) {
    return {};
  }
  ArrayRef<int64_t> offsets = slice.getStaticOffsets();
  bool isOfHeads =
      offsets[0] == 0 && offsets[2] == 0 &&
      !ShapedType::isDynamic(offsets[1]) && slice.getType().getDimSize(1) > 0 &&
      llvm::all_of(slice.getStaticStrides(),
                   [](int64_t stride) { return stride == 1; }) &&
      slice.getType().getDimSize(2) == slice.getSourceType().getDimSize(2);
  return isOfHeads ? slice : tensor::ExtractSliceOp();
}

/// The first of the heads; none if both do not have the same ones of all.
static std::optional<int64_t> firstHead(MixExpertsOp op) {
  tensor::ExtractSliceOp score = headsBefore(op.getScore()),
                         expert = headsBefore(op.getExpert());
  bool areSame =
      score && expert && score->getBlock() == op->getBlock() &&
      expert->getBlock() == op->getBlock() &&
      score.getStaticOffsets()[1] == expert.getStaticOffsets()[1] &&
      score.getSourceType().getShape() == expert.getSourceType().getShape();
  return areSame ? std::make_optional(score.getStaticOffsets()[1])
                 : std::nullopt;
}

/// Whether a block of the launch of `first` could add these, too.
static bool isLike(MixExpertsOp op, MixExpertsOp first) {
  auto rest = [](MixExpertsOp one) {
    return std::make_tuple(one.getX(), one.getDown(), one.getUp(),
                           one.getDownScales(), one.getUpScales(),
                           one.getPlacement(), one.getActivation());
  };
  return op->getBlock() == first->getBlock() && rest(op) == rest(first) &&
         op.hasPureTensorSemantics() && filledWithZeros(op.getY());
}

/// All heads in parts of as many, but for the last one. None if there are not
/// all.
static SmallVector<MixExpertsOp> partsWith(MixExpertsOp op) {
  if (!firstHead(op)) {
    return {};
  }
  Value score = headsBefore(op.getScore()).getSource(),
        expert = headsBefore(op.getExpert()).getSource();
  SmallVector<MixExpertsOp> parts;
  for (Operation *slice : score.getUsers()) {
    auto part = slice->hasOneUse()
                    ? dyn_cast<MixExpertsOp>(*slice->user_begin())
                    : MixExpertsOp();
    if (part && isLike(part, op) && firstHead(part) &&
        headsBefore(part.getScore()).getSource() == score &&
        headsBefore(part.getExpert()).getSource() == expert) {
      parts.push_back(part);
    }
  }
  llvm::sort(parts, [](MixExpertsOp a, MixExpertsOp c) {
    return firstHead(a) < firstHead(c);
  });
  int64_t end = 0;
  for (MixExpertsOp part : parts) {
    bool follows =
        firstHead(part) == end && end % shapeOf(parts[0].getScore())[1] == 0 &&
        shapeOf(part.getScore())[1] <= shapeOf(parts[0].getScore())[1];
    if (!follows) {
      return {};
    }
    end += shapeOf(part.getScore())[1];
  }
  return end == shapeOf(score)[1] && llvm::is_contained(parts, op)
             ? parts
             : SmallVector<MixExpertsOp>();
}

static bool areInside(Operation::user_range users, ArrayRef<Operation *> ops) {
  return llvm::all_of(
      users, [&](Operation *user) { return llvm::is_contained(ops, user); });
}

ExpertGroup ExpertGroup::around(MixExpertsOp op) {
  ExpertGroup group;
  if (whyNoKernel(op) || !isLike(op, op)) {
    return group;
  }
  group.parts = partsWith(op);
  if (group.parts.empty()) {
    group.parts.push_back(op);
  }
  SmallVector<Value> experts = group.sources();
  auto retrieve = experts[0].getDefiningOp<RetrieveExpertsOp>();
  bool isOwn = retrieve && experts[1].getDefiningOp() == retrieve &&
               retrieve->getBlock() == op->getBlock() &&
               retrieve.hasPureTensorSemantics() &&
               areInside(retrieve->getUsers(), group.ops()) &&
               !whyNoKernel(retrieve);
  if (!isOwn) {
    return group;
  }
  group.retrieve = retrieve;
  // A block of few rows can compute the scores, too.
  auto scores = retrieve.getScores().getDefiningOp<linalg::GenericOp>();
  if (scores && isMatmulWithKeys(scores) && scores->hasOneUse() &&
      scores->getBlock() == op->getBlock() && hasFewRows(op) &&
      Strategy::takesKeys(
          cast<RankedTensorType>(scores.getInputs()[1].getType()))) {
    group.scores = scores;
  }
  return group;
}

ExpertGroup ExpertGroup::of(GroupOp group) {
  ExpertGroup experts = around(cast<MixExpertsOp>(group.getRoots().front()));
  return experts.parts.size() == group.getRoots().size() ? experts
                                                         : ExpertGroup();
}

int64_t ExpertGroup::heads() const {
  int64_t heads = 0;
  for (MixExpertsOp part : parts) {
    heads += shapeOf(part.getScore())[1];
  }
  return heads;
}

RetrievalForm ExpertGroup::form() const {
  return retrieve ? formOf(retrieve)
                  : RetrievalForm{1, shapeOf(root().getScore())[2], false};
}

SmallVector<Operation *> ExpertGroup::ops() const {
  SmallVector<Operation *> ops;
  if (scores) {
    ops.push_back(scores);
  }
  if (retrieve) {
    ops.push_back(retrieve);
  }
  for (MixExpertsOp part : parts) {
    if (parts.size() > 1) {
      ops.push_back(headsBefore(part.getScore()));
      ops.push_back(headsBefore(part.getExpert()));
    }
    ops.push_back(part);
  }
  return ops;
}

SmallVector<Value> ExpertGroup::operands() const {
  MixExpertsOp mix = root();
  SmallVector<Value> all = {mix.getX(), mix.getDown(), mix.getUp()};
  for (Value scales : {mix.getDownScales(), mix.getUpScales()}) {
    if (scales) {
      tensor::ExtractSliceOp column = columnBefore(scales);
      all.push_back(column ? column.getSource() : scales);
    }
  }
  return all;
}

SmallVector<Value> ExpertGroup::sources() const {
  if (linalg::GenericOp op = scores) {
    return op.getDpsInputs();
  }
  if (RetrieveExpertsOp op = retrieve) {
    return {op.getScores()};
  }
  MixExpertsOp mix = root();
  if (parts.size() > 1) {
    return {headsBefore(mix.getScore()).getSource(),
            headsBefore(mix.getExpert()).getSource()};
  }
  return {mix.getScore(), mix.getExpert()};
}

ExpertsStrategyAttr ExpertGroup::strategy(const Strategy &strategy) const {
  MixExpertsOp mix = root();
  RetrievalForm form = this->form();
  auto table = cast<RankedTensorType>(mix.getDown().getType());
  return strategy.experts(shapeOf(mix.getScore())[1], form.keys,
                          retrieve ? rankedPairs(form) : form.experts,
                          form.experts, table.getDimSize(1),
                          table.getElementType(), hasFewRows(mix),
                          /*withKeys=*/bool(scores));
}

ExpertsStrategyAttr
cheems::tile::strategyOfRetrieval(RetrieveExpertsOp op,
                                  const Strategy &strategy) {
  RetrievalForm form = formOf(op);
  return strategy.experts(/*heads=*/1, form.keys, rankedPairs(form),
                          form.experts, 1, Float32Type::get(op.getContext()),
                          hasFewRows(op), /*withKeys=*/false);
}
