"""A linear policy as a stand-alone C# class, and a program that replays its golden vectors.

The class needs no library and nothing newer than C# 5: Unity, Godot's C#, .NET and Mono take it alike.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING

from turnsmith.adapters.program_text import bits, commented, heading, identifiers, number, numbers, pascal, scaled
from turnsmith.common.errors import BadInput
from turnsmith.nets.linear_policy import LinearPolicy

if TYPE_CHECKING:
    from turnsmith.adapters.golden import Vectors

RESERVED = {"Inputs", "ToArray", "Action", "Equals", "ToString", "GetType", "GetHashCode", "ReferenceEquals"}
"""Names a field cannot have beside what is there already."""


def refuse_name(name: str) -> None:
    """The class has the name of its file, as C# wants it."""
    if not re.fullmatch(r"[A-Z][A-Za-z0-9]{0,99}", name) or name in RESERVED:
        raise BadInput(
            f"--to {name}.cs: the class takes this name; write letters and digits, a capital first: Brain.cs"
        )


CLASS = """{heading}
public static class {name}
{{
    /// <summary>What the policy looks at.</summary>
    public sealed class Inputs
    {{
{fields}

        public double[] ToArray()
        {{
            return new double[] {{ {listed} }};
        }}
    }}

    /// <summary>What it may do, in the order of columns.</summary>
    public enum Action
    {{
{actions}
    }}

    public static readonly string[] InputNames = {{ {input_names} }};
    public static readonly string[] ActionNames = {{ {action_names} }};

    /// <summary>A row for each input, a column for each action.</summary>
    public static readonly double[,] Weights =
    {{
{weights}
    }};

    /// <summary>The score of each action, possible or not.</summary>
    public static double[] Scores(Inputs inputs)
    {{
        double[] given = inputs.ToArray();
        double[] scores = new double[{columns}];
        for (int column = 0; column < {columns}; column++)
        {{
            double sum = 0.0;
            for (int row = 0; row < {rows}; row++)
            {{
                sum += given[row] * Weights[row, column];
            }}
            scores[column] = sum;
        }}
        return scores;
    }}

    /// <summary>The place of the greatest score of a possible action, the first of equals; -1 without any.</summary>
    public static int Choose(double[] scores, bool[] possible)
    {{
        int best = -1;
        for (int column = 0; column < {columns}; column++)
        {{
            if (possible[column] && (best < 0 || scores[column] > scores[best]))
            {{
                best = column;
            }}
        }}
        return best;
    }}

    /// <summary>What to do: one of the actions that are possible (at least one must be).</summary>
    public static Action Decide(Inputs inputs, bool[] possible)
    {{
        return (Action)Choose(Scores(inputs), possible);
    }}
}}
"""


def class_text(name: str, policy: LinearPolicy) -> str:
    """The source of a class of that name."""
    fields = identifiers((entry.name for entry in policy.inputs), pascal, {*RESERVED, name})
    actions = identifiers((action.name for action in policy.actions), pascal)
    declared = []
    for field, entry in zip(fields, policy.inputs, strict=True):
        usual = f" = {number(entry.low)}" if entry.low == entry.high else ""
        declared += [*summary(scaled(entry)), f"        public double {field}{usual};"]
    done = []
    for action, every in zip(actions, policy.actions, strict=True):
        done += [*summary(every.meaning), f"        {action},"]
    rows = (
        f"        {{ {numbers(row)} }}, // {entry.name}"
        for row, entry in zip(policy.matrix, policy.inputs, strict=True)
    )
    return CLASS.format(
        heading="\n".join(heading(policy, "// ")),
        name=name,
        fields="\n".join(declared),
        listed=", ".join(fields),
        actions="\n".join(done),
        input_names=", ".join(json.dumps(entry.name) for entry in policy.inputs),
        action_names=", ".join(json.dumps(every.name) for every in policy.actions),
        weights="\n".join(rows),
        rows=len(fields),
        columns=len(actions),
    )


def summary(text: str) -> list[str]:
    """A comment that editors show, above a member."""
    return commented(f"<summary>{escape(text)}</summary>", "        /// ")


TEST = """// Replays the golden vectors of {name}: prints how many agree, and ends with 0 if all do.
// mcs {name}.cs {name}Test.cs -out:{name}Test.exe && mono {name}Test.exe
public static class {name}Test
{{
    const double Tolerance = {tolerance};

    static int checkedCount = 0, wrong = 0;

    public static int Main()
    {{
{calls}
        System.Console.WriteLine((checkedCount - wrong) + " of " + checkedCount + " golden vectors agree");
        return wrong == 0 ? 0 : 1;
    }}

    static void Check(string where, double[] given, string possible, double[] scores, int action)
    {{
        {name}.Inputs inputs = new {name}.Inputs();
{assigned}
        bool[] can = new bool[{columns}];
        for (int column = 0; column < {columns}; column++)
        {{
            can[column] = possible[column] == '1';
        }}
        double[] found = {name}.Scores(inputs);
        double scale = 0.0;
        bool agree = (int){name}.Decide(inputs, can) == action && {name}.Choose(scores, can) == action;
        for (int column = 0; column < {columns}; column++)
        {{
            scale = System.Math.Max(scale, System.Math.Abs(scores[column]));
        }}
        for (int column = 0; column < {columns}; column++)
        {{
            agree &= System.Math.Abs(found[column] - scores[column]) <= Tolerance * scale;
        }}
        checkedCount++;
        if (!agree)
        {{
            wrong++;
            System.Console.WriteLine(where + ": " + {name}.Decide(inputs, can) + ", not " + ({name}.Action)action);
        }}
    }}
{parts}
}}
"""
LINES_A_PART = 100
"""Vectors of one method: compilers are slow with very long ones."""


def test_text(name: str, policy: LinearPolicy, vectors: Vectors) -> str:
    """The source of a program that compares the class with the vectors."""
    from turnsmith.adapters.golden import TOLERANCE, where

    fields = identifiers((entry.name for entry in policy.inputs), pascal, {*RESERVED, name})
    lines = [
        f"        Check({json.dumps(where(vector))}, new double[] {{ {numbers(vector.inputs)} }}, "
        f'"{bits(vector.possible)}", new double[] {{ {numbers(vector.scores)} }}, {vector.action});'
        for vector in vectors.vectors
    ]
    parts = [lines[begin : begin + LINES_A_PART] for begin in range(0, len(lines), LINES_A_PART)]
    methods = ("\n".join(("", f"    static void Part{n}()", "    {", *part, "    }")) for n, part in enumerate(parts))
    return TEST.format(
        name=name,
        tolerance=number(TOLERANCE),
        calls="\n".join(f"        Part{number}();" for number in range(len(parts))),
        assigned="\n".join(f"        inputs.{field} = given[{row}];" for row, field in enumerate(fields)),
        columns=len(policy.actions),
        parts="\n".join(methods),
    )
