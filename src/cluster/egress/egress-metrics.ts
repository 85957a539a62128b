import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";

/** Measures connections through proxies, also before there is a registry that shows them. */
export class EgressMetrics {
  #families: Families | undefined;
  readonly #early: ((families: Families) => void)[] = [];

  /** Shows what was measured in a registry, and what is measured from now on. */
  register(metrics: Metrics): void {
    const families = familiesIn(metrics);
    this.#families = families;
    for (const apply of this.#early.splice(0)) apply(families);
  }

  /** Measures a connection in its two steps: to the proxy, and from there on. */
  async dialled<A, B>(
    labels: readonly [protocol: string, transport: string],
    connect: () => Promise<A>,
    proxy: (connection: A) => Promise<B>,
  ): Promise<B> {
    const begun = performance.now();
    this.#record(({ starts }) => starts.of(...labels).add(1));
    let stage = "connect";
    try {
      const connection = await connect();
      stage = "proxy";
      const result = await proxy(connection);
      const seconds = (performance.now() - begun) / 1000;
      this.#record(({ latencies }) => latencies.of(...labels).observe(seconds));
      return result;
    } catch (error) {
      this.#record(({ failures }) => failures.of(...labels, stage).add(1));
      throw error;
    }
  }

  #record(apply: (families: Families) => void): void {
    if (this.#families) apply(this.#families);
    else this.#early.push(apply);
  }
}

interface Families {
  readonly starts: Family<Counter>;
  readonly latencies: Family<Histogram>;
  readonly failures: Family<Counter>;
}

const labels = ["protocol", "transport"];
const name = (last: string): string => `apiserver_egress_dialer_${last}`;

const familiesIn = (metrics: Metrics): Families => ({
  starts: metrics.counter({
    name: name("dial_start_total"),
    help: "Connections through proxies that were begun.",
    stability: "ALPHA",
    labels,
  }),
  latencies: metrics.histogram({
    name: name("dial_duration_seconds"),
    help: "How long it took to connect through a proxy.",
    stability: "ALPHA",
    labels,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 12.5],
  }),
  failures: metrics.counter({
    name: name("dial_failure_count"),
    help: "Connections through proxies that failed, by the step that did.",
    stability: "ALPHA",
    labels: [...labels, "stage"],
  }),
});
