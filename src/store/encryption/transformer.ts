/** A value as it was before it was stored. */
export interface Opened {
  readonly value: Uint8Array;
  /** Whether it should be written again, because new values are stored in another way. */
  readonly isStale: boolean;
}

/** Changes values on their way into a store, and back. `path` is where a value is stored, which may be authenticated. */
export interface Transformer {
  /** Throws if the value cannot be stored now. */
  seal(value: Uint8Array, path: Uint8Array): Uint8Array;
  /** A promise only if others must be asked for a key; throws or rejects if the value cannot be read. */
  open(stored: Uint8Array, path: Uint8Array): Opened | Promise<Opened>;
}

/** A transformer whose values begin with a prefix. */
export interface Prefixed {
  /** Empty for values as they are. */
  readonly prefix: string;
  readonly transformer: Transformer;
}

/** The direction of a transformation, as upstream's metrics name it. */
export type TransformationType = "from_storage" | "to_storage";

/** Called before each transformation; what it returns is called with the prefixes that were tried, and their errors. */
export type Transforming = (type: TransformationType) => (prefix: string, error?: unknown) => void;

/**
 * Seals with the first transformer, and opens with those whose prefix a value has: several may have the same one,
 * with other keys. A value that the first one does not open is stale.
 */
export function prefixTransformer(
  transformers: readonly Prefixed[],
  noMatch: string,
  transforming: Transforming = () => () => {},
): Transformer {
  const [first] = transformers;
  if (!first) throw new Error("a list of transformers is empty");
  const prefixes = transformers.map(({ prefix }) => encoder.encode(prefix));

  const from = (
    start: number,
    [stored, path]: readonly [stored: Uint8Array, path: Uint8Array],
    { transformed, failures }: Attempt,
  ): Opened | Promise<Opened> => {
    for (let i = start; i < transformers.length; i++) {
      const bytes = prefixes[i] as Uint8Array;
      if (!beginsWith(stored, bytes)) continue;
      const { prefix, transformer } = transformers[i] as Prefixed;
      const isLater = i !== 0;
      const opened = ({ value, isStale }: Opened): Opened => {
        transformed(prefix || "identity");
        return { value, isStale: isStale || isLater };
      };
      const goOn = (error: unknown): Opened | Promise<Opened> => {
        // Identity rejects what is encrypted, which is left to the others.
        if (prefix === "") return from(i + 1, [stored, path], { transformed, failures });
        transformed(prefix, error);
        return from(i + 1, [stored, path], { transformed, failures: [...failures, error] });
      };
      try {
        const outcome = transformer.open(stored.subarray(bytes.length), path);
        if (!(outcome instanceof Promise)) return opened(outcome);
        return outcome.then(opened, goOn);
      } catch (error) {
        return goOn(error);
      }
    }
    throw faultOf({ transformed, failures }, noMatch);
  };

  return {
    open: (stored, path) =>
      from(0, [stored, path], { transformed: transforming("from_storage"), failures: [] }),
    seal(value, path) {
      const transformed = transforming("to_storage");
      try {
        const sealed = first.transformer.seal(value, path);
        transformed(first.prefix);
        return first.prefix === "" ? sealed : joined(prefixes[0] as Uint8Array, sealed);
      } catch (error) {
        transformed(first.prefix, error);
        throw error;
      }
    },
  };
}

interface Attempt {
  readonly transformed: ReturnType<Transforming>;
  readonly failures: readonly unknown[];
}

function faultOf({ transformed, failures }: Attempt, noMatch: string): unknown {
  const [only, ...more] = failures;
  if (failures.length === 0) {
    const error = new Error(noMatch);
    transformed("unknown", error);
    return error;
  }
  if (more.length === 0) return only;
  const texts = failures.map((one) => (one instanceof Error ? one.message : String(one)));
  return new Error(`[${[...new Set(texts)].join(", ")}]`);
}

/** Stores values as they are; what is encrypted is not such a value. */
export const identity: Transformer = {
  seal: (value) => value,
  open(stored) {
    if (isEncrypted(stored)) throw new Error("identity transformer tried to read encrypted data");
    return { value: stored, isStale: false };
  },
};

const encoder = new TextEncoder();
const encrypted = encoder.encode("k8s:enc:");

/** Whether a stored value is encrypted. */
export const isEncrypted = (stored: Uint8Array): boolean => beginsWith(stored, encrypted);

function beginsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
