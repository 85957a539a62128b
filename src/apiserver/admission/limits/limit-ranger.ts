import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { containerResources } from "../../../api/core/v1/pod/pod-requests.ts";
import { LimitRange } from "../../../api/core/v1/quota/limit-range.ts";
import type { LimitRangeItem } from "../../../api/core/v1/quota/limit-range-item.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { setMember } from "../../../schema/json/strict-json.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import type { ObjectDraft } from "../../objects/object.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";
import type { PluginSetup } from "../plugins.ts";
import { isPod, type PodDraft } from "../pods/pod.ts";
import { rejection } from "../rejection.ts";
import { draftOf, objectOf } from "../typed-attributes.ts";
import { type Amounts, limitProblems, requestProblems } from "./limit-constraints.ts";

const annotation = "kubernetes.io/limit-ranger";

/** Checks pods and claims against the limits of their namespace, and sets its defaults. */
export function limitRanger({ reader }: Pick<PluginSetup, "reader">): AdmissionPlugin {
  const rangesFor = async (
    attributes: Attributes | Attributes<ObjectDraft>,
  ): Promise<readonly LimitRange[]> => {
    if (!isLimited(attributes)) return [];
    return reader.list(LimitRange, attributes.address.namespace);
  };
  return {
    name: "LimitRanger",
    operations: ["CREATE", "UPDATE"],
    resources: ["/pods", "/pods/resize", "/persistentvolumeclaims"],

    async admit(attributes) {
      if (!isPod(attributes)) return;
      for (const range of await rangesFor(attributes)) setDefaults(draftOf(Pod, attributes), range);
    },

    async validate(attributes) {
      const problemsOf = isPod(attributes)
        ? (item: LimitRangeItem) => podProblems(item, objectOf(Pod, attributes))
        : (item: LimitRangeItem) =>
            claimProblems(item, objectOf(PersistentVolumeClaim, attributes));
      for (const { spec } of await rangesFor(attributes)) {
        const problems = new Set((spec.limits ?? []).flatMap(problemsOf));
        const all = [...problems].join(", ");
        if (problems.size > 0) throw rejection(attributes, problems.size === 1 ? all : `[${all}]`);
      }
    },
  };
}

/** New pods, pods that are resized, and claims; nothing that is being deleted. */
function isLimited(attributes: Attributes | Attributes<ObjectDraft>): boolean {
  const { operation, subresource, address, old } = attributes;
  if (old?.metadata.deletionTimestamp) return false;
  if (isPod(attributes)) return subresource === (operation === "CREATE" ? "" : "resize");
  const { group, kind } = address.kind;
  return group === "" && kind === "PersistentVolumeClaim" && subresource === "";
}

function setDefaults({ metadata, spec }: PodDraft, { spec: { limits: items } }: LimitRange): void {
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const item of items ?? []) {
    if (item.type !== "Container") continue;
    fillIn(requests, item.defaultRequest, true);
    fillIn(limits, item.default, true);
  }
  const done = [
    ...setContainerDefaults(spec.containers ?? [], { requests, limits }, "container"),
    ...setContainerDefaults(spec.initContainers ?? [], { requests, limits }, "init container"),
  ];
  if (done.length === 0) return;
  const text = `LimitRanger plugin set: ${done.join("; ")}`;
  metadata.annotations = { ...metadata.annotations, [annotation]: text };
}

/** Sets missing requests and limits, and lists them in an annotation. */
function setContainerDefaults(
  containers: PodDraft["spec"]["containers"],
  defaults: { readonly requests: Amounts; readonly limits: Amounts },
  what: string,
): readonly string[] {
  return containers.flatMap((container) => {
    const own = container.resources;
    const requests = { ...own?.requests };
    const limits = { ...own?.limits };
    const newRequests = fillIn(requests, defaults.requests);
    const newLimits = fillIn(limits, defaults.limits);
    const done = [];
    if (newRequests.length > 0) done.push(`${newRequests.join(", ")} request`);
    if (newLimits.length > 0) done.push(`${newLimits.join(", ")} limit`);
    if (done.length > 0)
      container.resources = {
        ...own,
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(Object.keys(requests).length > 0 && { requests }),
      };
    return done.map((set) => `${set} for ${what} ${container.name}`);
  });
}

/** Adds the missing resources to a list; returns their names, in order. */
function fillIn(
  list: Record<string, string | number>,
  more: Amounts = {},
  replaces = false,
): readonly string[] {
  const added = sortedKeys(more).filter((name) => replaces || !Object.hasOwn(list, name));
  for (const name of added) setMember(list, name, more[name]);
  return added;
}

function podProblems(item: LimitRangeItem, { spec }: Pod): readonly string[] {
  if (item.type === "Container")
    return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      limitProblems(item, {
        requests: resources?.requests ?? {},
        limits: resources?.limits ?? {},
      }),
    );
  if (item.type !== "Pod") return [];
  return limitProblems(item, {
    requests: podAmounts(spec, "requests"),
    limits: podAmounts(spec, "limits"),
  });
}

/** Resources of the pod as a whole take precedence over those of its containers. */
function podAmounts(spec: Pod["spec"], side: "requests" | "limits"): Amounts {
  const sum: Record<string, string> = { ...containerResources(spec, side) };
  const whole = spec.resources?.[side] ?? {};
  for (const name of ["cpu", "memory"]) {
    const amount = whole[name];
    if (amount !== undefined) sum[name] = amount;
  }
  return sum;
}

const claimProblems = (item: LimitRangeItem, { spec }: PersistentVolumeClaim): readonly string[] =>
  item.type === "PersistentVolumeClaim"
    ? requestProblems(item, spec.resources?.requests ?? {})
    : [];
