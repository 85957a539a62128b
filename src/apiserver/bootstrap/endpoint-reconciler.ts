import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { keyOf } from "../objects/address.ts";
import { addressOf } from "../objects/reader.ts";
import { countedAddresses, plannedEndpoints, sliceOf, sliceStep } from "./kubernetes-endpoints.ts";
import { kubernetes } from "./kubernetes-service.ts";
import type { PresenceParts } from "./presence.ts";
import type { Reconciler } from "./reconcile-loop.ts";
import { ServerLeases } from "./server-leases.ts";

const renewMs = 10_000;

/** The address and port of this server. */
export interface Advertise {
  readonly address: string;
  readonly port: () => number;
}

/**
 * How the addresses of all servers are found: by leases that each renews; by the number of servers, each of which adds
 * its own address; or not at all, because others maintain the endpoints.
 */
export type EndpointReconcilerType =
  | { readonly by: "lease" | "none" }
  | { readonly by: "count"; readonly count: number };

export interface EndpointReconcilerOptions {
  readonly advertise: Advertise;
  readonly type: EndpointReconcilerType;
  /** Whether there may be other servers. */
  readonly isShared: boolean;
}

/** Reconciles the endpoints of the service `kubernetes`: the addresses of all servers that are alive. */
export class EndpointReconciler implements Reconciler {
  readonly task = "the endpoints of the service kubernetes";
  readonly queue = "endpoint_reconciler";
  readonly kinds = [Endpoints, EndpointSlice];
  readonly #parts: PresenceParts;
  readonly #advertise: Advertise;
  readonly #leases: ServerLeases | undefined;
  /** How many servers there are, where they have no leases. */
  readonly #count: number | undefined;
  readonly #keys = new Set(this.kinds.map((kind) => keyOf(addressOf(kind, kubernetes))));
  /** Whether to correct ports, which happens once, when the server starts. */
  #fixesPorts: boolean | undefined;
  #renewed = Number.NEGATIVE_INFINITY;
  #isLeaving = false;

  constructor(parts: PresenceParts, { advertise, isShared, type }: EndpointReconcilerOptions) {
    this.#parts = parts;
    this.#advertise = advertise;
    this.#count = type.by === "count" ? type.count : undefined;
    this.#leases = isShared && type.by === "lease" ? new ServerLeases(parts) : undefined;
  }

  isRelevant({ object }: { readonly object: { readonly key: string } }): boolean {
    // Servers that are more than their number replace each other's addresses: they do so every ten seconds only.
    return this.#count === undefined && this.#keys.has(object.key);
  }

  async reconcile(requeueAfter: (ms: number) => void): Promise<void> {
    const { clock } = this.#parts.environment;
    const leases = this.#leases;
    if (!leases) {
      const { address } = this.#advertise;
      if (this.#count !== undefined) requeueAfter(renewMs);
      const published = this.#count === undefined ? [] : this.#published();
      await this.#reconcile(countedAddresses(published, address, this.#count ?? 1));
      return;
    }
    // The lease is renewed in time even if something fails below.
    requeueAfter(renewMs);
    this.#fixesPorts ??= await leases.has(this.#advertise.address);
    const { address } = this.#advertise;
    let addresses = await leases.list();
    // Another server with the same address removes the shared lease when it stops.
    if (clock.now() >= this.#renewed + renewMs || !addresses.includes(address)) {
      await leases.renew(address);
      this.#renewed = clock.now();
      addresses = await leases.list();
    }
    requeueAfter(this.#renewed + renewMs - clock.now());
    await this.#reconcile(addresses);
  }

  /** Removes this server from the endpoints, if there may be others. The loop must have stopped. */
  async leave(): Promise<void> {
    const { address } = this.#advertise;
    if (!this.#leases && this.#count === undefined) return;
    this.#isLeaving = true;
    if (!this.#leases) {
      await this.#reconcile(this.#published().filter((other) => other !== address));
      return;
    }
    this.#fixesPorts = true;
    await this.#leases.remove(this.#advertise.address);
    await this.#reconcile(await this.#leases.list());
  }

  /** The addresses in the endpoints. */
  #published(): string[] {
    const [subset] = this.#parts.reader.getCached(Endpoints, kubernetes)?.subsets ?? [];
    return (subset?.addresses ?? []).map(({ ip }) => ip);
  }

  async #reconcile(addresses: readonly string[]): Promise<void> {
    if (addresses.length === 0 && !this.#isLeaving)
      throw new Error(
        "no API server IP addresses were listed in storage, refusing to erase all endpoints for the kubernetes Service",
      );
    const wanted = {
      addresses: [...addresses].sort(),
      port: this.#advertise.port(),
      fixesPorts: this.#fixesPorts ?? true,
    };
    const { reader, writer } = this.#parts;
    const current = reader.getCached(Endpoints, kubernetes);
    const next = plannedEndpoints(current ?? nothing, wanted);
    if (!current) {
      if (this.#isLeaving) return;
      if (next) await writer.ensure(Endpoints, next);
    } else if (next)
      await writer.update(Endpoints, kubernetes, (existing) => plannedEndpoints(existing, wanted));
    const endpoints = await reader.get(Endpoints, kubernetes);
    if (endpoints) await this.#slice(sliceOf(endpoints));
    this.#fixesPorts = false;
  }

  async #slice(wanted: EndpointSlice): Promise<void> {
    const { reader, writer } = this.#parts;
    if (!reader.serves(EndpointSlice)) return;
    const step = sliceStep(reader.getCached(EndpointSlice, kubernetes), wanted);
    if (step === "update") await writer.update(EndpointSlice, kubernetes, () => wanted);
    if (step === "replace") await writer.delete(EndpointSlice, kubernetes);
    if (step === "create" || step === "replace") await writer.ensure(EndpointSlice, wanted);
  }
}

const nothing: Endpoints = { kind: "Endpoints", apiVersion: "v1", metadata: kubernetes };
