import { CelMap, type CelValue } from "./cel-value.ts";

/** A map whose values are computed when they are first read, each once. */
export class LazyMap extends CelMap {
  readonly #compute: ReadonlyMap<string, () => CelValue>;
  readonly #known = new Map<string, CelValue>();

  constructor(compute: ReadonlyMap<string, () => CelValue>) {
    super();
    this.#compute = compute;
  }

  override get size(): number {
    return this.#compute.size;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    let value = this.#known.get(key);
    if (value === undefined) {
      value = this.#compute.get(key)?.();
      if (value !== undefined) this.#known.set(key, value);
    }
    return value;
  }

  override keys(): readonly CelValue[] {
    return [...this.#compute.keys()];
  }
}
