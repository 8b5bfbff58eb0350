"""Turn CUDA C (standard input) into C++ that the emulator runs (standard output)."""

import re
import sys

KERNEL = re.compile(r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(')
SHARED = re.compile(r"extern __shared__ __align__\(\d+\) unsigned char (\w+)\[\];")
LITERAL = r'"(?:[^"\\]|\\.)*"'
# What the driver calls, right behind a kernel: it may be in a part that the preprocessor leaves out.
ENTRY = """
static void emulator_call_{0}(void** given) {{ emulator::call({0}, given); }}
extern "C" void emulator_launch_{0}(void** given, const unsigned* sizes) {{ emulator::launch(emulator_call_{0}, given, sizes); }}
"""


def closing(text: str, at: int, pair: str) -> int:
    """Give the end of what begins with the bracket at this place; brackets in literals do not count."""
    depth = 0
    for found in re.compile(f"{LITERAL}|[{re.escape(pair)}]").finditer(text, at):
        depth += (found.group() == pair[0]) - (found.group() == pair[1])
        if depth == 0:
            return found.end()
    raise SystemExit("a bracket is not closed")


def instruction(body: str) -> str:
    """Give the call that stands for the inside of an asm statement: the name of its first instruction, with all operands."""
    code = re.match(rf"\s*(?:{LITERAL}\s*)+", body)
    if code is None:
        raise SystemExit(f"this is no instruction: {body}")
    # Operands are all that is in brackets behind a constraint.
    operands, at = [], code.end()
    while found := re.compile(r'"[^"]*"\s*\(').search(body, at):
        at = closing(body, found.end() - 1, "()")
        operands.append(body[found.end() : at - 1])
    name = re.findall(r"\w[\w.]*(?: \.f16)?", code.group())[0]
    name = re.sub(r"\W+", "_", name)
    return f"emulator::{name}({', '.join(operands)})"


def without_asm(text: str) -> str:
    """Put calls in place of asm statements."""
    out, at = "", 0
    for found in re.finditer(r"\basm(?:\s+volatile)?\s*\(", text):
        end = closing(text, found.end() - 1, "()")
        out += text[at : found.start()] + instruction(text[found.end() : end - 1])
        at = end
    return out + text[at:]


def with_entries(text: str) -> str:
    """Put behind every kernel what the driver calls."""
    out, at = "", 0
    for found in KERNEL.finditer(text):
        end = closing(text, text.index("{", found.end()), "{}")
        out += text[at:end] + ENTRY.format(found.group(1))
        at = end
    return out + text[at:]


text = SHARED.sub(r"unsigned char* \1 = emulator::shared;", without_asm(sys.stdin.read()))
sys.stdout.write('#include "ptx.h"\n' + with_entries(re.sub(r"#pragma unroll.*", "", text)))
