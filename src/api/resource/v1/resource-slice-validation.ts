import type { At } from "../../../schema/language/report.ts";
import { NodeSelector } from "../../core/v1/scheduling/node-selector.ts";
import { validateNodeSelector } from "../../core/v1/scheduling/node-selector-validation.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { validateSet } from "./bounded.ts";
import { validateCounters } from "./counter-validation.ts";
import { validateDevice } from "./device-validation.ts";
import { saysTrue, waysToNodes } from "./reachable-nodes.ts";
import { validateDriverName, validatePoolName } from "./resource-names.ts";
import type { Device, ResourceSliceSpec } from "./resource-slice-spec.ts";

const maxDevices = 128;
const maxAdvancedDevices = 64;
const maxCounterSets = 8;

/** The rules of a slice, and, where there is an old one, what may not change. */
export function validateSliceSpec(
  spec: ResourceSliceSpec,
  at: At,
  old: ResourceSliceSpec | undefined,
): void {
  const { driver, pool, devices } = spec;
  validateDriverName(driver, at.child("driver"));
  validatePool(pool, at.child("pool"));
  if (old) validateUnchanged(spec, at, old);
  validateNodes(spec, at);
  if (spec.sharedCounters && devices)
    at.invalid("", "", "only one of `sharedCounters` or `devices` is allowed");
  const before = new Map<string, Device>();
  for (const device of old?.devices ?? [])
    if (!before.has(device.name)) before.set(device.name, device);
  validateSet(devices, at.child("devices"), {
    max: devices?.some(isAdvanced) ? maxAdvancedDevices : maxDevices,
    item: (device, here) =>
      validateDevice(device, here, {
        old: before.get(device.name),
        saysNodes: spec.perDeviceNodeSelection === true,
      }),
    key: ({ name }) => name,
  });
  validateSet(spec.sharedCounters, at.child("sharedCounters"), {
    max: maxCounterSets,
    item: (set, here) => validateCounters(set, here, "name"),
    key: ({ name }) => name,
  });
}

function validatePool(pool: ResourceSliceSpec["pool"], at: At): void {
  validatePoolName(pool.name, at.child("name"));
  if (pool.resourceSliceCount <= 0)
    at.invalid("resourceSliceCount", pool.resourceSliceCount, "must be greater than zero");
  if (pool.generation < 0)
    at.invalid("generation", pool.generation, "must be greater than or equal to zero");
}

function validateUnchanged(spec: ResourceSliceSpec, at: At, old: ResourceSliceSpec): void {
  const unchanging = [
    ["pool.name", spec.pool.name, old.pool.name],
    ["driver", spec.driver, old.driver],
    ["nodeName", spec.nodeName, old.nodeName],
  ] as const;
  for (const [field, now, before] of unchanging)
    if (now !== before) at.invalid(field, now, "field is immutable");
}

/** Which nodes can reach the devices is said in just one way. */
function validateNodes(spec: ResourceSliceSpec, at: At): void {
  const ways = waysToNodes(spec, at, {
    emptyName: "must be either unset or set to a non-empty string",
    validateSelector: validateOneTerm,
  });
  if (saysTrue("perDeviceNodeSelection", spec.perDeviceNodeSelection, at))
    ways.push("`perDeviceNodeSelection`");
  const problem =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (ways.length === 0) at.required("", problem);
  if (ways.length > 1)
    at.invalid("", `{${ways.join(", ")}}`, `${problem}, but multiple fields are set`);
}

/** A selector that can be merged with those of other slices. */
function validateOneTerm(selector: NodeSelector, at: At): void {
  validateNodeSelector(selector, at);
  if (selector.nodeSelectorTerms?.length === 1) return;
  const shown = internalForm(NodeSelector, selector) as { readonly NodeSelectorTerms: unknown };
  at.invalid(
    "nodeSelectorTerms",
    shown.NodeSelectorTerms,
    "must have exactly one node selector term",
  );
}

/** Of devices with taints, counters or lists of values fewer fit in a slice. */
const isAdvanced = ({ taints, consumesCounters, attributes = {} }: Device): boolean =>
  (taints ?? []).length > 0 ||
  (consumesCounters ?? []).length > 0 ||
  Object.values(attributes).some(
    ({ bools, ints, strings, versions }) => bools ?? ints ?? strings ?? versions,
  );
