import type { Counter, Family, Gauge, Metrics } from "../../base/metrics.ts";
import type { LabelHash } from "./jwt-metrics.ts";

/** The metrics of a configuration file that is followed while the server runs. */
export class ReloadMetrics {
  readonly #total: Family<Counter>;
  readonly #last: Family<Gauge>;
  readonly #info: Family<Gauge>;
  readonly #hash: LabelHash;
  readonly #server: string;
  readonly #now: () => number;

  constructor(
    metrics: Metrics,
    {
      subject,
      hash,
      server,
      now,
    }: {
      readonly subject: "authentication" | "authorization";
      readonly hash: LabelHash;
      readonly server: string;
      readonly now: () => number;
    },
  ) {
    const prefix = `apiserver_${subject}_config_controller_`;
    const labels = ["status", "apiserver_id_hash"];
    this.#total = metrics.counter({
      name: `${prefix}automatic_reloads_total`,
      help: `How often the configuration of ${subject} was read again, by how that ended.`,
      stability: "BETA",
      labels,
    });
    this.#last = metrics.gauge({
      name: `${prefix}automatic_reload_last_timestamp_seconds`,
      help: `When the configuration of ${subject} was last read again, by how that ended.`,
      stability: "BETA",
      labels,
    });
    this.#info = metrics.gauge({
      name: `${prefix}last_config_info`,
      help: `The hash of the configuration of ${subject} that is in use.`,
      stability: "ALPHA",
      labels: ["apiserver_id_hash", "hash"],
    });
    this.#hash = hash;
    this.#server = server === "" ? "" : hash(server);
    this.#now = now;
  }

  /** Records which text is in use. */
  uses(text: string): void {
    this.#info.reset();
    this.#info.of(this.#server, this.#hash(text)).set(1);
  }

  reloaded(text: string): void {
    this.#count("success");
    this.uses(text);
  }

  failed(): void {
    this.#count("failure");
  }

  #count(status: string): void {
    this.#total.of(status, this.#server).add(1);
    this.#last.of(status, this.#server).set(this.#now() / 1000);
  }
}
