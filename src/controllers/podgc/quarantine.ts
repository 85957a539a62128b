/**
 * Nodes that pods are on and that nobody knows, since they were missed: a node that comes later than its
 * pods must not cost them their lives.
 */
export class Quarantine {
  readonly #ms: number;
  /** Since when they are in quarantine; undefined: from the next look on. */
  readonly #nodes = new Map<string, number | undefined>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** A node is missed. */
  add(node: string): void {
    if (!this.#nodes.has(node)) this.#nodes.set(node, undefined);
  }

  /**
   * The nodes whose time is up, which are in quarantine anew if they are still missed at the next look.
   * `isMissed` says who still is; the others are let go.
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
