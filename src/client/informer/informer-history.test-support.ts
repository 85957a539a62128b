import { formatKey, type KubernetesObject, keyOf } from "../resource-kind.ts";
import type { InformerHandler } from "./informer-options.ts";

export interface HistoryOptions {
  /** Whether the handler may see an older version, because the server was restored. */
  readonly mayGoBack: () => boolean;
  /** Whether the handler has resyncs. */
  readonly resyncs: boolean;
  /** Called on each call of the handler. */
  readonly onCall?: () => void;
}

/** A handler that checks that its calls are a valid history, and tracks the objects that result. */
export class History<O> {
  readonly known = new Map<string, O>();
  readonly problems: string[] = [];
  /** All object versions passed to `added` and `updated`. */
  readonly delivered: O[] = [];
  readonly #options: HistoryOptions;
  #isRemoved = false;
  /** The number of calls. */
  calls = 0;
  resyncs = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /** Any later call is an error. */
  removed(): void {
    this.#isRemoved = true;
  }

  readonly handler: InformerHandler<O> = {
    added: (object) => {
      const key = this.#called("added", object);
      this.#expect(!this.known.has(key), `added ${key}, which is there already`);
      this.delivered.push(object);
      this.known.set(key, object);
      this.#options.onCall?.();
    },
    updated: (object, old) => {
      const key = this.#called("updated", object);
      const known = this.known.get(key);
      this.#expect(known !== undefined, `updated ${key}, which is not there`);
      this.#expect(known === old, `updated ${key} from something that was not delivered`);
      this.#expect(uidOf(old) === uidOf(object), `updated ${key} to another object`);
      if (object === old) {
        this.resyncs++;
        this.#expect(this.#options.resyncs, `updated ${key} to what it is`);
      } else
        this.#expect(
          versionOf(object) > versionOf(old) || this.#options.mayGoBack(),
          `updated ${key} from version ${versionOf(old)} to ${versionOf(object)}`,
        );
      this.delivered.push(object);
      this.known.set(key, object);
      this.#options.onCall?.();
    },
    deleted: (object, isStale) => {
      const key = this.#called("deleted", object);
      const known = this.known.get(key);
      this.#expect(known !== undefined, `deleted ${key}, which is not there`);
      this.#expect(uidOf(known) === uidOf(object), `deleted ${key}, which was another object`);
      if (isStale) this.#expect(known === object, `deleted ${key} as it was never delivered`);
      else if (known)
        this.#expect(versionOf(object) >= versionOf(known), `deleted ${key} before it was changed`);
      this.known.delete(key);
      this.#options.onCall?.();
    },
  };

  #called(what: string, object: O): string {
    this.calls++;
    const key = formatKey(keyOf(object as KubernetesObject));
    this.#expect(!this.#isRemoved, `${what} ${key} after it was removed`);
    return key;
  }

  #expect(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }
}

const uidOf = (object: unknown): string | undefined => (object as KubernetesObject)?.metadata.uid;
const versionOf = (object: unknown): number =>
  Number((object as KubernetesObject).metadata.resourceVersion);
