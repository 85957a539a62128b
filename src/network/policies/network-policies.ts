import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import { ticksOf, withDeadline } from "../../base/clock.ts";
import { ApplyLoop } from "../apply-loop.ts";
import type { NetworkEnvironment, NetworkPart } from "../network-part.ts";
import { runNft } from "../run-nft.ts";
import type { RunNft } from "./nft.ts";
import { PolicyIndex } from "./policy-index.ts";
import { createPolicyMetrics } from "./policy-metrics.ts";
import { slimPod } from "./policy-pod.ts";
import { changeTransaction, wholeTransaction } from "./policy-transaction.ts";
import { StartingPods } from "./starting-pods.ts";

export interface NetworkPoliciesOptions
  extends Pick<NetworkEnvironment, "nodeName" | "informers" | "clock" | "log" | "metrics"> {
  readonly run?: RunNft | undefined;
}

/** The network policies of a node; pods start when those that select them hold. */
export type NetworkPolicies = NetworkPart & Required<Pick<NetworkPart, "podStarts">>;

/**
 * Keeps the kernel's rules such that the pods of this node exchange only the traffic that policies allow. The first
 * transaction replaces what an earlier process has left, once all pods, namespaces and policies are known.
 */
export function openNetworkPolicies(options: NetworkPoliciesOptions): NetworkPolicies {
  const { informers, nodeName, clock, log, run = (input) => runNft(input) } = options;
  const ticks = ticksOf(clock);
  const metrics = createPolicyMetrics(options.metrics);
  const pods = informers.of(Pod, { transform: slimPod });
  const namespaces = informers.of(Namespace);
  const policies = informers.of(NetworkPolicy);
  const index = new PolicyIndex();
  const starting = new StartingPods(nodeName);
  /** Whether the tables are what was applied last. */
  let isProgrammed = false;
  let isKnown = false;

  const loop = new ApplyLoop({
    ...{ clock, minIntervalMs, maxRetryMs },
    async apply() {
      const { contents } = index;
      const input = isProgrammed
        ? changeTransaction(contents.take())
        : wholeTransaction(contents.takeAll());
      if (input !== "") {
        const start = ticks();
        isProgrammed = false;
        await run(input);
        isProgrammed = true;
        metrics.syncs.observe((ticks() - start) / 1000);
      }
      metrics.lastSync.set(clock.now() / 1000);
      metrics.isolated.set(index.isolated);
    },
    failed(error) {
      metrics.failures.add(1);
      log.error("applying network policies failed", error);
    },
  });
  const wake = (): void => {
    if (isKnown) loop.wake();
  };
  const podChanged = (pod: Pod, isDeleted: boolean): void => {
    const { key, seen } = starting.seen(pod, isDeleted);
    index.setPod(key, seen);
    wake();
  };
  const namespaceChanged = ({ metadata }: Namespace, isDeleted: boolean): void => {
    index.setNamespace(metadata.name ?? "", isDeleted ? undefined : (metadata.labels ?? {}));
    wake();
  };
  const policyChanged = ({ metadata, spec }: NetworkPolicy, isDeleted: boolean): void => {
    const { namespace = "", name = "" } = metadata;
    index.setPolicy({ namespace, name }, isDeleted ? undefined : spec);
    wake();
  };
  const handlers = [
    namespaces.addHandler({
      added: (one) => namespaceChanged(one, false),
      updated(one, old) {
        if (one.metadata.labels !== old.metadata.labels) namespaceChanged(one, false);
      },
      deleted: (one) => namespaceChanged(one, true),
    }),
    policies.addHandler({
      added: (one) => policyChanged(one, false),
      updated(one, old) {
        if (one.spec !== old.spec) policyChanged(one, false);
      },
      deleted: (one) => policyChanged(one, true),
    }),
    pods.addHandler({
      added: (one) => podChanged(one, false),
      updated: (one) => podChanged(one, false),
      deleted: (one) => podChanged(one, true),
    }),
  ];
  const known = Promise.all(handlers.map((handler) => handler.synced())).then(() => {
    isKnown = true;
    loop.wake();
  });
  // Closing the informers before they know everything is no fault.
  known.catch(() => {});
  return {
    async podStarts(pod) {
      const started = starting.starts(pod);
      if (!started) return;
      if (!isKnown) await withDeadline({ clock, ms: knownMs }, () => known).catch(notKnown);
      index.setPod(started.key, started.seen);
      if (index.isIsolated(started.key)) await loop.applied().catch(notApplied);
      else loop.wake();
      starting.started(pod);
    },
    async close() {
      for (const informer of [pods, namespaces, policies]) informer.close();
      await loop.close();
    },
  };
}

/** Changes that come faster than this are applied together. */
const minIntervalMs = 50;

const maxRetryMs = 30_000;

/** How long the start of a pod waits until policies are known. */
const knownMs = 10_000;

const notKnown = (cause: unknown): never => {
  throw new Error("network policies are not known yet", { cause });
};

const notApplied = (cause: unknown): never => {
  throw new Error("the network policies of the pod could not be applied", { cause });
};
