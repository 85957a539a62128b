import { expect, test } from "vitest";
import type { MetricSelection } from "./metric-selection.ts";
import { MetricsRegistry } from "./metrics-registry.ts";
import { formatNumber } from "./metrics-text.ts";

test("MetricsRegistry: counters and gauges, sorted by name and by labels", () => {
  const metrics = new MetricsRegistry();
  const requests = metrics.counter({
    name: "requests_total",
    help: "All requests.",
    stability: "STABLE",
    labels: ["verb", "code"],
  });
  requests.of("GET", "404").add(1);
  requests.of("GET", "200").add(2);
  requests.of("GET", "200").add(0.5);
  requests.of('a"\\\nb', "200").add(1);
  const gauge = metrics.gauge({ name: "open", help: "Two\nlines." }).of();
  gauge.set(7);
  gauge.add(-2);
  expect(metrics.text()).toEqual(
    [
      "# HELP open Two\\nlines.",
      "# TYPE open gauge",
      "open 5",
      "# HELP requests_total [STABLE] All requests.",
      "# TYPE requests_total counter",
      'requests_total{code="200",verb="GET"} 2.5',
      'requests_total{code="200",verb="a\\"\\\\\\nb"} 1',
      'requests_total{code="404",verb="GET"} 1',
      "",
    ].join("\n"),
  );
});

test("MetricsRegistry: a value counts in the bucket of its bound and in all above it", () => {
  const metrics = new MetricsRegistry();
  const seconds = metrics.histogram({
    name: "seconds",
    help: "Time.",
    labels: ["verb"],
    buckets: [0.005, 1, 1e6],
  });
  for (const value of [0.005, 0.006, 2, 2e6]) seconds.of("GET").observe(value);
  expect(metrics.text()).toEqual(
    [
      "# HELP seconds Time.",
      "# TYPE seconds histogram",
      'seconds_bucket{verb="GET",le="0.005"} 1',
      'seconds_bucket{verb="GET",le="1"} 2',
      'seconds_bucket{verb="GET",le="1e+06"} 3',
      'seconds_bucket{verb="GET",le="+Inf"} 4',
      'seconds_sum{verb="GET"} 2.000002011e+06',
      'seconds_count{verb="GET"} 4',
      "",
    ].join("\n"),
  );
});

test("MetricsRegistry: after a reset only metrics that are used again are written", () => {
  const metrics = new MetricsRegistry();
  const family = metrics.counter({ name: "n", help: "N.", labels: ["a"] });
  const [x, y] = [family.of("x"), family.of("y")];
  x.add(3);
  y.add(3);
  metrics.reset();
  expect(metrics.text()).toEqual("");
  x.add(1);
  expect(metrics.text()).toEqual('# HELP n N.\n# TYPE n counter\nn{a="x"} 1\n');
});

test("MetricsRegistry: the same name returns the same metric, and collectors run on each read", () => {
  const metrics = new MetricsRegistry();
  metrics.counter({ name: "n", help: "N." }).of().add(1);
  metrics.counter({ name: "n", help: "N." }).of().add(1);
  const reads = metrics.gauge({ name: "reads", help: "R." }).of();
  metrics.onRead(() => reads.add(1));
  metrics.text();
  expect(metrics.text().match(/^\w+ \d+$/gm)).toEqual(["n 2", "reads 2"]);
});

test.each([
  [0, "0"],
  [-0.5, "-0.5"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [9.999999999999999e-6, "9.999999999999999e-06"],
  [999999, "999999"],
  [1000000, "1e+06"],
  [1234567, "1.234567e+06"],
  [1048576.5, "1.0485765e+06"],
  [1e21, "1e+21"],
  [1e100, "1e+100"],
  [Infinity, "+Inf"],
  [-Infinity, "-Inf"],
  [Number.NaN, "NaN"],
])("formatNumber: %s is %s", (value, wanted) => {
  expect(formatNumber(value)).toEqual(wanted);
});

test("MetricsRegistry: a removed combination of labels is not written, until it is used again", () => {
  const metrics = new MetricsRegistry();
  const family = metrics.counter({ name: "n", help: "N.", labels: ["a", "b"] });
  family.of("1", "x").add(3);
  family.of("2", "x").add(1);
  family.remove("1", "x");
  family.remove("3", "x");
  expect(metrics.text()).toBe('# HELP n N.\n# TYPE n counter\nn{a="2",b="x"} 1\n');
  family.of("1", "x").add(1);
  expect(metrics.text()).toContain('n{a="1",b="x"} 1\n');
});

test("MetricsRegistry: writes neither disabled metrics nor those that were deprecated too long ago", () => {
  const use = (selection: MetricSelection) => {
    const metrics = new MetricsRegistry(selection);
    const deprecated = "1.34.0";
    for (const definition of [
      { name: "plain", help: "A." },
      { name: "alpha", help: "B.", stability: "ALPHA", deprecated },
      { name: "beta", help: "C.", stability: "BETA", deprecated },
      { name: "stable", help: "D.", stability: "STABLE", deprecated },
    ] as const)
      metrics.gauge(definition).of().set(1);
    const names = metrics.definitions().map(({ name }) => name);
    const written = metrics.text().match(/^\w+/gm);
    return {
      names,
      isWritten: String(written) === String([...names].sort()),
      ...metrics.omitted(),
    };
  };
  const none = { isWritten: true, hidden: 0, disabled: 0, unexpected: 0 };
  expect([
    use({}),
    use({ minor: 33 }),
    use({ minor: 36 }),
    use({ minor: 37, disabled: new Set(["plain", "absent"]) }),
    use({ minor: 37, showsHidden: true, disabled: new Set(["beta"]) }),
  ]).toEqual([
    { ...none, names: ["plain", "alpha", "beta", "stable"] },
    { ...none, names: ["plain", "alpha", "beta", "stable"] },
    { ...none, names: ["plain", "stable"], hidden: 2 },
    { ...none, names: [], isWritten: false, hidden: 3, disabled: 2 },
    { ...none, names: ["plain", "alpha", "stable"], disabled: 1 },
  ]);
});

test("MetricsRegistry: counts values of labels that are not allowed together", () => {
  const allowed = new Map([["requests", new Map([["verb", new Set(["GET", ""])]])]]);
  const metrics = new MetricsRegistry({ allowed });
  const labels = ["verb", "code"];
  const requests = metrics.counter({ name: "requests", help: "A.", labels });
  for (const verb of ["GET", "POST", "PUT", ""]) requests.of(verb, "200").add(1);
  metrics.counter({ name: "others", help: "B.", labels }).of("POST", "1").add(1);
  expect({
    lines: metrics.text().match(/^[^#].*$/gm),
    unexpected: metrics.omitted().unexpected,
  }).toEqual({
    lines: [
      'others{code="1",verb="POST"} 1',
      'requests{code="200",verb=""} 1',
      'requests{code="200",verb="GET"} 1',
      'requests{code="200",verb="unexpected"} 2',
    ],
    unexpected: 2,
  });
});
