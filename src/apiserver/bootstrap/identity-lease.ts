import { Lease } from "../../api/coordination/v1/lease.ts";
import {
  formatMicroTime,
  millisOf,
  parseMicroTime,
  timeFromMillis,
} from "../../schema/values/time.ts";
import { keyOf } from "../objects/address.ts";
import { addressOf, type ObjectKey } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { Reconciler } from "./reconcile-loop.ts";

const identityLabel = "apiserver.kubernetes.io/identity";
const identity = "kube-apiserver";
const durationSeconds = 3600;
const renewMs = 10_000;
const collectMs = durationSeconds * 1000;

export interface IdentityOptions {
  readonly hostname: string;
  /** The address of this server for other servers: `10.0.0.7:6443`. */
  readonly peerAddress: string | undefined;
  /** Whether there may be other servers, so that the lease must be renewed. */
  readonly isShared: boolean;
  readonly sha256: (text: string) => Uint8Array;
}

/** Reconciles the identity lease of this server, and deletes expired ones of other servers. */
export class IdentityLease implements Reconciler {
  readonly task = "the lease of this server";
  readonly queue = "identity_lease_controller";
  readonly kinds = [Lease];
  readonly #parts: OwnParts;
  readonly #options: IdentityOptions;
  readonly #key: Required<ObjectKey>;
  readonly #holder: string;
  #renewed = Number.NEGATIVE_INFINITY;
  #collected = Number.NEGATIVE_INFINITY;

  constructor(parts: OwnParts, options: IdentityOptions) {
    this.#parts = parts;
    this.#options = options;
    const name = serverName(options.hostname, options.sha256);
    this.#key = { namespace: "kube-system", name };
    this.#holder = `${name}_${parts.environment.entropy.uuid()}`;
  }

  isRelevant({
    type,
    object,
  }: {
    readonly type: string;
    readonly object: { readonly key: string };
  }) {
    return type === "DELETED" && object.key === keyOf(addressOf(Lease, this.#key));
  }

  async reconcile(requeueAfter: (ms: number) => void): Promise<void> {
    const { reader, writer, environment } = this.#parts;
    const now = environment.clock.now();
    if (!reader.getCached(Lease, this.#key)) {
      await writer.ensure(Lease, this.#lease());
      this.#renewed = now;
    } else if (now >= this.#renewed + renewMs) {
      await this.#renew();
      this.#renewed = now;
    }
    if (now >= this.#collected + collectMs) {
      await this.#collect(now);
      this.#collected = now;
    }
    if (this.#options.isShared) requeueAfter(this.#renewed + renewMs - now);
  }

  /** Deletes the lease, if there may be other servers. */
  async leave(): Promise<void> {
    if (this.#options.isShared) await this.#parts.writer.delete(Lease, this.#key);
  }

  async #renew(): Promise<void> {
    const { metadata, spec } = this.#lease();
    await this.#parts.writer.createOrUpdate(Lease, this.#key, (existing) => {
      const { labels, annotations } = metadata;
      const old = existing?.metadata;
      return {
        metadata: {
          ...old,
          labels: { ...old?.labels, ...labels },
          ...(annotations && { annotations: { ...old?.annotations, ...annotations } }),
        },
        spec,
      };
    });
  }

  #lease() {
    const { hostname, peerAddress } = this.#options;
    return {
      metadata: {
        ...this.#key,
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
    const { reader, writer } = this.#parts;
    const { namespace } = this.#key;
    for (const lease of reader.listReadable(Lease, namespace)) {
      const { labels, name = "" } = lease.metadata;
      if (labels?.[identityLabel] === identity && isExpired(lease, now))
        await writer.delete(Lease, { namespace, name });
    }
  }
}

function isExpired({ spec }: Lease, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec;
  if (!renewTime || leaseDurationSeconds === undefined) return true;
  return millisOf(parseMicroTime(renewTime)) + leaseDurationSeconds * 1000 < now;
}

/** The name of the server on a host, which is the same each time it starts. */
export function serverName(hostname: string, sha256: (text: string) => Uint8Array): string {
  const hash = sha256(prefixed(hostname) + prefixed(identity)).subarray(0, 16);
  return `apiserver-${base32(hash)}`;
}

/** A text after its length in two bytes, which are ASCII characters for any host name. */
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
