"""Proofs that a mutant changes nothing, from the control flow of the text alone: they hold for all launches and all orders of warps, and
nothing that the emulator checks goes into them. Each returns why, or None.

Groups of copies and products: the text and its mutant run along every path of the flow side by side. After each wait and until
the next statement that could tell the difference, the mutant has waited for all that the text has waited for.

Barriers of the whole block: what lies between the barriers before and after becomes one stretch. Nothing in its first
part and nothing in its second one can touch the same bytes, unless one thread does both or both only read. Whatever lies
further apart has another barrier between. Buffers of global memory that come from different parameters do not overlap.

fence.proxy.async: on every path to it comes another one, and between the two nobody has written or met others.
"""
import re

from flow import Flow

MOST_GROUPS = 16  # that a text counts back: waits ask for fewer
MOST_STATES = 20000

# -- Groups

KINDS = {  # of groups: what joins one, what closes one, what waits, what has another way of its own to wait
    "cp.async": (r"cp\.async\.c[ag]\.", r"cp\.async\.commit_group", r"cp\.async\.wait_(group|all)", r"cp\.async\.mbarrier"),
    "bulk": (r"cp\.async\.bulk\..*bulk_group", r"cp\.async\.bulk\.commit_group", r"cp\.async\.bulk\.wait_group", r"cp\.reduce"),
    "wgmma": (r"wgmma\.mma_async", r"wgmma\.commit_group", r"wgmma\.wait_group", r"$^"),
}
MEMORY = re.compile(r"(ld|st|atom|red|ldmatrix|stmatrix|cp|bar|barrier|mbarrier|membar|tensormap|ret|exit|trap|call|shfl|vote)\b")


def kind_of(text):
    for name, (joins, closes, waits, _) in KINDS.items():
        if name == "cp.async" and text.startswith("cp.async.bulk"):
            continue
        for role, pattern in (("joins", joins), ("closes", closes), ("waits", waits)):
            if re.match(pattern, text):
                return name, role
    return None, None


def kept(text):
    number = re.search(r"\s(\d+)$", text)
    return int(number[1]) if number else 0


def groups(flow, place, mutated):
    """`mutated` is the text of the statement in the mutant, or None."""
    name, _ = kind_of(flow.statements[place].text)
    own_way = re.compile(KINDS[name][3])
    if any(own_way.match(statement.text) for statement in flow.statements):
        return None
    of_matmuls = set()
    if name == "wgmma":
        for statement in flow.statements:
            if statement.text.startswith("wgmma.mma_async"):
                of_matmuls |= statement.registers

    def tells(statement):
        """Whether it could tell if a group has ended."""
        if name == "wgmma" and statement.text.startswith(("wgmma.", "fence.proxy.async")):
            return False
        return bool(MEMORY.match(statement.text)) or bool(statement.registers & of_matmuls)

    def waited(state, text, mutant):
        """A state: pairs of how many groups were closed since something joined one, in the text and in the mutant. -1: it has ended."""
        result = set()
        for here, there in state:
            if text and (here > kept(text) or (text.startswith("cp.async.wait_all") and here >= 0)):
                here = -1
            if mutant and (there > kept(mutant) or (mutant.startswith("cp.async.wait_all") and there >= 0)):
                there = -1
            if there >= 0:
                result.add((here, there))
        return frozenset(result)

    def closed(state, is_text, is_mutant):
        return frozenset((min(here + is_text, MOST_GROUPS) if here >= 0 else here, min(there + is_mutant, MOST_GROUPS))
                         for here, there in state)

    seen, work = set(), [(0, frozenset())]
    while work:
        i, state = work.pop()
        if (i, state) in seen:
            continue
        seen.add((i, state))
        if len(seen) > MOST_STATES:
            return None
        if i == len(flow.statements):
            if any(here < 0 for here, _ in state):
                return None
            continue
        statement = flow.statements[i]
        kind, role = kind_of(statement.text)
        in_mutant = mutated if i == place else statement.text
        after = [state]
        if kind == name:
            if role == "joins":
                after = [state | {(0, 0)}]
            elif role == "closes":
                after = [closed(state, 1, in_mutant is not None)]
            else:
                after = [waited(state, statement.text, in_mutant)]
            if statement.guard and role != "joins":
                after.append(state)
        if not (kind == name and role != "joins") and tells(statement) and any(here < 0 for here, _ in state):
            return None
        work.extend((following, one) for one in after for following in flow.next[i])
    return "on every path all that the text has waited for is waited for before anything can tell"


# -- Barriers

def guard_class(flow, statement):
    """Which one thread of a block executes it: the elected one, or thread 0. None: maybe several. That it is one of them and no more
    follows from the text without mutation: an mbarrier that several initialise, expect bytes for or copy for is a finding."""
    if not statement.guard:
        return None
    alone = re.match(r"(mbarrier\.(init|inval|arrive\.expect_tx)|cp\.async\.bulk\.(tensor|shared|global))", statement.text)
    work, seen, found = [statement.guard.lstrip("@!")], set(), set()
    while work and alone:
        register = work.pop()
        if register in seen:
            continue
        seen.add(register)
        for other in flow.definitions.get(register, []):
            if other.opcode == "elect.sync":
                found.add("elected")
            elif other.opcode.startswith("setp.eq") and other.operands.endswith(", 0"):
                found.add("thread 0")
            elif other.opcode == "and.pred":
                work += re.findall(r"%p\w+", other.operands.split(",", 1)[1])
    return "elected" if "elected" in found else "thread 0" if found else None


def buffers(flow, statement):
    """The parameters from which addresses of a statement come; what is loaded from memory may be an index, but no address."""
    inside = re.findall(r"\[([^\]]*)\]", statement.text)
    work, seen, found = re.findall(r"%\w+", " ".join(inside)), set(), set()
    if statement.text.startswith("cp.async.bulk"):  # by a tensor map
        return frozenset(["all"])
    while work:
        register = work.pop()
        if register in seen:
            continue
        seen.add(register)
        for other in flow.definitions.get(register, []):
            if other.opcode.startswith("ld.param.b64"):
                found.add(re.search(r"\[(\w+)", other.operands)[1])
            elif not other.opcode.startswith(("ld.", "atom.", "shfl.")):
                work += re.findall(r"%\w+", other.operands.split(",", 1)[1])
    return frozenset(found) or frozenset(["all"])


def touches(flow, statement):
    """Returns what touches_of does, and keeps it."""
    if statement not in flow.known:
        flow.known[statement] = touches_of(flow, statement)
    return flow.known[statement]


def touches_of(flow, statement):
    """(what, how, which one thread) of all that a statement does to memory; None: what this does not know"""
    text, one = statement.text, guard_class(flow, statement)
    if re.match(r"mbarrier\.(init|inval)", text):
        return [("mbarrier", "changes", one)]
    if re.match(r"mbarrier\.", text):
        # A test that only some threads make tells the others something by the barrier after it.
        return None if statement.guard and "wait" in text else [("mbarrier", "uses", one)]
    if re.match(r"cp\.async\.bulk\..*mbarrier", text):
        return [("mbarrier", "uses", one), ("shared", "copies", one)]
    if re.match(r"cp\.async\.bulk\.(tensor|global)", text):
        return [("shared", "reads", one), ("global", "writes", one, buffers(flow, statement))]
    if re.match(r"cp\.async\.bulk\.", text):  # groups: only who has asked for stores has some
        return [("shared", "reads", None), ("global", "writes", None, buffers(flow, statement))]
    if re.match(r"cp\.async\.commit_group", text):
        return []
    if re.match(r"cp\.async\.wait", text):
        copies = [one for other in flow.statements if re.match(r"cp\.async\.c[ag]", other.text) for one in touches(flow, other)]
        return copies or [("shared", "writes", None)]
    if re.match(r"cp\.async\.", text):
        return [("shared", "writes", None), ("global", "reads", None, buffers(flow, statement))]
    if re.match(r"wgmma\.(mma_async|wait_group)", text):
        return [("shared", "multiplies", None)]
    if re.match(r"wgmma\.", text):
        return []
    if re.match(r"(ld\.shared|ldmatrix)", text):
        return [("shared", "reads", None)]
    if re.match(r"(st|red|atom)\.(volatile\.)?shared|stmatrix", text):
        return [("shared", "writes", None)]
    if re.match(r"ld\.(param|const|local)|st\.local", text):
        return []
    if re.match(r"ld\.global", text):
        return [("global", "reads", None, buffers(flow, statement))]
    if re.match(r"(st|atom|red)\.global", text):
        return [("global", "writes", None, buffers(flow, statement))]
    if re.match(r"fence\.proxy\.async", text):
        return [("shared", "reads", None)] if statement.guard else []
    if re.match(r"(ld|st|atom|red|cp|tensormap|fence|membar|bar|barrier|shfl\.(?!sync)|call)\b", text):
        return [] if re.match(r"bar\.warp", text) else None
    return []


def is_atomic(statement):
    return bool(re.match(r"(atom|red)\.global", statement.text))


def overlap(first, second):
    """Whether two touches of global memory may overlap."""
    both = first[3] | second[3]
    return "all" in both or bool(first[3] & second[3])


def conflict(first, second, is_one_warpgroup):
    what, how, one = first[:3]
    if what != second[0] or (one and one == second[2]):
        return False
    both = {how, second[1]}
    if both <= {"reads", "multiplies"} or both <= {"uses"}:
        return False
    if what == "global" and not overlap(first, second):
        return False
    # A product ends for all of the warpgroup, and each thread waits for that itself (PTX ISA, "wgmma.wait_group").
    if how == "multiplies" and is_one_warpgroup:
        return False
    # A copy that signals an mbarrier ends when that says so, not at a barrier.
    return how != "copies" or second[1] == "copies"


def whole_block(flow, ptx):
    """A test for barriers of all threads; None if there are others."""
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", ptx)
    barriers = {statement.text for statement in flow.statements if re.match(r"(bar\.(?!warp)|barrier\.)", statement.text)}
    names = [re.match(r"bar\.sync\s+0(?:,\s*(\d+))?$", text) for text in barriers]
    if not all(name and (not name[1] or (threads and name[1] == threads[1])) for name in names):
        return None
    if any(s.guard for s in flow.statements if s.text in barriers):
        return None
    return lambda statement: statement.text in barriers


def barrier(flow, place, ptx):
    is_barrier = whole_block(flow, ptx)
    if not is_barrier or not is_barrier(flow.statements[place]):
        return None
    sides, numbers = [], set()
    for edges in (flow.before, flow.next):
        of_side, _ = flow.reach(place, edges, is_barrier)
        numbers |= of_side
        all_touches = set()
        for number in of_side:
            one = [] if is_wait_without_effect(flow, number) else touches(flow, flow.statements[number])
            if one is None:
                return None
            all_touches.update(one)
        sides.append(all_touches)
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", ptx)
    is_one_warpgroup = bool(threads) and int(threads[1]) <= 128
    if any(conflict(first, second, is_one_warpgroup) for first in sides[0] for second in sides[1]):
        return None
    # An atomic may tell other blocks what its own has done before, or learn what it may do after.
    if any(is_atomic(flow.statements[number]) for number in numbers):
        written = [one for statement in flow.statements for one in touches(flow, statement) or () if one[:2] == ("global", "writes")]
        for number in numbers:
            for one in touches(flow, flow.statements[number]) or ():
                if one[0] == "global" and not is_atomic(flow.statements[number]) and any(overlap(one, other) for other in written):
                    return None
    return "between the barriers before and after it no two threads touch the same memory, unless all of them only read"


def is_wait_without_effect(flow, number):
    if number not in flow.known:
        _, role = kind_of(flow.statements[number].text)
        flow.known[number] = role == "waits" and groups(flow, number, None) is not None
    return flow.known[number]


# -- Fences

def proxy_fence(flow, place):
    def is_fence(statement):
        return statement.text.startswith("fence.proxy.async") and not statement.guard

    numbers, reaches_begin = flow.reach(place, flow.before, is_fence)
    tells = re.compile(r"(st|atom|red|stmatrix|cp\.async\.(c[ag]|wait)|bar|barrier|mbarrier|call|tensormap)\b")
    if reaches_begin or any(tells.match(flow.statements[number].text) for number in numbers):
        return None
    return "another fence comes before it on every path, and nothing is written or learnt between"


def proof(mutant, ptx, flows={}):
    """Why the mutant changes nothing, or None."""
    if mutant.kind not in ("wait removed", "wait for one less", "commit removed", "barrier removed", "fence removed"):
        return None
    flow = flows.get(mutant.kernel)
    if flow is None:
        flow = flows[mutant.kernel] = Flow(ptx)
    if not flow.is_known or mutant.count != 1:
        return None
    place = flow.at(mutant.line)
    if mutant.kind == "barrier removed":
        return barrier(flow, place, ptx)
    if mutant.kind == "fence removed":
        return proxy_fence(flow, place) if flow.statements[place].text.startswith("fence.proxy.async") else None
    mutated = None
    if mutant.lines:
        mutated = re.sub(r"^\s*(@!?%\w+\s+)?", "", mutant.lines[0]).rstrip("; ")
    return groups(flow, place, mutated)
