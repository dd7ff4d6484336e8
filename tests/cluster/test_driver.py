"""The half of a job that stays here, with machines that are slow, die, lie or are out of date."""

import contextlib
import dataclasses
import json

import pytest

from turnsmith.cli import main
from turnsmith.cluster.driver import JobRun, Lost
from turnsmith.cluster.jobs import PartAnswer, Piece, stamp_of
from turnsmith.common.errors import BadInput


class Squares:
    """A job that squares numbers."""

    kind = "squares"
    repeats = True

    def sent(self):
        return b"squares"

    def code(self):
        return "squares, first edition"

    def work(self, part):
        first, count = json.loads(part)
        yield Piece(json.dumps([number**2 for number in range(first, first + count)]).encode())


@dataclasses.dataclass
class Machines:
    """Machines in a time of their own, each with two cores: how long they take for a unit, what they do wrong."""

    seconds: dict
    dies: dict = dataclasses.field(default_factory=dict)
    """When a machine goes away, though it is still listed for a while."""
    lies: tuple = ()
    stamps: dict = dataclasses.field(default_factory=dict)
    now: float = 0.0
    given: list = dataclasses.field(default_factory=list)
    most: dict = dataclasses.field(default_factory=dict)

    def clock(self):
        return self.now

    def alive(self):
        return {name: 2 for name in self.seconds if self.now < self.dies.get(name, 1e9) + 20}

    def name(self, node):
        return node

    def share(self, raw):
        return raw

    def give(self, node, kind, job, part, stamp, only_warm_up):
        count = 1 if only_warm_up else json.loads(part)[1]
        handle = (len(self.given), node, part, self.now + count * self.seconds[node], only_warm_up)
        self.given.append(handle)
        under_way = [each for each in self.given if each[1] == node and each[3] > self.now]
        self.most[node] = max(self.most.get(node, 0), len(under_way))
        return handle

    def end(self, handle):
        return min(handle[3], max(self.dies.get(handle[1], 1e9), self.now))

    def wait(self, given, seconds):
        first = min(given, key=self.end, default=None)
        self.now = min(self.now + seconds, max(self.now, self.end(first))) if first else self.now + seconds
        return [first] if first and self.end(first) <= self.now else []

    def take(self, handle):
        _, node, part, end, only_warm_up = handle
        if end > self.dies.get(node, 1e9):
            raise Lost("it died")
        stamp = self.stamps.get(node, stamp_of(Squares()))
        pieces = [] if only_warm_up else list(map(tuple, Squares().work(part)))
        return PartAnswer(stamp, "", [(same + b" ", b"") for same, _ in pieces] if node in self.lies else pieces)

    def drop(self, handle):
        pass


def spread(machines, units=1000):
    job = JobRun(
        machines, Squares(), units, lambda first, count: json.dumps([first, count]).encode(), 100, machines.clock
    )
    found = {}
    for result in job.results():
        numbers = [number for piece in result.pieces for number in json.loads(piece.same)]
        for place, number in enumerate(numbers):
            assert result.first + place not in found
            found[result.first + place] = number
    assert found == {number: number**2 for number in range(units)}
    return job


def test_tasks_grow_to_their_time_and_never_outnumber_cores():
    """Tasks of a slow machine are smaller, the usual one takes 10 to 60 seconds, and each machine compiles once."""
    machines = Machines({"fast": 0.25, "slow": 1.0})
    spread(machines)
    sizes = {name: [json.loads(each[2])[1] for each in machines.given if each[1] == name] for name in machines.seconds}
    assert 40 <= max(sizes["fast"]) <= 100
    assert 10 <= max(sizes["slow"]) <= 30
    assert max(machines.most.values()) <= 2
    assert [sum(each[4] for each in machines.given if each[1] == name) for name in machines.seconds] == [1, 1]


def test_what_a_dead_machine_had_is_given_again():
    """Machines that go away in the middle, one still listed for a while, cost nothing but time."""
    job = spread(Machines({"a": 0.5, "b": 0.5, "c": 0.5}, dies={"b": 30, "c": 45}))
    assert job.counts.again >= 2


def test_a_task_without_an_answer_is_given_again_and_later_answers_are_compared():
    """A machine that got stuck: others do its tasks; what it says in the end is compared and changes nothing."""
    machines = Machines({"a": 0.5, "b": 0.5})
    machines.seconds["stuck"] = 0.5
    give = machines.give

    def stall(node, *rest):
        machines.seconds["stuck"] = 0.5 if machines.now < 20 else 80.0
        return give(node, *rest)

    machines.give = stall
    job = spread(machines, 1500)
    assert job.counts.again >= 1


@pytest.mark.parametrize("stuck", [False, True])
def test_a_difference_between_two_answers_is_an_error_that_names_the_task(stuck):
    """Whoever answers a task otherwise than it was answered before is found out."""
    machines = Machines({"a": 0.5, "liar": 0.5}, lies=("liar",) if stuck else ())
    job = JobRun(machines, Squares(), 8, lambda first, count: json.dumps([first, count]).encode(), 100, machines.clock)
    job.look()
    for handle in list(job.given):
        list(job.take(handle))
    job.fill()
    task = next(given.task for given in job.given.values())
    where = next(given.node for given in job.given.values())
    job.give({"a": "liar", "liar": "a"}[where], task)
    both = [handle for handle, given in job.given.items() if given.task is task]
    assert len(list(job.take(both[0]))) == 1
    if stuck:
        with pytest.raises(BadInput, match=r"task 0\.\.0 of squares gave .* another result"):
            list(job.take(both[1]))
    else:
        assert list(job.take(both[1])) == []
        assert job.counts.compared == 1


def test_other_versions_are_refused_before_anything_is_played():
    """A machine with another numba, or other rules, is named with what differs."""
    stamp = json.loads(stamp_of(Squares()))
    for changed, said in (({"numba": "0.1"}, "numba 0.1 there"), ({"code": "second edition"}, "other code")):
        machines = Machines({"old": 1.0}, stamps={"old": json.dumps({**stamp, **changed})})
        with pytest.raises(BadInput, match=f"old would play something else .{said}"):
            spread(machines)
        assert all(each[4] for each in machines.given)


def test_a_task_that_kills_its_machines_is_not_given_for_ever():
    """After five machines nobody else gets it."""
    machines = Machines(dict.fromkeys("abcdefg", 1.0))
    take = machines.take

    def deadly(handle):
        if not handle[4] and json.loads(handle[2])[0] == 0:
            raise Lost("out of memory")
        return take(handle)

    machines.take = deadly
    with pytest.raises(BadInput, match=r"task 0\.\.0 of squares was lost 5 times, last because out of memory"):
        spread(machines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--runner", "moon"], "must be local or ray"),
        (["--address", "10.0.0.1:6379"], "say --runner ray too"),
        (["--runner", "ray", "--address", "127.0.0.1:1"], "no Ray cluster at '127.0.0.1:1'"),
    ],
)
def test_wrong_runners_are_refused_in_a_line(words, said, tmp_path, capsys):
    """Nothing is played, and no store is made."""
    with contextlib.chdir(tmp_path), pytest.raises(SystemExit) as end:
        main(["arena", "pig", "--players", "random,random", *words])
    assert end.value.code == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
