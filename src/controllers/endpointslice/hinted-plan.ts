import type { Service } from "../../api/core/v1/service/service.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import type { AddressType } from "./endpoint-groups.ts";
import type { GivenHints } from "./given-hints.ts";
import { nearnessOf, withNearHints, withoutHints } from "./near-hints.ts";
import type { SlicePlan } from "./plan-slices.ts";
import type { ZoneRatios } from "./zone-capacity.ts";
import { withZoneHints } from "./zone-hints.ts";

export interface HintFacts {
  readonly type: AddressType;
  readonly ratios: ZoneRatios | undefined;
  /** The current distribution, which is updated. */
  readonly given: GivenHints;
}

/** The plan with the hints that a service requests, and events to record. */
export function hintedPlan(
  service: Service,
  plan: SlicePlan,
  { type, ratios, given }: HintFacts,
): { readonly plan: SlicePlan; readonly events: readonly RecordedEvent[] } {
  const key = keyOf(service);
  const hadHints = given.has(key);
  if (!wantsZoneHints(service)) {
    const events = hadHints ? [disabled("Topology Aware Hints has been disabled", type)] : [];
    given.remove(key, type);
    const nearness = nearnessOf(service);
    return { plan: nearness ? withNearHints(plan, nearness) : withoutHints(plan), events };
  }
  const zoned = withZoneHints(plan, ratios);
  if ("fault" in zoned) {
    given.remove(key, type);
    return { plan: withoutHints(plan), events: [disabled(zoned.fault, type)] };
  }
  given.set(key, type, zoned.hints);
  return { plan: zoned.plan, events: hadHints ? [] : [enabled(type)] };
}

/** Whether a service requests hints by zone; the older annotation has precedence. */
export function wantsZoneHints({ metadata: { annotations = {} } }: Service): boolean {
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ??
    annotations["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

const enabled = (type: AddressType): RecordedEvent => ({
  type: "Normal",
  reason: "TopologyAwareHintsEnabled",
  note: `Topology Aware Hints has been enabled, addressType: ${type}`,
});

const disabled = (why: string, type: AddressType): RecordedEvent => ({
  type: "Warning",
  reason: "TopologyAwareHintsDisabled",
  note: `${why}, addressType: ${type}`,
});
