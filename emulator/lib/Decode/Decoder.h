//===- Decoder.h - From a syntax tree to a program --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_DECODER_H
#define CHEEMS_EMULATOR_DECODE_DECODER_H

#include "AsyncRegisters.h"
#include "Calls.h"
#include "Constants.h"
#include "Family.h"
#include "Layout.h"
#include "OpcodeTable.h"
#include "Program.h"
#include "Storage.h"

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

struct SystemCall;

/// The instructions that a brx.idx chooses from.
struct BranchTargets {
  std::vector<uint32_t> instructions;
};

/// Decodes one entry of a module with all functions that it may call.
///
/// While it works a slot of Base::registers has the number of a virtual
/// register (times 4) instead of an offset. Registers get their places when a
/// whole function is known, so a family must not look into such a slot.
class Decoder {
public:
  Decoder(const ptx::Module &module, const Symbols &symbols,
          const OpcodeTable &opcodes, int architecture,
          bool reuseRegisters = true);

  struct Result {
    std::shared_ptr<const Program> program;
    /// The most 32-bit registers that are live at once.
    int registers = 0;
  };
  /// Throws Refusal or NotModelled.
  Result decode(const ptx::Function &entry);

  // -- For control flow. The opcodes "bra", "brx", "exit", "ret", "trap" and
  // "call" tell here where a thread may go on; registers share places by that.

  /// Emits a branch: Instruction::payload is the number of the instruction that
  /// `target` stands before. Lanes whose guard does not hold go on after the
  /// branch. A branch without a guard, all of whose lanes take it, ends the
  /// path.
  void emitBranch(Statement &statement, Handler handler,
                  const ptx::LabelReference &target, bool allLanesTakeIt = true,
                  std::span<const Slot> slots = {});
  /// Emits a branch through a list: the payload is a BranchTargets.
  void emitBranches(Statement &statement, Handler handler,
                    std::span<const Slot> slots,
                    const std::vector<ptx::LabelReference> &targets);
  /// Threads that execute the statement do not go on after it (exit, ret,
  /// trap).
  void endsPath(Statement &statement);
  /// The statement belongs to the entry: `ret` there is an exit. In another
  /// function it is Warp::returnFromCall, and endsPath.
  bool isInEntry() const { return current == entry; }
  /// Emits the opcodes "%parameter" and "%result". Their one operand is a
  /// register that a parameter or result of the function has: `move` takes it
  /// from the frame or puts it there, as a FrameRegister says.
  void emitFormal(Statement &statement, Handler move, bool isResult);
  /// Emits what Decode/Calls.h says.
  void emitCall(Statement &statement, const CallHandlers &handlers);

  int gpuArchitecture() const { return architecture; }
  const ptx::Module &ptxModule() const { return module; }

private:
  friend class Statement;

  /// A destination that is narrower than its register: what writes the register
  /// after the statement's own instructions.
  struct Postponed {
    Handler handler;
    Slot destination, source;
  };
  struct Fixup {
    uint32_t instruction, target; ///< a statement
  };
  /// Numbers that are known when all functions are.
  struct CallFixup {
    const ptx::Function *caller;
    std::shared_ptr<CallSite> site;
    const ptx::Function *callee; ///< null: any function
  };
  struct FrameFixup {
    const ptx::Function *caller;
    uint64_t *frameBytes; ///< of it
  };
  struct SaveFixup {
    uint32_t node, save, restore; ///< a statement and its instructions
    std::shared_ptr<SavedRegisters> saved;
  };
  struct ListFixup {
    std::shared_ptr<BranchTargets> list;
    std::vector<uint32_t> targets; ///< statements
  };

  void decodeFunction(const ptx::Function &function);
  void decodeStatement(const ptx::Instruction &syntax);
  /// `opcode`, which no text has, for those of `formals` that are registers.
  void moveFormals(const std::vector<const ptx::Variable *> &formals,
                   const char *opcode, int line);
  /// Emits what a family wants before statement `number`.
  void watch(size_t number, const ptx::Instruction &syntax);
  void finishFunction();
  void fillSaved();
  void fillCalls();
  bool mayCall(const ptx::Function *from, const ptx::Function *to) const;
  void emitArgument(Statement &statement, const CallHandlers &handlers,
                    const ptx::Operand &operand, const ptx::Variable *formal,
                    bool isResult, uint32_t &offset, FrameTransfer &transfer);
  void emitJump(Statement &statement, const CallHandlers &handlers,
                const ptx::Function *callee, Slot target,
                uint64_t interfaceBytes);
  void emitSystemCall(Statement &statement, Handler handler,
                      const SystemCall &call, const ptx::Function &function);
  void finish();

  /// A new virtual register of `bits` (1 to 128).
  Slot newRegister(int bits);
  /// The virtual register that a declared one is.
  Slot registerOf(const ptx::Variable &variable, int component);
  void use(Slot slot, bool reads, bool kills);
  void pin(Slot slot);
  /// The slot that has the address of the running function's frame, for each
  /// lane.
  Slot framePointer();
  Slot carryFlag();
  void emit(int line, Handler handler, Pipe pipe, std::span<const Slot> slots,
            uint64_t payload);
  const ptx::Operand &own(ptx::Operand operand);
  /// A register that the opcode "%clock", "%clock_hi" or "%clock64" writes.
  Slot readClock(Statement &reader, const std::string &name, int bits);

  const ptx::Module &module;
  const Symbols &symbols;
  const OpcodeTable &opcodes;
  const int architecture;
  const bool reuseRegisters;

  // -- of the kernel
  const ptx::Function *entry = nullptr;
  std::unique_ptr<StorageMap> storage;
  std::shared_ptr<Program> program;
  Constants constants;
  std::vector<uint32_t> slotBegins; ///< of each instruction
  uint32_t arenaBytes = 0;
  int peakRegisters = 0;
  std::vector<const ptx::Function *> functions; ///< the entry first
  std::unordered_map<const ptx::Function *, uint32_t> begins;
  std::unordered_map<const ptx::Function *, uint64_t> frames;
  std::vector<CallFixup> callFixups;
  std::vector<FrameFixup> frameFixups;
  std::deque<ptx::Operand> ownOperands;
  std::deque<ptx::Variable> ownVariables;

  // -- of the function that is being decoded
  const ptx::Function *current = nullptr;
  uint32_t firstInstruction = 0, firstSlot = 0;
  Flow flow;
  std::optional<AsyncRegisters> asyncRegisters;
  std::vector<uint32_t> starts; ///< the first instruction of each statement
  std::unordered_map<const ptx::Variable *, uint32_t> registers;
  std::optional<Slot> carry;
  std::vector<Fixup> fixups;
  std::vector<ListFixup> listFixups;
  std::vector<SaveFixup> saveFixups;

  // -- of the statement
  int currentLine = 0;
  Slot guard;
  std::string text;
  std::vector<Postponed> postponed;
};

} // namespace cheems::emulator

#endif
