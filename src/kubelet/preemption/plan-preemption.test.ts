import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { planPreemption, type Shortage } from "./plan-preemption.ts";

const systemCritical = 2_000_000_000;

interface PodLike {
  readonly cpu?: string;
  readonly memory?: string;
  readonly limited?: boolean;
  readonly priority?: number;
  readonly annotations?: object;
}

const pod = (name: string, { cpu, memory, limited, priority, annotations }: PodLike = {}): Pod => {
  const requests = { ...(cpu && { cpu }), ...(memory && { memory }) };
  const resources = { requests, ...(limited && { limits: requests }) };
  return {
    metadata: { name, uid: name, annotations },
    spec: { containers: [{ name: "c", resources }], priority },
    status: {},
  } as unknown as Pod;
};
const guaranteed = (name: string, cpu: string, memory: string): Pod =>
  pod(name, { cpu, memory, limited: true });
const cpu = (amount: number): Shortage => ({ name: "cpu", amount });
const memory = (amount: number): Shortage => ({ name: "memory", amount });
const critical = pod("critical", { priority: systemCritical });

each<
  [
    title: string,
    pods: readonly Pod[],
    shortages: readonly Shortage[],
    victims: readonly string[],
    critical?: Pod,
  ]
>([
  [
    "best-effort pods make room for one more pod first",
    [guaranteed("g", "1", "1Gi"), pod("b", { cpu: "1" }), pod("n")],
    [{ name: "pods", amount: 1 }],
    ["n"],
  ],
  [
    "burstable pods end before guaranteed ones",
    [guaranteed("g", "1", "1Gi"), pod("b", { cpu: "1" })],
    [cpu(500)],
    ["b"],
  ],
  [
    "guaranteed pods end when others are not enough, and spare those",
    [guaranteed("g", "2", "1Gi"), pod("b", { cpu: "1" })],
    [cpu(2000)],
    ["g"],
  ],
  [
    "both end when neither is enough",
    [guaranteed("g", "2", "1Gi"), pod("b", { cpu: "1" })],
    [cpu(2500)],
    ["b", "g"],
  ],
  [
    "one pod is better than two",
    [pod("a", { cpu: "300m" }), pod("b", { cpu: "600m" }), pod("c", { cpu: "400m" })],
    [cpu(500)],
    ["b"],
  ],
  [
    "of two that are enough the smaller one ends",
    [pod("a", { cpu: "800m" }), pod("b", { cpu: "600m" })],
    [cpu(500)],
    ["b"],
  ],
  [
    "memory counts before cpu for what is smaller",
    [pod("a", { cpu: "600m", memory: "2Gi" }), pod("b", { cpu: "800m", memory: "1Gi" })],
    [cpu(500)],
    ["b"],
  ],
  [
    "of equal pods the last one ends",
    [pod("a", { cpu: "1" }), pod("b", { cpu: "1" })],
    [cpu(500)],
    ["b"],
  ],
  [
    "a pod that has some of each resource is closer than one that has all of one",
    [
      pod("a", { cpu: "1" }),
      pod("b", { cpu: "900m", memory: "900" }),
      pod("c", { memory: "2000" }),
    ],
    [cpu(1000), memory(1000)],
    ["b", "a", "c"],
  ],
  [
    "critical and static pods stay",
    [
      pod("other", { cpu: "1", priority: systemCritical }),
      pod("static", { cpu: "1", annotations: { "kubernetes.io/config.source": "file" } }),
      pod("usual", { cpu: "1", priority: systemCritical - 1 }),
    ],
    [cpu(500)],
    ["usual"],
  ],
  [
    "a critical pod ends for a more critical one",
    [pod("other", { cpu: "1", priority: systemCritical })],
    [cpu(500)],
    ["other"],
    pod("critical", { priority: systemCritical + 1000 }),
  ],
])("planPreemption: %s", (_, pods, shortages, victims, preemptor = critical) => {
  const plan = planPreemption(preemptor, pods, shortages);
  expect(plan).toMatchObject({ resource: shortages[0]?.name });
  expect("victims" in plan && plan.victims.map(({ metadata }) => metadata.name)).toEqual(victims);
});

each<[title: string, pods: readonly Pod[], list: string]>([
  ["no pod", [], "(res: cpu, q: 500), (res: memory, q: 10), "],
  ["pods that are too small", [pod("a", { cpu: "400m", memory: "1Gi" })], "(res: cpu, q: 100), "],
])("planPreemption: %s cannot make room, and nobody ends", (_, pods, list) => {
  expect(planPreemption(critical, pods, [cpu(500), memory(10)])).toEqual({
    reason: "UnexpectedAdmissionError",
    message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [${list}]`,
  });
});
