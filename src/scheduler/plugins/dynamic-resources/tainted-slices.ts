import { ruleSelects } from "../../../api/resource/v1/matching-rule.ts";
import { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { DeviceTaintRule } from "../../../api/resource/v1beta2/device-taint-rule.ts";
import type { Handle } from "../../framework/handle.ts";

/** Lists all slices; while rules taint devices, with the taints of these. */
export function taintedSlices(handle: Handle): () => readonly ResourceSlice[] {
  const slices = handle.informer(ResourceSlice);
  if (!handle.features.has("DRADeviceTaintRules")) return () => slices.list();
  const rules = handle.informer(DeviceTaintRule);
  return () => {
    const all = rules.list();
    return all.length === 0 ? slices.list() : slices.list().map((slice) => withRules(slice, all));
  };
}

/** Adds the taints of rules to the devices that they select; here, a rule without a selector selects all. */
export function withRules(slice: ResourceSlice, rules: readonly DeviceTaintRule[]): ResourceSlice {
  const { driver, pool, devices = [] } = slice.spec;
  let isChanged = false;
  const tainted = devices.map((device) => {
    const named = { driver, pool: pool.name, device: device.name };
    const added = rules
      .filter((rule) => !rule.spec.deviceSelector || ruleSelects(rule, named))
      .map(({ spec }) => spec.taint);
    if (added.length === 0) return device;
    isChanged = true;
    return { ...device, taints: [...(device.taints ?? []), ...added] };
  });
  return isChanged ? { ...slice, spec: { ...slice.spec, devices: tainted } } : slice;
}
