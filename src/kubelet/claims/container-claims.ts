import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import { isZeroQuantity, parseQuantity } from "../../schema/values/quantity.ts";
import type { NodeClaim, NodeClaims } from "./node-claim.ts";
import { claimOf } from "./pod-claims.ts";

/** The names of the devices that the claims of a container add to it. Throws if one was not prepared. */
export function containerCdiDevices(
  pod: Pod,
  container: Container,
  claims: NodeClaims,
): readonly string[] {
  const { namespace = "" } = pod.metadata;
  const names = new Set<string>();
  for (const { claim, request } of requestsOf(pod, container)) {
    const known = claims.get(namespace, claim);
    if (!known)
      throw new Error(
        `internal error: unable to get claim info for ResourceClaim ${claim} in namespace ${namespace}`,
      );
    for (const name of cdiDevicesFor(known, request)) names.add(name);
  }
  return [...names];
}

/** The prepared claims that a container uses. Throws if one was not prepared. */
export function containerClaims(
  pod: Pod,
  { name, resources }: Container,
  claims: NodeClaims,
): readonly NodeClaim[] {
  const { namespace = "" } = pod.metadata;
  const used = new Set(resources?.claims?.map((one) => one.name));
  const found = (pod.spec.resourceClaims ?? [])
    .filter((one) => used.has(one.name))
    .map((one) => claimOf(pod, one.name)?.name)
    .filter((claim) => claim !== undefined)
    .map((claim) => {
      const known = claims.get(namespace, claim);
      if (!known) throw new Error(`unable to get information for ResourceClaim ${claim}`);
      return known;
    });
  const { extendedResourceClaimStatus: extended } = pod.status;
  if (!extended?.requestMappings?.some(({ containerName }) => containerName === name)) return found;
  const known = claims.get(namespace, extended.resourceClaimName);
  if (known) return [...found, known];
  throw new Error(
    `unable to get claim info for claim ${extended.resourceClaimName} in namespace ${namespace}`,
  );
}

interface ClaimRequest {
  /** The name of a claim. */
  readonly claim: string;
  /** The request in it that the container uses; empty for all. */
  readonly request: string;
}

/** What a container uses of claims: of those that it names, and of the one that was made for its resources. */
function requestsOf(pod: Pod, container: Container): readonly ClaimRequest[] {
  const requests: ClaimRequest[] = [];
  for (const { name, request = "" } of container.resources?.claims ?? []) {
    const claim = claimOf(pod, name)?.name;
    if (claim !== undefined) requests.push({ claim, request });
  }
  const { extendedResourceClaimStatus: extended } = pod.status;
  for (const { containerName, resourceName, requestName } of extended?.requestMappings ?? [])
    if (containerName === container.name && requestsExtended(container, resourceName))
      requests.push({ claim: extended?.resourceClaimName ?? "", request: requestName });
  return requests;
}

const requestsExtended = ({ resources }: Container, name: string): boolean =>
  (isExtendedResource(name) || name.startsWith("deviceclass.resource.kubernetes.io/")) &&
  !isZeroQuantity(parseQuantity(resources?.requests?.[name] ?? "0"));

const cdiDevicesFor = ({ drivers }: NodeClaim, request: string): readonly string[] =>
  [...drivers.values()]
    .flat()
    .filter(({ requests }) => request === "" || requests.length === 0 || requests.includes(request))
    .flatMap(({ cdiDevices }) => cdiDevices);
