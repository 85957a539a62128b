import type { Node } from "../../api/core/v1/node/node.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { AskKubelet, Samples } from "./ask-kubelet.ts";

/**
 * The last samples of nodes, read when somebody asks for them and kept for a quarter of a minute. Concurrent callers
 * share a reading. Nothing is read while nobody asks.
 */
export class NodeSamples {
  readonly #ask: AskKubelet;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known = new Map<string, Entry>();
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({
    ask,
    clock,
    log,
  }: { readonly ask: AskKubelet; readonly clock: Clock; readonly log: Log }) {
    this.#ask = ask;
    this.#clock = clock;
    this.#log = log;
  }

  /** The samples of these nodes, by name; those that cannot be read are left out. */
  async of(nodes: readonly Node[]): Promise<ReadonlyMap<string, Samples>> {
    this.#forgetOld();
    const found = await Promise.all(nodes.map((node) => this.#one(node)));
    return new Map(
      nodes.flatMap(({ metadata: { name = "" } }, i) => {
        const samples = found[i];
        return samples ? [[name, samples] as const] : [];
      }),
    );
  }

  #one(node: Node): Promise<Samples | undefined> {
    const { name = "", uid = "" } = node.metadata;
    const now = this.#clock.now();
    const entry = this.#known.get(name);
    const isSame = entry?.uid === uid;
    if (isSame && now - entry.at < freshMs) return entry.samples;
    const before = isSame ? entry.last : undefined;
    const next: Entry = { uid, at: now, last: undefined, samples: Promise.resolve(undefined) };
    next.samples = this.#limited(() => this.#ask(node, before)).then(
      (samples) => {
        next.last = samples.last;
        return samples;
      },
      (error: unknown) => {
        this.#log.error("reading the resource metrics of a node failed", error, { node: name });
        return undefined;
      },
    );
    this.#known.set(name, next);
    return next.samples;
  }

  /** Runs a reading when fewer than the limit run. */
  async #limited<T>(read: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await read();
    } finally {
      // A caller that waits takes the place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #forgetOld(): void {
    const oldest = this.#clock.now() - longestMs;
    for (const [name, { at }] of this.#known) if (at < oldest) this.#known.delete(name);
  }
}

interface Entry {
  readonly uid: string;
  /** When it was asked for. */
  readonly at: number;
  last: Samples["last"] | undefined;
  samples: Promise<Samples | undefined>;
}

/** How long a sample is served; as often as metrics-server reads. */
const freshMs = 15_000;

/** An older sample does not tell what is used now. */
const longestMs = 120_000;

/** How many kubelets are asked at the same time. */
const atOnce = 50;
