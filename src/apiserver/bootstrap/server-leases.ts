import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

const prefix = "/registry/masterleases/";
/** How long a server that does not renew its lease counts as alive. */
const ttlMs = 15_000;

/**
 * What servers on one store know of each other: an entry per address, which the store removes when it
 * is not renewed. The entries are laid out as upstream's.
 */
export class ServerLeases {
  readonly #parts: VerbParts;
  readonly #endpoints: AnyKind;

  constructor(parts: VerbParts, endpoints: AnyKind) {
    this.#parts = parts;
    this.#endpoints = endpoints;
  }

  /** The addresses of all servers that are alive, in order. */
  async list(): Promise<string[]> {
    const { entries } = await this.#parts.reader.store.list(prefix);
    return entries.flatMap(({ value }) => {
      const [subset] = this.#decode(value).subsets ?? [];
      return (subset?.addresses ?? []).slice(0, 1).map(({ ip }) => ip);
    });
  }

  async has(address: string): Promise<boolean> {
    return (await this.#parts.reader.store.get(prefix + address)) !== undefined;
  }

  async renew(address: string): Promise<void> {
    const { store } = this.#parts.reader;
    const entry = await store.get(prefix + address);
    const generation = (entry ? (this.#decode(entry.value).metadata.generation ?? 0) : 0) + 1;
    const object = {
      kind: "Endpoints",
      apiVersion: "v1",
      metadata: { generation },
      subsets: [{ addresses: [{ ip: address }] }],
    };
    const value = this.#endpoints.form.toBytes(object as ApiObject);
    await store.commit([{ type: "put", key: prefix + address, value, ttlMs }]);
  }

  async remove(address: string): Promise<void> {
    await this.#parts.reader.store.commit([{ type: "delete", key: prefix + address }]);
  }

  #decode(value: Uint8Array): Endpoints {
    return this.#endpoints.form.fromBytes(value) as Endpoints;
  }
}
