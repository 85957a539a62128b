/** A value that may change while others use it. */
export interface ChangingValue<T> {
  readonly current: T;
  /** Calls back after each change; returns a function that ends that. */
  onChange(call: () => void): () => void;
}

/** A changing value, and the way to change it. */
export interface SettableValue<T> extends ChangingValue<T> {
  /** Does nothing if the value is the same. */
  set(value: T): void;
}

/** Creates a value that changes when it is set. */
export function settableValue<T>(first: T): SettableValue<T> {
  let current = first;
  const calls = new Set<() => void>();
  return {
    get current() {
      return current;
    },
    onChange(call) {
      // Each has an entry of its own, also where two pass the same function.
      const own = (): void => call();
      calls.add(own);
      return () => void calls.delete(own);
    },
    set(value) {
      if (value === current) return;
      current = value;
      for (const call of [...calls]) call();
    },
  };
}

/** Creates a value that stays as it is. */
export const constantValue = <T>(current: T): ChangingValue<T> => ({
  current,
  onChange: () => () => {},
});
