import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { type Address, keyOf } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Keeper } from "./follower.ts";
import { plannedEndpoints, sliceOf, sliceStep } from "./kubernetes-endpoints.ts";
import { kubernetes } from "./kubernetes-service.ts";
import { cached, ensure, placed } from "./own-work.ts";
import { ServerLeases } from "./server-leases.ts";

const renewMs = 10_000;

/** Where this server is reached. */
export interface Advertise {
  readonly address: string;
  readonly port: () => number;
}

export interface EndpointReconcilerOptions {
  readonly parts: VerbParts;
  readonly advertise: Advertise;
  /** Whether there may be other servers. */
  readonly isShared: boolean;
  readonly kind: AnyKind;
}

/** Keeps the endpoints of the service `kubernetes`: the addresses of all servers that are alive. */
export class EndpointReconciler implements Keeper {
  readonly task = "keep the endpoints of the service kubernetes";
  readonly queue = "endpoint_reconciler";
  readonly kinds: readonly AnyKind[];
  readonly #parts: VerbParts;
  readonly #advertise: Advertise;
  readonly #leases: ServerLeases | undefined;
  readonly #address: Address;
  readonly #keys: ReadonlySet<string>;
  /** Ports are put right once, when the server starts. */
  #fixesPorts: boolean | undefined;
  #renewed = Number.NEGATIVE_INFINITY;
  #isLeaving = false;

  constructor({ parts, advertise, isShared, kind }: EndpointReconcilerOptions) {
    this.#parts = parts;
    this.#advertise = advertise;
    this.#leases = isShared ? new ServerLeases(parts, kind) : undefined;
    this.#address = { kind, namespace: "default", name: kubernetes };
    const slices = parts.resources.find("discovery.k8s.io", "v1", "endpointslices");
    this.kinds = slices ? [kind, slices] : [kind];
    this.#keys = new Set(this.kinds.map((item) => keyOf({ ...this.#address, kind: item })));
  }

  concerns({ object }: { readonly object: { readonly key: string } }): boolean {
    return this.#keys.has(object.key);
  }

  async sync(wakeAfter: (ms: number) => void): Promise<void> {
    const { clock } = this.#parts.environment;
    const leases = this.#leases;
    if (!leases) {
      await this.#reconcile([this.#advertise.address]);
      return;
    }
    // A lease is renewed in time, whatever else fails.
    wakeAfter(renewMs);
    this.#fixesPorts ??= await leases.has(this.#advertise.address);
    const { address } = this.#advertise;
    let addresses = await leases.list();
    // Another server of the same address takes the lease of both along when it leaves.
    if (clock.now() >= this.#renewed + renewMs || !addresses.includes(address)) {
      await leases.renew(address);
      this.#renewed = clock.now();
      addresses = await leases.list();
    }
    wakeAfter(this.#renewed + renewMs - clock.now());
    await this.#reconcile(addresses);
  }

  /** Takes this server out, if there may be others; nothing may be under way. */
  async leave(): Promise<void> {
    if (!this.#leases) return;
    this.#isLeaving = true;
    this.#fixesPorts = true;
    await this.#leases.remove(this.#advertise.address);
    await this.#reconcile(await this.#leases.list());
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
    const plan = (current: ApiObject | undefined): Endpoints | undefined =>
      plannedEndpoints((current ?? nothing) as Endpoints, wanted);
    const address = this.#address;
    const current = cached(this.#parts, address);
    const next = plan(current);
    if (!current) {
      if (this.#isLeaving) return;
      if (next) await ensure(this.#parts, { address, object: next });
    } else if (next) {
      const change = (existing: ApiObject | undefined) =>
        structuredClone(plan(existing) ?? existing) as ObjectDraft;
      await update(this.#parts, { address, subresource: "", change }, serverContext());
    }
    const endpoints = (await this.#parts.reader.find(address))?.object;
    if (endpoints) await this.#slice(sliceOf(endpoints as Endpoints));
    this.#fixesPorts = false;
  }

  async #slice(wanted: EndpointSlice): Promise<void> {
    for (const item of placed(this.#parts, wanted)) {
      const { address } = item;
      const current = cached(this.#parts, address) as EndpointSlice | undefined;
      const step = sliceStep(current, wanted);
      if (step === "update") {
        const change = () => structuredClone(wanted) as unknown as ObjectDraft;
        await update(this.#parts, { address, subresource: "", change }, serverContext());
      }
      if (step === "replace") {
        const context = serverContext();
        await tolerating(
          ["NotFound"],
          deleteObject(this.#parts, address, { options: {}, context }),
        );
      }
      if (step === "create" || step === "replace") await ensure(this.#parts, item);
    }
  }
}

const nothing: ApiObject = {
  kind: "Endpoints",
  apiVersion: "v1",
  metadata: { name: kubernetes, namespace: "default" },
};
