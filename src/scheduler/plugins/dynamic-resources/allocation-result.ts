import type {
  NodeSelector,
  NodeSelectorRequirement,
} from "../../../api/core/v1/scheduling/node-selector.ts";
import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
} from "../../../api/resource/v1/resource-claim-status.ts";
import { formatQuantity } from "../../../schema/values/quantity.ts";
import type { ClassRequest } from "./claim-requests.ts";
import type { ChosenDevice, ChosenDevices } from "./device-search.ts";

/** Where and for what devices were chosen. */
export interface ResultContext {
  readonly claim: ResourceClaim;
  readonly node: string;
  readonly uuid: () => string;
}

/** What a claim gets, as its status will say it. */
export function allocationResult(
  { devices, requests }: ChosenDevices,
  { claim, node, uuid }: ResultContext,
): AllocationResult {
  const nodeSelector = selectorOf(devices, node);
  const config = [...classConfiguration(requests), ...claimConfiguration(claim, requests)];
  return {
    devices: {
      results: devices.map((one) => resultOf(one, uuid)),
      ...(config.length > 0 && { config }),
    },
    ...(nodeSelector && { nodeSelector }),
  };
}

function resultOf(
  { request, pool, device, consumed }: ChosenDevice,
  uuid: () => string,
): DeviceRequestAllocationResult {
  const { bindingConditions, bindingFailureConditions } = device;
  return {
    request: request.name,
    driver: pool.driver,
    pool: pool.name,
    device: device.name,
    ...(request.isAdmin && { adminAccess: true }),
    ...(request.tolerations && { tolerations: request.tolerations }),
    ...(bindingConditions && { bindingConditions }),
    ...(bindingFailureConditions && { bindingFailureConditions }),
    ...(consumed && { shareID: uuid() }),
    ...(consumed &&
      consumed.size > 0 && {
        consumedCapacity: Object.fromEntries(
          Array.from(consumed, ([name, amount]) => [name, formatQuantity(amount)]),
        ),
      }),
  };
}

/** The configuration of each class, once, with all requests for the class. */
function classConfiguration(
  requests: readonly ClassRequest[],
): readonly DeviceAllocationConfiguration[] {
  const byClass = new Map<ClassRequest["deviceClass"], string[]>();
  for (const { deviceClass, name } of requests)
    byClass.set(deviceClass, [...(byClass.get(deviceClass) ?? []), name]);
  return Array.from(byClass).flatMap(([{ spec }, names]) =>
    (spec.config ?? []).map((one) => ({ source: "FromClass", requests: names, ...one })),
  );
}

/** The claim's configuration that is for all requests, for a chosen one, or for its parent. */
const claimConfiguration = (
  { spec }: ResourceClaim,
  requests: readonly ClassRequest[],
): readonly DeviceAllocationConfiguration[] =>
  (spec.devices.config ?? []).flatMap((one) => {
    const { requests: wanted = [] } = one;
    const entry = { source: "FromClaim", ...one };
    if (wanted.length === 0) return [entry];
    return requests
      .filter(({ name }) => wanted.includes(name) || wanted.includes(name.split("/")[0] ?? ""))
      .map(() => entry);
  });

/** The nodes from which all devices can be reached; undefined for all nodes. */
function selectorOf(devices: readonly ChosenDevice[], node: string): NodeSelector | undefined {
  const matchFields: NodeSelectorRequirement[] = [];
  const matchExpressions: NodeSelectorRequirement[] = [];
  for (const { device, slice } of devices) {
    const { nodeName, nodeSelector } = slice.spec.perDeviceNodeSelection ? device : slice.spec;
    if (nodeName || device.bindsToNode) {
      const own = [{ key: "metadata.name", operator: "In", values: [node] }];
      return { nodeSelectorTerms: [{ matchFields: own }] };
    }
    const [term] = nodeSelector?.nodeSelectorTerms ?? [];
    addRequirements(matchFields, term?.matchFields);
    addRequirements(matchExpressions, term?.matchExpressions);
  }
  if (matchFields.length + matchExpressions.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length > 0 && { matchExpressions }),
        ...(matchFields.length > 0 && { matchFields }),
      },
    ],
  };
}

function addRequirements(
  to: NodeSelectorRequirement[],
  added: readonly NodeSelectorRequirement[] = [],
): void {
  const textOf = ({ key, operator, values = [] }: NodeSelectorRequirement): string =>
    JSON.stringify([key, operator, [...new Set(values)].sort()]);
  for (const one of added) if (!to.some((other) => textOf(other) === textOf(one))) to.push(one);
}
