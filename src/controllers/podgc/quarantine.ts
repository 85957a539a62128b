/**
 * Missing nodes that pods are bound to. Their pods are collected only after a while, because a node may
 * appear later than its pods.
 */
export class Quarantine {
  readonly #ms: number;
  /** Since when they are in quarantine; undefined: it starts with the next pass. */
  readonly #nodes = new Map<string, number | undefined>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Adds a node that is missing. */
  add(node: string): void {
    if (!this.#nodes.has(node)) this.#nodes.set(node, undefined);
  }

  /**
   * The nodes whose quarantine has ended; it starts again if they are still missing in the next pass.
   * Nodes that are no longer missing, by `isMissed`, are removed.
   */
  look(now: number, isMissed: (node: string) => boolean): readonly string[] {
    const over: string[] = [];
    for (const [node, since] of this.#nodes) {
      if (!isMissed(node)) this.#nodes.delete(node);
      else if (since === undefined) this.#nodes.set(node, now);
      else if (now - since >= this.#ms) {
        over.push(node);
        this.#nodes.set(node, undefined);
      }
    }
    return over;
  }
}
