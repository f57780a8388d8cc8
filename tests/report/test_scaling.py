# SPDX-FileCopyrightText: The Parallax developers
# SPDX-License-Identifier: Apache-2.0
"""Strong and weak scaling over ranks, and the model that continues them: against numbers worked out by hand."""

import contextlib
import copy
import io
import unittest
from unittest import mock

import samples
from support import InFolder, skip

from parallax.report import load
from parallax.report.ranks_model import NETWORK, Link, Machine, Messages, Model

NODE = Link(500.0, 1.0)  # 500 ns, 1 byte a ns
PAIR = Machine(NODE, NETWORK, 2)  # 2000 ns, 25 bytes a ns between nodes
SUM = [{"pattern": "sum", "bytes": 1000.0}]


def links(**changes):
    small = {"bytes": 8.0, "one_way_ns": 500.0, "both_ways_ns": 600.0, "all_reduce_ns": 1100.0, "all_to_all_ns": 700.0}
    large = {"bytes": 1e6, "one_way_ns": 1e6, "both_ways_ns": 1e6, "all_reduce_ns": 4e6, "all_to_all_ns": 2e6}
    return [{**small, **changes}, large]


def file(count, ns, weak=False, messages=SUM, hosts=("one",), n=1000000, threads=1, **mpi):
    """Of `count` ranks, dealt to the hosts; of one rank as the program writes it, without MPI."""
    if count == 1:
        return samples.results([samples.row("tree_sum", "reduce", "openmp", ns=ns, n=n)], threads=threads)
    more = {"ranks": count, "scaling": "weak" if weak else "strong", "messages": messages}
    row = samples.row("tree_sum", "reduce", "openmp", ns=ns, n=n, suffix=f"/{'weak' if weak else 'ranks'}:{count}", **more)
    names = [f"{hosts[k * len(hosts) // count]}, processors {k}" for k in range(count)]
    context = {"library": "invented", "ranks": names, "links": links(), **mpi}
    return samples.results([row], threads=threads, mpi_ranks=count, mpi=context)


class ByHand(unittest.TestCase):
    def test_a_sum_goes_up_a_tree_and_down_again(self):
        self.assertEqual(0, PAIR.message("sum", 1000, 1))
        self.assertEqual(2 * (500 + 1000), PAIR.message("sum", 1000, 2))
        # 8 ranks of 4 nodes: a step within a node and two between nodes, there and back.
        self.assertEqual(2 * (1500 + 2 * (2000 + 40)), PAIR.message("sum", 1000, 8))
        self.assertEqual(PAIR.message("sum", 1000, 8), PAIR.message("sum", 1000, 7))
        self.assertEqual(2 * 3 * 1500, Machine(NODE, NODE, 2).message("sum", 1000, 8))

    def test_a_neighbour_is_as_far_on_any_number_of_nodes(self):
        self.assertEqual([1500, 2040, 2040], [PAIR.message("to_neighbour", 1000, count) for count in (2, 3, 2000)])

    def test_the_ranks_of_a_node_share_its_rate_to_all_others(self):
        self.assertEqual(1500, PAIR.message("to_all", 1000, 2))
        self.assertEqual(1500 + 6 * (2000 + 2 * 40), PAIR.message("to_all", 1000, 8))

    def test_what_is_sent_on_more_ranks_than_measured(self):
        def sent(known, count, weak=False):
            return Messages(known, weak).on(count)

        self.assertEqual([("sum", 8.0)], sent({2: [("sum", 8.0)]}, 64))
        # As group_sum: four numbers of 8 bytes for each cut.
        self.assertEqual([("sum", 32.0 * 63)], sent({2: [("sum", 32.0)], 4: [("sum", 96.0)]}, 64))
        # 2000 bytes of each of 2 ranks: of 8 ranks each has 500, and sends an eighth of them to each.
        self.assertEqual([("to_all", 62.5)], sent({2: [("to_all", 1000.0)]}, 8))
        self.assertEqual([("to_all", 250.0)], sent({2: [("to_all", 1000.0)]}, 8, weak=True))

    def test_strong_scaling(self):
        model = Model(PAIR, Messages({2: [("sum", 1000.0)]}, False), 1, 1e6, False)
        self.assertEqual(1e6, model.time(1))
        self.assertEqual(503000, model.time(2))
        self.assertEqual(125000 + 11160, model.time(8))
        self.assertAlmostEqual(1e6 / 8 / 136160, model.efficiency(8), 12)
        # 64 ranks: 15625 ns, and messages of 2 (1500 + 5 x 2040) = 23400 ns; 32: 31250 and 19320.
        self.assertEqual(64, model.stops())
        self.assertEqual((2000, [1, 2, 4], [1024, 2000]), (model.most, model.counts()[:3], model.counts()[-2:]))

    def test_weak_scaling(self):
        model = Model(PAIR, Messages({2: [("sum", 1000.0)]}, True), 1, 1e6, True)
        self.assertEqual(1e6 + 11160, model.time(8))
        self.assertAlmostEqual(1e6 / 1011160, model.efficiency(8), 12)
        self.assertIsNone(model.stops())

    def test_without_a_run_on_one_rank_the_fewest_are_the_base(self):
        model = Model(PAIR, Messages({2: [("sum", 1000.0)]}, False), 2, 503000, False)
        self.assertEqual([503000, 136160], [model.time(2), model.time(8)])
        self.assertAlmostEqual(2 * 503000 / 8 / 136160, model.efficiency(8), 12)


class Files(InFolder):
    def setUp(self):
        super().setUp()
        try:
            from parallax.report import cli, scaling
        except ImportError as error:
            skip(f"no matplotlib: {error}")
        self.main, self.scaling = cli.main, scaling

    def paths(self, contents):
        return [samples.write(self.folder / f"{k}.json", content) for k, content in enumerate(contents)]

    def find(self, *contents, network=None):
        self.cases = load.load(self.paths(contents))[2]
        return self.scaling.find(self.cases, network)

    def caption(self, *contents, weak=False):
        curves = self.find(*contents)
        return self.scaling.caption("tree_sum", self.cases, curves, weak)

    def report(self, *contents, arguments=()):
        said = io.StringIO()
        page = self.folder / "page.html"
        with contextlib.redirect_stderr(said):
            status = self.main([*self.paths(contents), "-o", str(page), *arguments])
        lines = said.getvalue().splitlines()
        self.assertTrue(len(lines) == 1 or (status == 0 and lines[0].startswith("parallax: wrote ") and len(lines) < 4), said.getvalue())
        return status, lines[0], page.read_text(encoding="utf-8") if status == 0 else ""

    def drawn(self, *contents, weak):
        """The lines of the chart, by style: measured marks, the model's, the ideal."""
        figures = []
        curves = self.scaling.shown(self.find(*contents), weak)
        with mock.patch.object(self.scaling.charts, "svg", side_effect=lambda figure, *_: figures.append(figure)):
            self.scaling.chart("tree_sum", curves, weak)
        styles = {}
        for line in figures[0].axes[0].lines:
            for x, y in zip(line.get_xdata(), line.get_ydata()):
                styles.setdefault(line.get_linestyle(), []).append((float(x), float(y)))
        return styles

    def test_the_points_are_the_files(self):
        contents = [file(1, 1e6), file(2, 505000), file(4, 260000), file(2, 1.1e6, weak=True), file(4, 1.25e6, weak=True)]
        strong, weak = self.drawn(*contents, weak=False), self.drawn(*contents, weak=True)
        for (x, y), (count, expected) in zip(strong["None"], [(1, 1), (2, 1e6 / 505000), (4, 1e6 / 260000)], strict=True):
            self.assertEqual(count, x)
            self.assertAlmostEqual(expected, y)
        for (x, y), (count, expected) in zip(weak["None"], [(1, 100), (2, 100 / 1.1), (4, 80)], strict=True):
            self.assertEqual(count, x)
            self.assertAlmostEqual(expected, y)
        # Four ranks on one host: 1000 nodes are 4000.
        self.assertEqual([(1, 1), (4000, 4000)], strong[":"])
        self.assertEqual([(1, 100), (4000, 100)], weak[":"])
        model = dict(strong["--"])
        self.assertAlmostEqual(1e6 / (250000 + 2 * 2 * 1500), model[4])
        self.assertAlmostEqual(1e6 / (125000 + 2 * (2 * 1500 + 2040)), model[8])
        self.assertEqual(4000, max(model))
        self.assertAlmostEqual(100 * 1e6 / (1e6 + 6000), dict(weak["--"])[4])

    def test_the_page(self):
        status, line, page = self.report(file(1, 1e6), file(2, 505000), file(2, 1.1e6, weak=True))
        self.assertEqual(0, status, line)
        for text in (
            "Strong scaling over ranks",
            "Weak scaling over ranks",
            "Past these machines",
            "assumed: no two nodes were measured",
            "a sum of 1.00 kB",
            "2000 ranks",
            "tree_sum/reduce/openmp/f64/ranks:2: 2 ranks, 505 µs, efficiency 99.0 %",
        ):
            self.assertIn(text, page)
        # Strong: 2 (1500 + 5 x 2040) ns of messages are more than 1e6 / 64 ns; weak: never.
        self.assertIn('<td data-v="64" class="num">64 ranks</td>', page)
        self.assertIn("not up to 2000 ranks", page)
        self.assertNotIn("Past these machines", self.report(file(1, 1e6))[2])

    def test_what_was_measured_between_nodes_is_not_assumed(self):
        (curve,) = self.find(file(1, 1e6), file(4, 3e5, hosts=("one", "two")))
        self.assertEqual(Machine(NODE, NODE, 2), curve.model.machine)
        (curve,) = self.find(file(1, 1e6), file(4, 3e5), network=Link(1000.0, 50.0))
        self.assertEqual(Machine(NODE, Link(1000.0, 50.0), 4), curve.model.machine)
        page = self.report(file(1, 1e6), file(2, 6e5), arguments=["--network", "1e-6,50e9"])[2]
        self.assertIn("1.00 µs", page)
        self.assertNotIn("assumed: no two nodes", page)

    def test_the_program_takes_a_network(self):
        """The command of docs/report.md and docs/scaling.md."""
        self.need_matplotlib()
        words = ["report", *self.paths([file(1, 1e6), file(2, 6e5)]), "-o", "scaling.html", "--network", "1e-6,50e9"]
        outcome = self.run_program(*words)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        page = (self.folder / "scaling.html").read_text(encoding="utf-8")
        self.assertIn("1.00 µs", page)
        self.assertNotIn("assumed: no two nodes", page)

    def test_networks_that_are_none(self):
        for text in ("", "1", "fast,25e9", "2e-6,0", "nan,1e9", "2,25,1"):
            status, line, _ = self.report(file(1, 1e6), arguments=["--network", text])
            self.assertEqual((2, True), (status, line.startswith("parallax: --network: expected")), line)

    def test_rows_without_a_counterpart_are_named(self):
        for name, other in (
            ("another size", file(2, 5e5, n=500000)),
            ("more threads a rank", file(2, 5e5, threads=8)),
            ("another device", file(2, 5e5)),
        ):
            if name == "another device":
                other["context"]["spaces"]["openmp"]["device"] = "another"
            with self.subTest(name):
                said = self.caption(file(1, 1e6), other)
                self.assertEqual(1, said.count("In no curve"))
                self.assertIn("1 row. The first: tree_sum/reduce/openmp/f64/ranks:2 [B].", said)
                self.assertIn("In no curve", self.report(file(1, 1e6), other)[2])
        self.assertNotIn("In no curve", self.caption(file(1, 1e6), file(2, 5e5)))

    def test_what_is_not_known_has_no_model_and_is_named(self):
        unknown = [{"pattern": "broadcast", "bytes": 8.0}]
        for other, why in (
            (file(2, 5e5, messages=unknown), "messages of pattern 'broadcast' are not in the model"),
            (file(2, 5e5, messages=None), "its file does not say what it sends"),
            (file(2, 5e5, links=[]), "its file has no links"),
        ):
            with self.subTest(why):
                (curve,) = self.find(file(1, 1e6), other)
                self.assertIsNone(curve.model)
                self.assertIn(f"No model of 1 curve: {why}. The first: tree_sum/reduce/openmp/f64/ranks:2.", self.caption(file(1, 1e6), other))
                self.assertIn("efficiency 100 %", self.report(file(1, 1e6), other)[2])

    def test_rows_that_send_nothing_need_no_links(self):
        (curve,) = self.find(file(1, 1e6), file(2, 6e5, messages=[], links=[]))
        self.assertEqual((500.0, 1.0, None), (curve.model.time(2000), curve.model.efficiency(2000), curve.model.stops()))

    def test_a_device_has_the_links_of_the_way_that_its_arrays_took(self):
        taken = {"name": "nccl", "by": "invented", "refused": {}, "links": links(one_way_ns=3000.0)}
        for space, latency, way in (("openmp", 3000.0, "nccl"), ("serial", 500.0, "host")):
            other = file(2, 5e5, transports={space: taken})
            (curve,) = self.find(file(1, 1e6), other)
            self.assertEqual(latency, curve.model.machine.inside.latency)
            page = self.report(file(1, 1e6), other)[2]
            self.assertEqual(way == "nccl", "on one node, nccl" in page)
            self.assertIn(f"<td>{way}</td>", page)
        for other in (
            file(2, 5e5, transports={"openmp": {**taken, "links": []}}),
            file(2, 5e5, transports={"openmp": taken}, messages=[{**SUM[0], "from_host": True}]),
        ):
            self.assertEqual(500.0, self.find(file(1, 1e6), other)[0].model.machine.inside.latency)

    def test_failed_rows_are_no_points(self):
        wrong = file(2, 5e5)
        wrong["benchmarks"] = [samples.failed(wrong["benchmarks"][0])]
        self.assertEqual([], self.find(file(1, 1e6), wrong))

    def test_damaged_files_are_refused_in_a_line(self):
        good = file(2, 5e5)
        self.assertEqual(0, self.report(good)[0])
        for change, word in (
            (lambda c, r: c.update(mpi=3), "'mpi'"),
            (lambda c, r: c["mpi"].update(ranks="one"), "'ranks'"),
            (lambda c, r: c["mpi"].update(ranks=[1]), "'ranks'"),
            (lambda c, r: c["mpi"].update(links=[1]), "'links'"),
            (lambda c, r: c["mpi"].update(links=links(one_way_ns=0)), "'one_way_ns'"),
            (lambda c, r: c["mpi"].update(links=links(all_reduce_ns=None)), "all_reduce_ns"),
            (lambda c, r: c["mpi"].update(transports=[]), "'transports'"),
            (lambda c, r: c["mpi"].update(transports={"openmp": {"links": 3}}), "openmp: 'links'"),
            (lambda c, r: r.update(ranks="2"), "'ranks'"),
            (lambda c, r: r.update(messages={}), "'messages'"),
            (lambda c, r: r.update(messages=[{"pattern": 1, "bytes": 1}]), "'pattern'"),
            (lambda c, r: r.update(messages=[{"pattern": "sum", "bytes": 1e300}]), "'bytes'"),
        ):
            damaged = copy.deepcopy(good)
            change(damaged["context"], damaged["benchmarks"][0])
            with self.subTest(word):
                status, line, _ = self.report(damaged)
                self.assertEqual(2, status)
                self.assertIn(word, line)
                self.assertNotIn("unexpected", line)


if __name__ == "__main__":
    unittest.main()
