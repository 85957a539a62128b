import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { noLog } from "../../base/log.ts";
import { noMetrics } from "../../base/metrics.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Profile } from "../configuration/scheduler-configuration.ts";
import { Extenders } from "../extenders/extenders.ts";
import { completed, type KubeSchedulerConfiguration } from "../parse-configuration.ts";
import { schedulerMetrics } from "../scheduler-metrics.ts";
import { CycleState } from "./cycle-state.ts";
import { Framework, type FrameworkDependencies } from "./framework.ts";
import type { Handle } from "./handle.ts";
import { NodeInfo } from "./node-info.ts";
import type { Plugin, PluginFactory } from "./plugin.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";
import type { Registry } from "./registry.ts";
import type { Snapshot } from "./snapshot.ts";
import { statusMessage } from "./status.ts";

/** A pod as the API server returns it; its uid defaults to its name. */
export function aPod(name: string, more: PodParts = {}): Pod {
  const { spec, status, requests, ...metadata } = more;
  const resources = requests && { resources: { requests } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: name, ...metadata },
    spec: {
      schedulerName: "default-scheduler",
      containers: [{ name: "main", image: "example.com/main:1", ...resources }],
      ...spec,
    },
    status: { phase: "Pending", ...status },
  } as unknown as Pod;
}

export interface PodParts {
  readonly uid?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly requests?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export const aPodInfo = (name: string, more: PodParts = {}): PodInfo => podInfo(aPod(name, more));

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A node, by default with 4 CPUs, 8 GB and 110 pods. */
export function aNode(
  name: string,
  { labels, allocatable, spec, status, annotations }: NodeParts = {},
): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, ...labels },
      ...(annotations && { annotations }),
    },
    spec: { ...spec },
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...allocatable }, ...status },
  } as unknown as Node;
}

export function aNodeInfo(
  name: string,
  parts: NodeParts = {},
  pods: readonly PodInfo[] = [],
): NodeInfo {
  const info = new NodeInfo();
  info.setNode(aNode(name, parts));
  for (const pod of pods) info.addPod(pod);
  return info;
}

/** A constant snapshot. */
export function snapshotOf(nodes: readonly NodeInfo[]): Snapshot {
  return {
    nodes,
    get: (name) => nodes.find((node) => node.name === name),
    nodesWithAffinity: nodes.filter(({ podsWithAffinity }) => podsWithAffinity.length > 0),
    nodesWithRequiredAntiAffinity: nodes.filter(
      ({ podsWithRequiredAntiAffinity }) => podsWithRequiredAntiAffinity.length > 0,
    ),
    isClaimUsed: (claim) => nodes.some(({ claims }) => claims.has(claim)),
    image: (name) => nodes.map(({ images }) => images.get(name)).find((image) => image),
  };
}

/** Objects in informers, by kind. */
export type KnownObjects = Readonly<Record<string, readonly object[]>>;

/** The dependencies of profiles, with constant nodes and objects. */
export function dependenciesOf(
  nodes: readonly NodeInfo[],
  known: KnownObjects = {},
): FrameworkDependencies {
  const informer = (
    { kind }: { readonly kind: string },
    { indexers = {} }: { readonly indexers?: Record<string, (object: unknown) => string[]> } = {},
  ) => {
    const objects = (known[kind] ?? []) as { metadata: { name?: string; namespace?: string } }[];
    return {
      get: (key: { name: string; namespace?: string }) =>
        objects.find(
          ({ metadata }) => metadata.name === key.name && metadata.namespace === key.namespace,
        ),
      list: () => objects,
      resourceVersion: "",
      addHandler: () => undefined,
      byIndex: (index: string, value: string) =>
        objects.filter((object) => indexers[index]?.(object).includes(value)),
    };
  };
  return {
    snapshot: snapshotOf(nodes),
    client: undefined as never,
    informer: informer as never,
    clock: new VirtualClock(),
    ticks: () => 0,
    random: new SeededRandom(1),
    log: noLog,
    metrics: schedulerMetrics(noMetrics),
    eventsOf: () => ({ record: () => undefined }),
    hasNominatedPods: () => false,
    nominatedPods: () => [],
    activate: () => undefined,
    waitingPod: () => undefined,
    waitingPods: () => [],
    podInPreBind: () => undefined,
    background: () => undefined,
    extenders: new Extenders([], noLog),
    features: new Set(),
    podGroups: { get: () => undefined },
  };
}

/** A single plugin with constant nodes. */
export function pluginOf(
  factory: PluginFactory,
  nodes: readonly NodeInfo[] = [],
  { args, known }: { readonly args?: unknown; readonly known?: KnownObjects } = {},
): Plugin {
  return factory(args, dependenciesOf(nodes, known) as unknown as Handle);
}

/** The result of a filter plugin for each node; `""` is success. */
export function filtered(
  plugin: Plugin,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
): string | readonly string[] {
  const state = new CycleState();
  const before = plugin.preFilter?.(state, pod, nodes);
  if (before && "code" in before) return before.code === "Skip" ? "Skip" : statusMessage(before);
  return nodes.map((node) => statusMessage(plugin.filter?.(state, pod, node)));
}

/** The normalized scores of nodes for a pod. */
export function scored(
  plugin: Plugin,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
): string | readonly number[] {
  const state = new CycleState();
  const before = plugin.preScore?.(state, pod, nodes);
  if (before) return before.code;
  const values = nodes.map((node) => plugin.score?.(state, pod, node) ?? 0);
  plugin.normalizeScore?.(state, pod, { nodes, values });
  return values;
}

/** The queueing hint of a plugin for an event; undefined if the plugin has not registered it. */
export function hinted(
  plugin: Plugin,
  pod: Pod,
  happened: {
    readonly resource: string;
    readonly action: number;
    readonly old?: unknown;
    readonly now?: unknown;
  },
): string | undefined {
  const registered = plugin
    .eventsToRegister?.()
    .find(
      ({ event }) => event.resource === happened.resource && (event.action & happened.action) !== 0,
    );
  if (!registered) return undefined;
  return registered.hint?.(pod, happened) ?? "Queue";
}

/** A profile with the test's own plugins. */
export function frameworkOf(
  plugins: readonly Plugin[],
  dependencies = dependenciesOf([]),
  more: Partial<Profile> = {},
): Framework {
  const registry: Registry = Object.fromEntries(
    plugins.map((plugin) => [plugin.name, () => plugin]),
  );
  const profile: Profile = {
    schedulerName: "test",
    plugins: { multiPoint: { enabled: plugins.map(({ name }) => ({ name })) } },
    ...more,
  };
  return new Framework(profile, registry, dependencies);
}

/** The plugins that every profile needs. */
export const basics: readonly Plugin[] = [
  { name: "Sort", less: () => false },
  { name: "Binder", bind: async () => undefined },
];

export const profileOf = (configuration: KubeSchedulerConfiguration): Profile =>
  completed(configuration).profiles?.[0] ?? {};
