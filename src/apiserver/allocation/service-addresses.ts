import type { IpFamily } from "../../api/core/v1/service/service-cluster-ips.ts";
import {
  headless,
  type ServiceBody,
  type ServiceDraft,
} from "../../api/core/v1/service/service-spec.ts";
import { internalError } from "../../api/meta/v1/status-error.ts";
import { refusal } from "./service-refusal.ts";

/** Takes addresses for one write, and gives them up with it. */
export interface AddressClaim {
  /** Takes the address; a text says why that cannot be. */
  ask(address: string): string | undefined;
  /** Takes any address of a family; undefined where there is none. */
  next(family: IpFamily): string | undefined;
  giveUp(address: string): void;
}

/**
 * Gives a service, whose families are decided, the addresses that it lacks, and gives up what it has
 * and needs no more. An update changes addresses only where the service comes to have some, loses
 * them, or gets or loses its second one.
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

/** Takes the addresses that a service asks for, and any where it leaves that of a family open. */
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
    throw refusal(service, place, `failed to allocate IP ${address}: ${why}`);
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
