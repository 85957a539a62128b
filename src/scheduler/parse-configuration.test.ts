import { expect, test } from "vitest";
import { mergePluginSet } from "./configuration/merge-plugins.ts";
import {
  completed,
  defaultConfiguration,
  type KubeSchedulerConfiguration,
  parseConfiguration,
} from "./parse-configuration.ts";

const document = (text: string) =>
  `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n${text}`;
const argsOf = (configuration: KubeSchedulerConfiguration, plugin: string) =>
  configuration.profiles?.[0]?.pluginConfig?.find(({ name }) => name === plugin)?.args;

test("defaults are upstream's", () => {
  const configuration = defaultConfiguration();
  expect(configuration).toMatchObject({
    parallelism: 16,
    percentageOfNodesToScore: 0,
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 10,
    leaderElection: {
      leaderElect: true,
      leaseDuration: "15s",
      renewDeadline: "10s",
      retryPeriod: "2s",
      resourceLock: "leases",
      resourceName: "kube-scheduler",
      resourceNamespace: "kube-system",
    },
    clientConnection: { qps: 50, burst: 100 },
  });
  expect(configuration.profiles?.map(({ schedulerName }) => schedulerName)).toEqual([
    "default-scheduler",
  ]);
  expect(configuration.profiles?.[0]?.plugins?.multiPoint?.enabled).toEqual([
    { name: "SchedulingGates" },
    { name: "PrioritySort" },
    { name: "NodeUnschedulable" },
    { name: "NodeName" },
    { name: "TaintToleration", weight: 3 },
    { name: "NodeAffinity", weight: 2 },
    { name: "NodePorts" },
    { name: "NodeResourcesFit", weight: 1 },
    { name: "VolumeRestrictions" },
    { name: "NodeVolumeLimits" },
    { name: "VolumeBinding" },
    { name: "VolumeZone" },
    { name: "PodTopologySpread", weight: 2 },
    { name: "InterPodAffinity", weight: 2 },
    { name: "DynamicResources", weight: 2 },
    { name: "DefaultPreemption" },
    { name: "NodeResourcesBalancedAllocation", weight: 1 },
    { name: "ImageLocality", weight: 1 },
    { name: "DefaultBinder" },
    { name: "NodeDeclaredFeatures" },
  ]);
  expect(argsOf(configuration, "InterPodAffinity")).toEqual({ hardPodAffinityWeight: 1 });
  expect(argsOf(configuration, "VolumeBinding")).toEqual({ bindTimeoutSeconds: 600 });
  expect(argsOf(configuration, "DefaultPreemption")).toEqual({
    minCandidateNodesPercentage: 10,
    minCandidateNodesAbsolute: 100,
  });
});

test("a document is parsed and defaulted", () => {
  const configuration = parseConfiguration(
    document(`
percentageOfNodesToScore: 40
profiles:
- schedulerName: mine
  plugins:
    score:
      disabled: [{name: ImageLocality}]
      enabled: [{name: NodeResourcesFit, weight: 5}]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu}, {name: example.com/gpu, weight: 3}]
  - name: Mine
    args: {anything: goes}
`),
  );
  expect(configuration.percentageOfNodesToScore).toBe(40);
  const [profile] = configuration.profiles ?? [];
  expect(profile?.schedulerName).toBe("mine");
  expect(profile?.plugins?.score).toEqual({
    enabled: [{ name: "NodeResourcesFit", weight: 5 }],
    disabled: [{ name: "ImageLocality" }],
  });
  expect(argsOf(configuration, "NodeResourcesFit")).toEqual({
    scoringStrategy: {
      type: "MostAllocated",
      resources: [
        { name: "cpu", weight: 1 },
        { name: "example.com/gpu", weight: 3 },
      ],
    },
  });
  expect(argsOf(configuration, "Mine")).toEqual({ anything: "goes" });
});

test.each<[string, Parameters<typeof mergePluginSet>, object]>([
  [
    "what is disabled goes, what is new comes last",
    [
      { enabled: [{ name: "A" }, { name: "B" }] },
      { enabled: [{ name: "C" }], disabled: [{ name: "A" }] },
    ],
    { enabled: [{ name: "B" }, { name: "C" }], disabled: [{ name: "A" }] },
  ],
  [
    "a star disables all",
    [{ enabled: [{ name: "A" }, { name: "B" }] }, { disabled: [{ name: "*" }] }],
    { disabled: [{ name: "*" }] },
  ],
  [
    "one that is configured anew keeps its place",
    [{ enabled: [{ name: "A" }, { name: "B" }] }, { enabled: [{ name: "A", weight: 9 }] }],
    { enabled: [{ name: "A", weight: 9 }, { name: "B" }] },
  ],
])("mergePluginSet: %s", (_, [defaults, custom], expected) => {
  expect(mergePluginSet(defaults, custom)).toEqual(expected);
});

test.each<[string, string]>([
  ["parallelism: 0", "parallelism: Invalid value: 0: should be an integer value greater than zero"],
  [
    "percentageOfNodesToScore: 101",
    "percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
  ],
  [
    "podInitialBackoffSeconds: 0",
    "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
  ],
  [
    "podMaxBackoffSeconds: 0",
    "podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds",
  ],
  [
    "profiles: [{schedulerName: a}, {schedulerName: a}]",
    'profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"',
  ],
  ["profiles: [{}, {schedulerName: b}]", "profiles[0].schedulerName: Required value"],
  [
    "profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}}}]",
    'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "kubescheduler.config.k8s.io/v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
  ],
  [
    "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]}]",
    "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]",
  ],
  [
    "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Best}}}]}]",
    'profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Best": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
  ],
  [
    "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}}]}]",
    'profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty',
  ],
  [
    "extenders: [{urlPrefix: 'http://x', prioritizeVerb: p}]",
    "extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
  ],
  [
    "leaderElection: {leaseDuration: 5s}",
    'leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`',
  ],
  ["profile: []", 'strict decoding error: unknown field "profile"'],
  [
    "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {weight: 1}}]}]",
    'strict decoding error: decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: unknown field "weight"',
  ],
])("%s → %s", (text, problem) => {
  expect(() => parseConfiguration(document(text))).toThrow(problem);
});

test("all problems are reported together, and documents of another kind are rejected", () => {
  const both = document("parallelism: 0\npodInitialBackoffSeconds: 0");
  expect(() => parseConfiguration(both)).toThrow(/^\[parallelism.*, podInitialBackoffSeconds.*\]$/);
  expect(() => parseConfiguration("kind: Policy\napiVersion: v1")).toThrow(
    'no kind "Policy" is registered for version "v1"',
  );
  expect(() => completed({ podMaxBackoffSeconds: 0 })).toThrow("podMaxBackoffSeconds");
});
