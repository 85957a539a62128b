/** A function that others call through this, as a faster one may come to stand for it. */
export interface Replaceable<F> {
  run: F;
}

/** How often a function is used before one is made for its case: what is used seldom pays nothing. */
const often = 500;

/**
 * A function that interprets a declaration, and that a function generated for the declaration replaces
 * once it has been used often. Both do the same; where none is generated, it stays.
 */
export function replaceable<A extends unknown[], R>(
  interpret: (...args: A) => R,
  generate: () => ((...args: A) => R) | undefined,
): Replaceable<(...args: A) => R> {
  let uses = 0;
  const replaced: Replaceable<(...args: A) => R> = {
    run(...args) {
      uses++;
      if (uses > often) replaced.run = generate() ?? interpret;
      return interpret(...args);
    },
  };
  return replaced;
}

/** The source of a function in the making, and what it uses. */
export class Source {
  readonly #names = new Map<unknown, string>();

  /** The name by which the source can use a value. */
  use(value: unknown, about: string): string {
    let name = this.#names.get(value);
    if (name === undefined) {
      name = `${about.replaceAll(/\W/g, "")}$${this.#names.size}`;
      this.#names.set(value, name);
    }
    return name;
  }

  /**
   * The function that a source is; undefined where code may not be made at run time, as in a browser
   * whose policy is strict.
   */
  toFunction<F>(source: string): F | undefined {
    const names = [...this.#names.values()];
    try {
      const make = new Function(...names, `"use strict"; return ${source};`);
      return make(...this.#names.keys()) as F;
    } catch (fault) {
      if (fault instanceof EvalError) return undefined;
      throw fault;
    }
  }
}

/** A text as the source of a string. */
export const literal = (text: string): string => JSON.stringify(text);
