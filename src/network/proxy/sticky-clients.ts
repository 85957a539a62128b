import type { Frontend } from "../services/frontends.ts";
import { type Family, nftFamily } from "./elements.ts";
import { staySeconds } from "./frontend-elements.ts";
import { proxyTable } from "./proxy-table.ts";

/** A client that stays with an endpoint, as the kernel has it. */
export interface StickyClient {
  readonly family: Family;
  readonly client: string;
  /** The address by which the client reached the service. */
  readonly address: string;
  /** Protocol and port, as in keys of elements. */
  readonly port: string;
  /** Address and port of the endpoint, as in values of elements. */
  readonly target: string;
  /** For how many seconds it stays after its last connection, and from now on. */
  readonly timeout: number;
  readonly expires: number;
}

/** The endpoints that clients may stay with. */
export class StickyTargets {
  readonly #byOwner = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  #hasLost = false;

  /** Replaces the targets of an owner. */
  set(owner: string, frontends: readonly Frontend[]): void {
    const targets = new Map<string, ReadonlySet<string>>();
    for (const frontend of frontends)
      if (staySeconds(frontend) > 0)
        targets.set(
          keyOf(nftFamily(frontend.family), frontend.address, frontend),
          new Set(
            [...frontend.endpoints, ...(frontend.localEndpoints ?? [])].map(
              ({ address, port }) => `${address} . ${port}`,
            ),
          ),
        );
    for (const [key, before] of this.#byOwner.get(owner) ?? [])
      for (const target of before) this.#hasLost ||= !targets.get(key)?.has(target);
    if (targets.size > 0) this.#byOwner.set(owner, targets);
    else this.#byOwner.delete(owner);
  }

  /** Whether clients may stay with an endpoint that is gone, since this was asked last. */
  takeLost(): boolean {
    const had = this.#hasLost;
    this.#hasLost = false;
    return had;
  }

  /** Whether any service has clients that stay. */
  get areAny(): boolean {
    return this.#byOwner.size > 0;
  }

  /** Whether a client may go on to stay with its endpoint. */
  allows({ family, address, port, target }: StickyClient): boolean {
    const keys = [`${family} ${address} . ${port}`, `${family} * . ${port}`];
    for (const targets of this.#byOwner.values())
      for (const key of keys) if (targets.get(key)?.has(target)) return true;
    return false;
  }
}

const keyOf = (family: Family, address: string | undefined, { protocol, port }: Frontend): string =>
  `${family} ${address ?? "*"} . ${protocol.toLowerCase()} . ${port}`;

/** Reads the output of `nft -j list map` of the clients that stay. */
export function parseStickyClients(json: string, family: Family): readonly StickyClient[] {
  const { nftables = [] } = JSON.parse(json || "{}") as { readonly nftables?: readonly Listed[] };
  return nftables.flatMap(({ map }) =>
    (map?.elem ?? []).flatMap(([key, value]) => {
      const { val, timeout = 0, expires = 0 } = key.elem ?? {};
      const [client, address, protocol, port] = val?.concat ?? [];
      const [to, toPort] = value.concat;
      if (client === undefined || to === undefined) return [];
      return [
        {
          ...{ family, client: `${client}`, address: `${address}`, timeout, expires },
          ...{ port: `${protocol} . ${port}`, target: `${to} . ${toPort}` },
        },
      ];
    }),
  );
}

interface Listed {
  readonly map?: { readonly elem?: readonly (readonly [ListedKey, Concatenation])[] };
}

interface ListedKey {
  readonly elem?: {
    readonly val?: Concatenation;
    readonly timeout?: number;
    readonly expires?: number;
  };
}

interface Concatenation {
  readonly concat: readonly (string | number)[];
}

/** The lines that keep clients with their endpoints in a table that replaces another. */
export const keepLines = (clients: readonly StickyClient[]): readonly string[] =>
  clients.map(
    ({ family, client, address, port, target, timeout, expires }) =>
      `add element ${family} ${proxyTable} sticky-clients { ${client} . ${address} . ${port} timeout ${timeout}s expires ${Math.max(1, expires)}s : ${target} }`,
  );

/** The lines that let clients go. Those about to expire are left: to delete what is gone would fail. */
export const forgetLines = (clients: readonly StickyClient[]): readonly string[] =>
  clients.flatMap(({ family, client, address, port, expires }) =>
    expires > 1
      ? [
          `delete element ${family} ${proxyTable} sticky-clients { ${client} . ${address} . ${port} }`,
        ]
      : [],
  );
