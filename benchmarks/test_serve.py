"""What benchmarks/serve.py makes of figures. The figures are made up."""
import unittest
import serve

RECORDED = dict(
    machine=dict(cpu="a CPU", cpus=2, virtual=True, features=["avx2"]), settings=dict(threads=2, commit="0123456789", date="2000-01-01"),
    before=dict(others=0.01, stolen=0.0),
    batching={"cheems-serve": 95.0, "alone": 100.0, "depth": 512, "streams": 8, "llama-server": 60.0},
    mix={"cheems-serve": dict(rate=90.0, p50=0.1, p99=0.5), "missing": "LLAMA_SERVER names no llama-server", "long": 16, "short": 96},
    chat=dict(tokens=4000, new=360, kept=0.5, off=4.0, prefill=0.4, flat=0.45),
    cost=dict(step=0.004, alone=0.0038, http=0.0001, schedule=0.00001, tell=0.00002),
    idle=dict(cpu=0.001, seconds=10))


class Section(unittest.TestCase):
    def lines(self, **changes):
        return serve.section({**RECORDED, **changes}).splitlines()

    def line(self, *words, **changes):
        found = [line for line in self.lines(**changes) if all(word in line for word in words)]
        self.assertEqual(len(found), 1, words)
        return found[0]

    def test_ratios_are_held_against_their_goals(self):
        self.assertIn("| 0.950 | at least 0.90 | met |", self.line("cheems-bench: 100.0"))
        self.assertIn("| 1.583 | at least 1.50 | met |", self.line("llama-server: 60.0"))
        self.assertIn("| 1.250 | at most 1.20 | missed |", self.line("after the others"))
        self.assertIn("| 1.111 | at most 1.20 | met |", self.line("from nothing"))
        self.assertIn("| 0.028 | below 0.03 | met |", self.line("HTTP: 100.0 µs of CPU time, scheduling: 10.0 µs"))
        self.assertIn("| 0.005 | - | - |", self.line("texts and events of 8 tokens: 20.0 µs"))
        self.assertIn("| 0.053 | below 0.03 | missed |", self.line("cheems-bench --greedy: 3.800 ms"))
        self.assertIn("| 0.000 | below 0.01 | met |", self.line("| idle |"))

    def test_a_worse_figure_is_missed(self):
        slow = dict(RECORDED["batching"], **{"cheems-serve": 85.0})
        self.assertIn("| missed |", self.line("cheems-bench: 100.0", batching=slow))
        late = {"cheems-serve": dict(rate=90.0, p50=0.1, p99=0.5), "llama-server": dict(rate=50.0, p50=0.1, p99=0.4), "long": 16, "short": 96}
        self.assertIn("| 1.250 | p99 at most 1.00 | missed |", self.line("short chats", mix=late))

    def test_what_was_left_out_is_told(self):
        self.assertEqual(self.line("left out"), "- left out: LLAMA_SERVER names no llama-server")
        self.assertIn("| - | - | - | - |", self.line("short chats"))

    def test_every_row_has_the_columns_of_the_head(self):
        table = [line for line in self.lines() if line.startswith("|")]
        self.assertEqual(len(table), 12)
        for line in table:
            self.assertEqual(line.count("|"), 7, line)


if __name__ == "__main__":
    unittest.main()
