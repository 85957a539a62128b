import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import type { AnyKind } from "../../objects/object.ts";

/** Thrown where field management needs a conversion that a webhook has yet to make. */
class ConversionAwaited extends Error {
  override readonly name = "ConversionAwaited";
  readonly object: ReadonlyJsonMap;
  readonly version: string;

  constructor(object: ReadonlyJsonMap, version: string) {
    super(`an object is to be converted to ${version}`);
    this.object = object;
    this.version = version;
  }
}

/**
 * Runs field management, which is synchronous, for a kind whose objects a webhook may convert: each conversion that
 * it needs is made, and then it runs again. So `run` must not change anything before it returns.
 */
export async function withConversions<T>(
  kind: AnyKind,
  run: (conversions: AwaitedConversions) => T,
): Promise<T> {
  const conversions = new AwaitedConversions(kind);
  for (;;) {
    try {
      return run(conversions);
    } catch (error) {
      if (!(error instanceof ConversionAwaited)) throw error;
      await conversions.make(error);
    }
  }
}

/** The conversions of one run of field management. */
export class AwaitedConversions {
  readonly #kind: AnyKind;
  readonly #made = new Map<string, { readonly object: unknown } | { readonly failure: unknown }>();

  constructor(kind: AnyKind) {
    this.#kind = kind;
  }

  /** Whether this is what stopped a run, which then is to run again. */
  static isAwaited(error: unknown): boolean {
    return error instanceof ConversionAwaited;
  }

  /** An object as one of another version. */
  convert(object: ReadonlyJsonMap, version: string): unknown {
    if (object.apiVersion === version) return object;
    if (isBare(object)) return { ...object, apiVersion: version };
    const made = this.#made.get(keyOf(object, version));
    if (!made) throw new ConversionAwaited(object, version);
    if ("failure" in made) throw made.failure;
    return made.object;
  }

  async make({ object, version }: ConversionAwaited): Promise<void> {
    const key = keyOf(object, version);
    try {
      const [converted] = (await this.#kind.converter?.convert([object], version)) ?? [];
      this.#made.set(key, { object: converted });
    } catch (failure) {
      this.#made.set(key, { failure });
    }
  }
}

const keyOf = (object: ReadonlyJsonMap, version: string): string =>
  `${version} ${stringifyJson(object)}`;

/** What has nothing but its version and kind needs no webhook. */
const isBare = (object: ReadonlyJsonMap): boolean =>
  Object.keys(object).every(
    (name) =>
      name === "apiVersion" ||
      name === "kind" ||
      (name === "metadata" && Object.keys(object.metadata ?? {}).length === 0),
  );
