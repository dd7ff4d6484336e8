"""A linear policy as a GDScript file, and a script that replays its golden vectors; both run in Godot 3 and 4.

What differs between the two (typed arrays, files, annotations) is not used.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from turnsmith.adapters.program_text import bits, commented, heading, identifiers, number, numbers, scaled, snake
from turnsmith.nets.linear_policy import LinearPolicy

if TYPE_CHECKING:
    from turnsmith.adapters.golden import Vectors

WORDS = """
and as assert await break breakpoint class class_name const continue elif else enum export extends for func if
in is master match not null onready or pass preload puppet remote return self setget signal static super tool
trait true false var void while yield namespace PI TAU INF NAN get set script to_array free new floor ceil round
sign abs min max pow exp log sqrt sin cos tan seed str int float bool range len print load hash lerp clamp
"""
RESERVED = frozenset(WORDS.split())
"""Words of the language and names that every object or script has."""


SCRIPT = """{heading}
#
# const Brain = preload("res://{name}.gd")
# var inputs = Brain.Inputs.new()
# inputs.{second} = …
# var action = Brain.decide(inputs, possible)  # possible: an Array of {columns} booleans; an index of ACTION_NAMES

const INPUT_NAMES = [{input_names}]
const ACTION_NAMES = [{action_names}]

# What it may do, in the order of columns.
{actions}

# A row for each input, a column for each action.
const WEIGHTS = [
{weights}
]


# What the policy looks at.
class Inputs:
{fields}

	func to_array():
		return [{listed}]


# The score of each action, possible or not.
static func scores(inputs):
	var given = inputs.to_array()
	var found = []
	for column in range({columns}):
		var sum = 0.0
		for row in range({rows}):
			sum += given[row] * WEIGHTS[row][column]
		found.append(sum)
	return found


# The place of the greatest score of a possible action, the first of equals; -1 if there is none.
static func choose(found, possible):
	var best = -1
	for column in range({columns}):
		if possible[column] and (best < 0 or found[column] > found[best]):
			best = column
	return best


# What to do: the place of an action that is possible (at least one must be).
static func decide(inputs, possible):
	return choose(scores(inputs), possible)
"""


def script_text(name: str, policy: LinearPolicy) -> str:
    """The source of a script, to be preloaded."""
    fields = identifiers((entry.name for entry in policy.inputs), snake, RESERVED)
    declared = []
    for field, entry in zip(fields, policy.inputs, strict=True):
        usual = entry.low if entry.low == entry.high else 0.0
        declared += [*commented(scaled(entry), "\t# "), f"\tvar {field} = {number(usual)}"]
    constants = (name.upper() for name in identifiers((action.name for action in policy.actions), snake, RESERVED))
    done = []
    for place, (constant, action) in enumerate(zip(constants, policy.actions, strict=True)):
        done += [*commented(action.meaning, "# "), f"const {constant} = {place}"]
    rows = (f"\t[{numbers(row)}], # {entry.name}" for row, entry in zip(policy.matrix, policy.inputs, strict=True))
    return SCRIPT.format(
        heading="\n".join(heading(policy, "# ")),
        name=name,
        second=fields[min(1, len(fields) - 1)],
        columns=len(policy.actions),
        rows=len(fields),
        input_names=", ".join(json.dumps(entry.name) for entry in policy.inputs),
        action_names=", ".join(json.dumps(action.name) for action in policy.actions),
        actions="\n".join(done),
        weights="\n".join(rows),
        fields="\n".join(declared),
        listed=", ".join(fields),
    )


TEST = """# Replays the golden vectors of {name}.gd: prints how many agree, and ends with 0 if all do.
# Godot 3: godot3-server --path . -s {name}_test.gd        Godot 4: godot --headless --path . -s {name}_test.gd
extends SceneTree

const TOLERANCE = {tolerance}
# Where, inputs, what is possible, scores, action.
const VECTORS = [
{vectors}
]


func _init():
	var brain = load(get_script().resource_path.get_base_dir() + "/{name}.gd")
	var wrong = 0
	for vector in VECTORS:
		if not agrees(brain, vector):
			wrong += 1
			print(vector[0])
	print(str(VECTORS.size() - wrong) + " of " + str(VECTORS.size()) + " golden vectors agree")
	quit(0 if wrong == 0 else 1)


func agrees(brain, vector):
	var inputs = brain.Inputs.new()
{assigned}
	var possible = []
	for column in range({columns}):
		possible.append(vector[2][column] == "1")
	var found = brain.scores(inputs)
	var scale = 0.0
	for score in vector[3]:
		scale = max(scale, abs(score))
	for column in range({columns}):
		if not abs(found[column] - vector[3][column]) <= TOLERANCE * scale:
			return false
	return brain.decide(inputs, possible) == vector[4] and brain.choose(vector[3], possible) == vector[4]
"""


def test_text(name: str, policy: LinearPolicy, vectors: Vectors) -> str:
    """The source of a script that compares the policy's with the vectors."""
    from turnsmith.adapters.golden import TOLERANCE, where

    fields = identifiers((entry.name for entry in policy.inputs), snake, RESERVED)
    lines = (
        f'\t[{json.dumps(where(vector))}, [{numbers(vector.inputs)}], "{bits(vector.possible)}", '
        f"[{numbers(vector.scores)}], {vector.action}],"
        for vector in vectors.vectors
    )
    return TEST.format(
        name=name,
        tolerance=number(TOLERANCE),
        vectors="\n".join(lines),
        assigned="\n".join(f"\tinputs.{field} = vector[1][{row}]" for row, field in enumerate(fields)),
        columns=len(policy.actions),
    )
