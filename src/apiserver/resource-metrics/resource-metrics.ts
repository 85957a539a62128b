import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { notFound } from "../../api/meta/v1/status-error.ts";
import { NodeMetrics } from "../../api/metrics/v1beta1/node-metrics.ts";
import { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import type { Connections } from "../connect/kubelet-connection.ts";
import { type AnyKind, type ApiObject, canonical } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import {
  type ComputedKey,
  type ComputedList,
  type ComputedObjects,
  computedPage,
} from "../subresources/computed-objects.ts";
import type { ListPage } from "../verbs/list.ts";
import { askKubelet, type Samples } from "./ask-kubelet.ts";
import { type MeasuredUsage, measuredUsage } from "./measured-usage.ts";
import { NodeSamples } from "./node-samples.ts";

/** The kinds that a cluster with resource metrics serves beside those of an API server. */
export const resourceMetricsKinds = [NodeMetrics, PodMetrics];

export interface ResourceMetricsOptions {
  readonly reader: ObjectReader;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves what nodes and pods use, as metrics-server does, from what kubelets say when somebody asks. */
export class ResourceMetrics implements ComputedObjects {
  readonly #reader: ObjectReader;
  readonly #clock: Clock;
  readonly #samples: NodeSamples;

  constructor({ reader, connections, clock, log }: ResourceMetricsOptions) {
    this.#reader = reader;
    this.#clock = clock;
    this.#samples = new NodeSamples({ ask: askKubelet({ connections, clock }), clock, log });
  }

  async get(kind: AnyKind, key: Pick<ComputedKey, "namespace" | "name">): Promise<ApiObject> {
    const { group } = kind;
    const { namespace, name } = key;
    if (kind.plural === NodeMetrics.plural) {
      const node = this.#reader.getCached(Node, { name });
      if (!node) throw notFound({ group: "", resource: "nodes", name });
      const [found] = await this.#nodes(kind, [node]);
      if (!found) throw notFound({ group, resource: "nodemetrics", name });
      return found;
    }
    const pod = this.#reader.getCached(Pod, key);
    if (!pod) throw notFound({ group: "", resource: "pods", name });
    const [found] = await this.#pods(kind, [pod]);
    if (!found) throw notFound({ group, resource: "podmetrics", name: `${namespace}/${name}` });
    return found;
  }

  async list(kind: AnyKind, { namespace, selection }: ComputedList): Promise<ListPage> {
    const selected = <O>(objects: readonly O[]): readonly O[] =>
      objects.filter((object) => selection.matches(object as ApiObject));
    const objects =
      kind.plural === NodeMetrics.plural
        ? await this.#nodes(kind, selected(this.#reader.listReadable(Node)))
        : await this.#pods(kind, selected(this.#reader.listReadable(Pod, namespace)));
    return computedPage(kind, objects);
  }

  async #nodes(kind: AnyKind, nodes: readonly Node[]): Promise<ApiObject[]> {
    const samples = await this.#samples.of(nodes.filter(isHeard));
    return nodes.flatMap(({ metadata }) => {
      const { last, before } = samples.get(metadata.name ?? "") ?? {};
      if (!last?.node) return [];
      const sampledBefore = before !== undefined;
      const measured = measuredUsage(last.node, { before: before?.node, sampledBefore });
      // A node that nothing has run on yet uses nothing.
      const idle = last.node.cpuSeconds === 0 ? { ...last.node, nanoCores: 0 } : undefined;
      const found = measured ?? (idle && nothingUsed(idle));
      return found ? [this.#object(kind, metadata, [found], { usage: found.usage })] : [];
    });
  }

  async #pods(kind: AnyKind, pods: readonly Pod[]): Promise<ApiObject[]> {
    const running = pods.filter(({ status, spec }) => status.phase === "Running" && spec.nodeName);
    const names = new Set(running.map(({ spec }) => spec.nodeName ?? ""));
    const nodes = [...names].flatMap((name) => this.#reader.getCached(Node, { name }) ?? []);
    const samples = await this.#samples.of(nodes.filter(isHeard));
    return running.flatMap(({ metadata, spec }) => {
      const usages = usagesOf(metadata, samples.get(spec.nodeName ?? ""));
      if (!usages) return [];
      const containers = usages.map(([name, { usage }]) => ({ name, usage }));
      const measured = usages.map(([, one]) => one);
      return [this.#object(kind, metadata, measured, { containers })];
    });
  }

  #object(
    kind: AnyKind,
    { name, namespace, labels }: ObjectMeta,
    measured: readonly MeasuredUsage[],
    fields: object,
  ): ApiObject {
    const at = Math.min(...measured.map((one) => one.at));
    const windowMs = Math.max(...measured.map((one) => one.windowMs));
    return canonical(kind, {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: {
        ...(name !== undefined && { name }),
        ...(namespace !== undefined && namespace !== "" && { namespace }),
        creationTimestamp: timeText(this.#clock.now()),
        ...(labels && { labels }),
      },
      timestamp: timeText(at),
      window: formatDuration(BigInt(windowMs) * 1_000_000n),
      ...fields,
    });
  }
}

/** What each container of a pod uses; undefined while that is not known of one of them. */
function usagesOf(
  { namespace = "", name = "" }: ObjectMeta,
  samples: Samples | undefined,
): readonly (readonly [container: string, usage: MeasuredUsage])[] | undefined {
  const key = `${namespace}/${name}`;
  const containers = samples?.last.pods.get(key);
  if (!samples || !containers || containers.size === 0) return undefined;
  const before = samples.before?.pods.get(key);
  const sampledBefore = samples.before !== undefined;
  const usages: (readonly [string, MeasuredUsage])[] = [];
  for (const [container, last] of containers) {
    const found = measuredUsage(last, { before: before?.get(container), sampledBefore });
    if (!found) return undefined;
    usages.push([container, found]);
  }
  return usages;
}

const nothingUsed = ({ at, memoryBytes }: { at: number; memoryBytes: number }): MeasuredUsage => ({
  usage: { cpu: "0", memory: String(memoryBytes) },
  at,
  windowMs: 0,
});

/** Whether a node's kubelet may respond: nobody waits for one that the cluster has lost. */
const isHeard = ({ status }: Node): boolean =>
  !status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "Unknown");

const timeText = (ms: number): string => formatTime(timeFromMillis(ms));
