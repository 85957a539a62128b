import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isExtendedResource } from "../../../api/core/v1/resource-name.ts";
import type { DeviceClass } from "../../../api/resource/v1/device-class.ts";
import type { NodeResourcesFitArgs } from "../../configuration/plugin-args.ts";
import { actions, nodeResource, podResource } from "../../framework/cluster-event.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import {
  extendedResourceClasses,
  extendedResourcesIn,
  resourcesOfClass,
} from "../../framework/extended-resource-classes.ts";
import { NodeInfo } from "../../framework/node-info.ts";
import type { PluginFactory } from "../../framework/plugin.ts";
import { podAmounts } from "../../framework/pod-resources.ts";
import { type Resource, resourceFrom, resourceOf } from "../../framework/resource.ts";
import { deviceAmounts } from "../dynamic-resources/device-amounts.ts";
import { type IsIgnored, insufficientResources } from "./insufficient-resources.ts";
import { type Asked, askedOf, nothingAsked } from "./requested-resources.ts";
import { strategyScore } from "./scoring-strategy.ts";

const asked = stateKey<Asked>("PreScoreNodeResourcesFit");

/** Keeps pods off nodes with insufficient resources, and scores nodes by their allocation. */
export const nodeResourcesFit: PluginFactory = (args, handle) => {
  const {
    ignoredResources = [],
    ignoredResourceGroups = [],
    scoringStrategy,
  } = (args ?? {}) as NodeResourcesFitArgs;
  const strategy = scoringStrategy ?? { type: "LeastAllocated" };
  const { resources = [] } = strategy;
  const ignored = new Set(ignoredResources);
  const groups = new Set(ignoredResourceGroups);
  const classOf = extendedResourceClasses(handle);
  const devices = deviceAmounts(handle);
  // DynamicResources allocates devices where no device plugin offers the resource.
  const isLeftToDevices: IsIgnored = (name, { allocatable }) =>
    allocatable.of(name) === 0 && classOf(name) !== undefined;
  const isIgnored: IsIgnored = (name, node) =>
    (isExtendedResource(name) && (ignored.has(name) || groups.has(name.split("/")[0] ?? ""))) ||
    isLeftToDevices(name, node);
  const score = strategyScore(strategy);
  return {
    name: "NodeResourcesFit",
    filter: (_, { requests }, node) => insufficientResources(requests, node, isIgnored),
    preScore(state, pod) {
      state.write(asked, askedOf(pod, { resources, isExact: false, devices }));
      return undefined;
    },
    score: (state, _, node) => score(node, state.read(asked) ?? nothingAsked),
    eventsToRegister: () => [
      {
        event: { resource: podResource, action: actions.delete | actions.updatePodScaleDown },
        hint(pod, change) {
          const [now, old] = [change.now as Pod | undefined, change.old as Pod];
          const helps = now
            ? helpsIfScaledDown(pod, old, now)
            : Boolean(old.spec.nodeName || old.status.nominatedNodeName);
          return helps ? "Queue" : "QueueSkip";
        },
      },
      {
        event: { resource: nodeResource, action: actions.add | actions.updateNodeAllocatable },
        hint(pod, change) {
          const [now, old] = [change.now as Node, change.old as Node | undefined];
          const wanted = resourceFrom(podAmounts(pod));
          const info = new NodeInfo();
          info.setNode(now);
          if (insufficientResources(wanted, info, isLeftToDevices)) return "QueueSkip";
          const isDeviceWanted = extendedResourcesIn(wanted).some((name) =>
            isLeftToDevices(name, info),
          );
          return !old || isDeviceWanted || hasMore(wanted, old, now) ? "Queue" : "QueueSkip";
        },
      },
      {
        event: { resource: "resource.k8s.io/DeviceClass", action: actions.add | actions.update },
        hint(pod, change) {
          const [now, old] = [change.now as DeviceClass, change.old as DeviceClass | undefined];
          const before = old ? resourcesOfClass(old) : [];
          const added = resourcesOfClass(now).filter((name) => !before.includes(name));
          const wanted = podAmounts(pod);
          return added.some((name) => wanted.has(name)) ? "Queue" : "QueueSkip";
        },
      },
    ],
  };
};

function helpsIfScaledDown(pod: Pod, old: Pod, now: Pod): boolean {
  if (now.metadata.uid === pod.metadata.uid) return true;
  if (!now.spec.nodeName) return false;
  const before = resourceFrom(podAmounts(old, { withStatus: true }));
  const after = resourceFrom(podAmounts(now, { withStatus: true }));
  for (const [name, amount] of podAmounts(pod, { withStatus: true }))
    if (amount !== 0 && before.of(name) > after.of(name)) return true;
  return false;
}

/** Whether a node's allocatable has grown for a resource that a pod requests. */
function hasMore(wanted: Resource, old: Node, now: Node): boolean {
  const [before, after] = [resourceOf(old.status.allocatable), resourceOf(now.status.allocatable)];
  if (after.allowedPods > before.allowedPods) return true;
  const names = ["cpu", "memory", "ephemeral-storage", ...(wanted.scalars?.keys() ?? [])];
  return names.some((name) => wanted.of(name) > 0 && after.of(name) > before.of(name));
}
