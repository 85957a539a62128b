import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { Committer } from "../objects/committer.ts";
import type { ObjectReader } from "../objects/reader.ts";

const prefix = "/registry/masterleases/";
/** How long a server that does not renew its lease counts as alive. */
const ttlMs = 15_000;

export interface ServerLeasesOptions {
  readonly reader: ObjectReader;
  readonly committer: Committer;
}

/**
 * How servers on one store know of each other: an entry per address, which the store removes when it
 * is not renewed. The entries are laid out as upstream's.
 */
export class ServerLeases {
  readonly #options: ServerLeasesOptions;

  constructor(options: ServerLeasesOptions) {
    this.#options = options;
  }

  /** The addresses of all servers that are alive, in order. */
  async list(): Promise<string[]> {
    const { entries } = await this.#options.reader.store.list(prefix);
    return entries.flatMap(({ value }) => {
      const [subset] = decode(value).subsets ?? [];
      return (subset?.addresses ?? []).slice(0, 1).map(({ ip }) => ip);
    });
  }

  async has(address: string): Promise<boolean> {
    return (await this.#options.reader.store.get(prefix + address)) !== undefined;
  }

  async renew(address: string): Promise<void> {
    const { reader, committer } = this.#options;
    const key = prefix + address;
    const entry = await reader.store.get(key);
    const generation = (entry ? (decode(entry.value).metadata.generation ?? 0) : 0) + 1;
    const value = Endpoints.form.toBytes({
      kind: "Endpoints",
      apiVersion: "v1",
      metadata: { generation },
      subsets: [{ addresses: [{ ip: address }] }],
    });
    await committer.commitRaw([{ type: "put", key, value, ttlMs }]);
  }

  async remove(address: string): Promise<void> {
    await this.#options.committer.commitRaw([{ type: "delete", key: prefix + address }]);
  }
}

const decode = (value: Uint8Array): Endpoints => Endpoints.form.fromBytes(value) as Endpoints;
