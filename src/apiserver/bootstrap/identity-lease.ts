import type { Lease } from "../../api/coordination/v1/lease.ts";
import {
  formatMicroTime,
  millisOf,
  parseMicroTime,
  timeFromMillis,
} from "../../schema/values/time.ts";
import { type Address, keyOf } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Keeper } from "./follower.ts";
import { cached, ensure } from "./own-work.ts";

const identityLabel = "apiserver.kubernetes.io/identity";
const identity = "kube-apiserver";
const durationSeconds = 3600;
const renewMs = 10_000;
const collectMs = durationSeconds * 1000;

export interface IdentityOptions {
  readonly hostname: string;
  /** Where other servers reach this one: `10.0.0.7:6443`. */
  readonly peerAddress: string | undefined;
  /** Whether there may be other servers, for whom the lease is renewed. */
  readonly isShared: boolean;
  readonly sha256: (text: string) => Uint8Array;
}

/** Keeps the lease by which this server is known, and removes those of servers long gone. */
export class IdentityLease implements Keeper {
  readonly task = "keep the lease of this server";
  readonly queue = "identity_lease_controller";
  readonly kinds: readonly AnyKind[];
  readonly #parts: VerbParts;
  readonly #options: IdentityOptions;
  readonly #address: Address;
  readonly #holder: string;
  #renewed = Number.NEGATIVE_INFINITY;
  #collected = Number.NEGATIVE_INFINITY;

  constructor(parts: VerbParts, kind: AnyKind, options: IdentityOptions) {
    this.#parts = parts;
    this.#options = options;
    this.kinds = [kind];
    const name = serverName(options.hostname, options.sha256);
    this.#address = { kind, namespace: "kube-system", name };
    this.#holder = `${name}_${parts.environment.entropy.uuid()}`;
  }

  concerns({ type, object }: { readonly type: string; readonly object: { readonly key: string } }) {
    return type === "DELETED" && object.key === keyOf(this.#address);
  }

  async sync(wakeAfter: (ms: number) => void): Promise<void> {
    const now = this.#parts.environment.clock.now();
    if (!cached(this.#parts, this.#address)) {
      await ensure(this.#parts, { address: this.#address, object: this.#lease() });
      this.#renewed = now;
    } else if (now >= this.#renewed + renewMs) {
      await this.#renew();
      this.#renewed = now;
    }
    if (now >= this.#collected + collectMs) {
      await this.#collect(now);
      this.#collected = now;
    }
    if (this.#options.isShared) wakeAfter(this.#renewed + renewMs - now);
  }

  /** Removes the lease, if there may be others who look at it. */
  async leave(): Promise<void> {
    if (this.#options.isShared) await this.#remove(this.#address);
  }

  async #renew(): Promise<void> {
    const { metadata, ...lease } = this.#lease();
    const change = (existing: ApiObject | undefined) => {
      const { labels, annotations } = metadata;
      const old = existing?.metadata;
      return structuredClone({
        ...lease,
        metadata: {
          ...old,
          labels: { ...old?.labels, ...labels },
          ...(annotations && { annotations: { ...old?.annotations, ...annotations } }),
        },
      }) as ObjectDraft;
    };
    await update(
      this.#parts,
      { address: this.#address, subresource: "", mayCreate: true, change },
      serverContext(),
    );
  }

  #lease(): ApiObject {
    const { hostname, peerAddress } = this.#options;
    return {
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1",
      metadata: {
        name: this.#address.name,
        namespace: this.#address.namespace,
        labels: { [identityLabel]: identity, "kubernetes.io/hostname": hostname },
        ...(peerAddress !== undefined && {
          annotations: { "kubernetes.io/peer-advertise-address": peerAddress },
        }),
      },
      spec: {
        holderIdentity: this.#holder,
        leaseDurationSeconds: durationSeconds,
        renewTime: formatMicroTime(timeFromMillis(this.#parts.environment.clock.now())),
      },
    };
  }

  async #collect(now: number): Promise<void> {
    const { kind, namespace } = this.#address;
    const cache = this.#parts.reader.cache.of(kind);
    for (const { object } of cache.readable(`${cache.prefix}${namespace}/`)) {
      const { metadata } = object;
      if (metadata.labels?.[identityLabel] !== identity || !isExpired(object as Lease, now))
        continue;
      await this.#remove({ kind, namespace, name: metadata.name ?? "" });
    }
  }

  async #remove(address: Address): Promise<void> {
    const work = deleteObject(this.#parts, address, { options: {}, context: serverContext() });
    await tolerating(["NotFound"], work);
  }
}

function isExpired({ spec }: Lease, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec;
  if (!renewTime || leaseDurationSeconds === undefined) return true;
  return millisOf(parseMicroTime(renewTime)) + leaseDurationSeconds * 1000 < now;
}

/** What a server of that host is called: the same each time it starts. */
export function serverName(hostname: string, sha256: (text: string) => Uint8Array): string {
  const hash = sha256(prefixed(hostname) + prefixed(identity)).subarray(0, 16);
  return `apiserver-${base32(hash)}`;
}

/** A text after its length in two bytes, each of them a character below 128 for any name of a host. */
const prefixed = (text: string): string =>
  String.fromCharCode(text.length >> 8, text.length & 0xff) + text;

function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Letters[(value >> (bits - 5)) & 31];
    value &= 31;
  }
  return bits > 0 ? text + base32Letters[(value << (5 - bits)) & 31] : text;
}

const base32Letters = "abcdefghijklmnopqrstuvwxyz234567";
