import { ElementStore } from "./element-store.ts";
import type { Container, Elements } from "./elements.ts";
import type { ProxyKernel } from "./kernel.ts";
import {
  changeTransaction,
  type ProxyTables,
  type StickyLines,
  wholeTransaction,
} from "./proxy-transaction.ts";

/** How the kernel's tables came to be as they are. */
export type Programming = "nothing" | "changes" | "all";

/**
 * The tables in the kernel. The first transaction replaces whatever an earlier process has left; later ones apply
 * changes, until one fails or the rules themselves change.
 */
export class ProgrammedTables {
  readonly #program: ProxyKernel["program"];
  readonly #store = new ElementStore();
  /** The rules in the kernel; undefined while they may be anything. */
  #rules: { readonly tables: string; readonly chains: ReadonlySet<string> } | undefined;

  constructor(program: ProxyKernel["program"]) {
    this.#program = program;
  }

  /** Replaces the elements of an owner, for the next transaction. */
  set(owner: string, elements: Elements): void {
    this.#store.set(owner, elements);
  }

  /** Whether the tables have an element, or any of a kind, after the next transaction. */
  has(container: Container, key?: string): boolean {
    return this.#store.has(container, key);
  }

  /** What the next transaction does. */
  next(tables: ProxyTables): Programming {
    if (this.#rules?.tables !== JSON.stringify(tables)) return "all";
    return this.#store.changes().length > 0 ? "changes" : "nothing";
  }

  /** Makes the kernel's tables what they should be, in one transaction. */
  async apply(tables: ProxyTables, sticky: StickyLines = []): Promise<Programming> {
    const before = this.#rules?.tables === JSON.stringify(tables) ? this.#rules : undefined;
    const changes = before ? this.#store.changes() : [];
    if (before && changes.length === 0 && sticky.length === 0) return "nothing";
    const { input, chains } = before
      ? changeTransaction(changes, before.chains, sticky)
      : wholeTransaction(tables, this.#store.all(), sticky);
    this.#rules = undefined;
    this.#store.programmed();
    await this.#program(input);
    this.#rules = { tables: JSON.stringify(tables), chains };
    return before ? "changes" : "all";
  }

  /** Has the next transaction replace the tables. */
  forget(): void {
    this.#rules = undefined;
  }
}
