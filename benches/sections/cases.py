"""Several cases of a section: one that fails is named, and the others stay."""

import traceback


def attempted(case, env, opts, cases):
    """What `case(env, opts, *words)` found, or why it found nothing, for each of the cases."""
    found = []
    for words in cases:
        try:
            found.append(case(env, opts, *words))
        except Exception as error:
            traceback.print_exc()
            found.append({"failed": f"{' '.join(map(str, words))}: {error}"})
    return found


def told_apart(found):
    """The cases that were measured, and a note on the others and on what was missing in them."""
    good = [case for case in found if "failed" not in case]
    notes = [case["failed"] for case in found if "failed" in case]
    notes += [f"{name}: {why}" for case in good for name, why in case.get("missing", {}).items()]
    return good, "".join(f"\n\nNot measured: {note}." for note in dict.fromkeys(notes))
