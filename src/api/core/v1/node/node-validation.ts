import type { At } from "../../../../schema/language/report.ts";
import { sameValue } from "../../../../schema/language/validate.ts";
import { isValidCidrForLegacyField, parseCidrSloppy, unmap } from "../../../../schema/values/ip.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { validateResourceQuantity } from "../resource-name.ts";
import { validateTaints } from "../scheduling/taint.ts";
import { validateNodeAnnotations } from "./node-annotations.ts";
import { validateConfigSource, validateConfigStatus } from "./node-config-validation.ts";
import type { NodeSpec } from "./node-spec.ts";
import type { NodeAddress, NodeStatus } from "./node-status.ts";

/** A node, for the functions that its kind is made of. */
export interface NodeBody {
  readonly metadata: ObjectMeta;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** The rules of a node beside those of its metadata; in an update they are not all. */
export function validateNode({ metadata, spec, status }: NodeBody, at: At): void {
  const here = at.child("metadata");
  validateNodeAnnotations(metadata.annotations, here.child("annotations"));
  // Upstream looks for the taints and the swap under metadata, and so do clients by now.
  validateTaints(spec.taints ?? [], here.child("taints"));
  validateResources(status, at.child("status"));
  const swap = status.nodeInfo.swap?.capacity;
  if (swap !== undefined && swap <= 0)
    here.child("nodeSwapStatus").invalid("capacity", swap, "must be greater than zero");
  validateDeclaredFeatures(status.declaredFeatures ?? [], at.child("status"));
  validatePodCidrs(spec.podCIDRs ?? [], at.child("spec").child("podCIDRs"));
}

/** The rules of an update of a node or of its status. */
export function validateNodeUpdate(node: NodeBody, old: NodeBody, at: At): void {
  const { metadata, spec, status } = node;
  validateNodeAnnotations(metadata.annotations, at.child("metadata").child("annotations"));
  validateResources(status, at.child("status"));
  validateDeclaredFeatures(status.declaredFeatures ?? [], at.child("status"));
  validateAddresses(status.addresses ?? [], at.child("status").child("addresses"));
  const here = at.child("spec");
  for (let changes = changedPodCidrs(spec, old.spec); changes > 0; changes--)
    here.forbidden("podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  if (old.spec.providerID && old.spec.providerID !== spec.providerID)
    here.forbidden("providerID", 'node updates may not change providerID except from "" to valid');
  if (spec.configSource) validateConfigSource(spec.configSource, here.child("configSource"));
  if (status.config) validateConfigStatus(status.config, at.child("status").child("config"));
  validateTaints(spec.taints ?? [], at.child("metadata").child("taints"));
  if ((spec.externalID ?? "") !== (old.spec.externalID ?? ""))
    here.forbidden("externalID", "may not be updated");
}

function validateResources(status: NodeStatus, at: At): void {
  for (const field of ["capacity", "allocatable"] as const)
    for (const [name, amount] of Object.entries(status[field] ?? {}))
      validateResourceQuantity(name, amount, at.child(field).child(name));
}

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function validateDeclaredFeatures(features: readonly string[], at: At): void {
  const place = (i: number) => at.child("declaredFeatures").index(i);
  for (const [i, name] of features.entries()) {
    if (name.length > 253)
      place(i).invalid("", name, `${wrong(name)} must be no more than 253 characters`);
    else if (!featureName.test(name))
      place(i).invalid(
        "",
        name,
        `${wrong(name)} must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
      );
    const next = features[i + 1];
    if (next === undefined) continue;
    if (name === next) place(i + 1).duplicate("", next);
    else if (name > next) place(i + 1).invalid("", next, "list must be sorted alphabetically");
  }
}

const wrong = (name: string): string => `invalid feature name ${quote(name)}:`;

function validatePodCidrs(cidrs: readonly string[], at: At): void {
  for (const [i, cidr] of cidrs.entries())
    at.index(i).invalidEach("", cidr, isValidCidrForLegacyField(cidr, { strict: true }));
  if (cidrs.length < 2) return;
  const parsed = cidrs.map(parseCidrSloppy);
  const bad = parsed.indexOf(undefined);
  if (bad >= 0)
    at.internal(
      "",
      `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`,
    );
  const versions = new Set(parsed.map((cidr) => cidr && unmap(cidr.ip).version));
  if (bad >= 0 || versions.size < 2 || cidrs.length > 2)
    at.invalid("", cidrs, "may specify no more than one CIDR for each IP family");
}

function validateAddresses(addresses: readonly NodeAddress[], at: At): void {
  for (const [i, address] of addresses.entries())
    if (addresses.slice(0, i).some((other) => sameValue(other, address)))
      at.index(i).duplicate("", { Type: address.type, Address: address.address });
}

/** How many of the pod networks differ; once set they stay. */
function changedPodCidrs(spec: NodeSpec, old: NodeSpec): number {
  const { podCIDRs: now = [] } = spec;
  const { podCIDRs: before = [] } = old;
  if (before.length === 0) return 0;
  return before.length === now.length ? before.filter((cidr, i) => cidr !== now[i]).length : 1;
}
