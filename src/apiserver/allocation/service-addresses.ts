import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import {
  headless,
  type ServiceBody,
  type ServiceDraft,
} from "../../api/core/v1/service/service-spec.ts";
import { internalError } from "../../api/meta/v1/status-error.ts";
import { rejection } from "./service-rejection.ts";

/** Claims addresses for one write, and releases them with it. */
export interface AddressClaim {
  /** Claims the address; returns the reason if that is not possible. */
  ask(address: string): string | undefined;
  /** Claims any address of a family; undefined if none is free. */
  next(family: IpFamily): string | undefined;
  giveUp(address: string): void;
}

/**
 * Allocates the missing addresses of a service whose families are decided, and releases those that it
 * no longer needs. An update changes addresses only if the service gains or loses all of them, or its
 * second one.
 */
export function allocateAddresses(
  service: ServiceDraft,
  old: ServiceBody | undefined,
  claim: AddressClaim,
): void {
  const { spec } = service;
  if (!old || (isExternal(old) && !isExternal(service))) {
    if (isExternal(service) || isHeadless(service)) return;
    take(service, { from: 0, claim });
    spec.clusterIP = spec.clusterIPs?.[0];
    return;
  }
  if (isHeadless(old) || isExternal(old)) return;
  const had = old.spec.clusterIPs ?? [];
  if (isExternal(service)) {
    for (const address of had) claim.giveUp(address);
    return;
  }
  const [before, after] = [old.spec.ipFamilies ?? [], spec.ipFamilies ?? []];
  if (before.length === 1 && after.length === 2) take(service, { from: 1, claim });
  if (before.length === 2 && after.length === 1 && had[1] !== undefined) claim.giveUp(had[1]);
}

/** Claims the requested addresses of a service, and any address for families without a request. */
function take(
  service: ServiceDraft,
  { from, claim }: { readonly from: number; readonly claim: AddressClaim },
): void {
  const { spec } = service;
  const families = spec.ipFamilies ?? [];
  const asked = families.map((_, i) => spec.clusterIPs?.[i] ?? "");
  spec.clusterIPs = families.map((family, i) => {
    const address = asked[i] ?? "";
    if (i < from) return address;
    if (address === "") return anyAddress(service, family as IpFamily, claim);
    const why = claim.ask(address);
    if (why === undefined) return address;
    const place = { path: "spec.clusterIPs", value: asked };
    throw rejection(service, place, `failed to allocate IP ${address}: ${why}`);
  });
}

function anyAddress({ metadata }: ServiceDraft, family: IpFamily, claim: AddressClaim): string {
  const address = claim.next(family);
  if (address === undefined)
    throw internalError(
      new Error(`failed to allocate a serviceIP for Service "${metadata.name}": range is full`),
    );
  return address;
}

type WithSpec = Pick<ServiceBody, "spec">;
const isExternal = ({ spec }: WithSpec): boolean => spec.type === "ExternalName";
const isHeadless = ({ spec }: WithSpec): boolean => spec.clusterIPs?.[0] === headless;
