import { expect, test } from "vitest";
import { controllerModules } from "../../../../controllers/controller-modules.generated.ts";
import { settingValues } from "../../../../controllers/controller-setting.ts";
import { nodeLifecycleSettings } from "../../../../controllers/nodelifecycle/node-lifecycle-settings.ts";
import { notices, type ServerFlag } from "../../../flags/server-flag.ts";
import type { ControllerFlag } from "./controller-flag.ts";
import { controllerManagerConfiguration } from "./controller-manager-configuration.ts";
import { controllerManagerFlags, controllerManagerProblems } from "./controller-manager-flags.ts";
import { givenControllerManagerFlags as given } from "./given-controller-manager-flags.test-support.ts";

function problemsOf(...args: readonly string[]): string[] {
  const { flags, given: names } = given(...args);
  return controllerManagerProblems(flags, names);
}

/** The command line of the controller manager whose behaviour was recorded. */
const recording = [
  "--kubeconfig=/k",
  "--authentication-kubeconfig=/k",
  "--authorization-kubeconfig=/k",
  "--controllers=*,bootstrapsigner,tokencleaner",
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=8s",
  "--node-startup-grace-period=8s",
  "--node-eviction-rate=10",
  "--secondary-node-eviction-rate=10",
  "--horizontal-pod-autoscaler-sync-period=2s",
  "--pvclaimbinder-sync-period=2s",
  "--root-ca-file=/ca",
  "--cluster-signing-cert-file=/ca",
  "--cluster-signing-key-file=/key",
  "--service-account-private-key-file=/sa",
  "--use-service-account-credentials",
  "--kube-api-qps=1000",
  "--kube-api-burst=2000",
  "--leader-elect=false",
  "--bind-address=127.0.0.1",
  "--secure-port=10257",
];

/** The command line that kubeadm uses. */
const kubeadm = [
  "--allocate-node-cidrs=true",
  "--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf",
  "--authorization-kubeconfig=/etc/kubernetes/controller-manager.conf",
  "--bind-address=127.0.0.1",
  "--client-ca-file=/etc/kubernetes/pki/ca.crt",
  "--cluster-cidr=10.244.0.0/16",
  "--cluster-name=kubernetes",
  "--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt",
  "--cluster-signing-key-file=/etc/kubernetes/pki/ca.key",
  "--controllers=*,bootstrapsigner,tokencleaner",
  "--kubeconfig=/etc/kubernetes/controller-manager.conf",
  "--leader-elect=true",
  "--root-ca-file=/etc/kubernetes/pki/ca.crt",
  "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
  "--service-cluster-ip-range=10.96.0.0/16",
  "--use-service-account-credentials=true",
];

const wrong: [args: string[], problems: string[]][] = [
  [[], []],
  [recording, []],
  [[...kubeadm], []],
  [["--controllers=foo,*"], ['"foo" is not in the list of known controllers']],
  [["--leader-elect-resource-lock=endpoints"], ['resourceLock value must be "leases"']],
  [["--leader-elect-resource-lock=endpoints", "--leader-elect=false"], []],
  [["--leader-elect-lease-duration=5s"], ["leaseDuration must be greater than renewDeadline"]],
  [
    ["--leader-elect-retry-period=9s"],
    ["renewDeadline must be greater than retryPeriod*JitterFactor"],
  ],
  [["--concurrent-job-syncs=0"], ["concurrent-job-syncs must be greater than 0, but got 0"]],
  [["--concurrent_rc_syncs=-1"], ["concurrent-rc-syncs must be greater than 0, but got -1"]],
  [
    ["--concurrent-service-endpoint-syncs=0", "--max-endpoints-per-slice=1001"],
    [
      "concurrent-service-endpoint-syncs must not be less than 1, but got 0",
      "max-endpoints-per-slice must not be more than 1000, but got 1001",
    ],
  ],
  [
    ["--cluster-signing-cert-file=/a", "--cluster-signing-kubelet-client-cert-file=/b"],
    [
      '"cluster-signing-kube-apiserver-client": cannot specify cert without key',
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    ],
  ],
  [
    ["--cluster-signing-legacy-unknown-key-file=/b"],
    ['"cluster-signing-legacy-unknown": cannot specify key without cert'],
  ],
  [
    ["--cloud-provider=gce", "--cidr-allocator-type=CloudAllocator"],
    [
      'cloud provider "gce" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider',
      "built-in cloud providers are disabled. The ipam CloudAllocator is not available",
    ],
  ],
  [["--cloud-provider=external"], []],
  [
    ["--attach-detach-reconcile-sync-period=1ms"],
    [
      "duration time must be greater than one second as set via command line option reconcile-sync-loop-period",
    ],
  ],
  [
    ["--service-cluster-ip-range=a,b,c"],
    ["--service-cluster-ip-range can not contain more than two entries"],
  ],
  [["--secure-port=0"], []],
  [
    ["--secure-port=70000"],
    ["--secure-port 70000 must be between 0 and 65535, inclusive. 0 for turning off secure port"],
  ],
  [["--authorization-always-allow-paths=/a*b"], ['only trailing * allowed in "a*b"']],
  [["--authorization-always-allow-paths=/a/*,/"], []],
  [["--v=-1"], ["-v can not be negative value"]],
  [["--requestheader-client-ca-file=/ca"], []],
  [["--requestheader-uid-headers= "], ['empty value in "requestheader-uid-headers"']],
];

test.each(wrong)("controllerManagerProblems: %j", (args, problems) => {
  expect(problemsOf(...args)).toEqual(problems);
});

test("notices: reports flags that have no effect", () => {
  const { given: names } = given(
    ...recording,
    "--kube-api-content-type=application/json",
    "--route-reconciliation-period=10s",
  );
  expect(notices(controllerManagerFlags, names)).toEqual(
    expect.arrayContaining([
      "--kube-api-content-type has no effect: requests to the API server are encoded as JSON",
      "--route-reconciliation-period has no effect: node-route-controller is not part of this version",
    ]),
  );
});

test("notices: does not report flags of controllers that are implemented", () => {
  const present = new Set(controllerModules.map(({ name }) => name));
  for (const [name, flag] of Object.entries<ServerFlag>(controllerManagerFlags)) {
    const [, controller = ""] = /^([\w-]+) is not part/.exec(flag.withoutEffect ?? "") ?? [];
    expect(present.has(controller), `--${name} has an effect now`).toBe(false);
  }
});

test("flags: without flags, the settings of controllers are upstream's defaults", () => {
  for (const { settings } of controllerModules)
    expect(settingValues(settings, given().flags)).toEqual(settingValues(settings));
});

test("flags: each setting of a controller has one flag", () => {
  const names = controllerModules.flatMap(({ settings }) =>
    Object.values(settings).map(({ flag }) => flag),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(controllerManagerFlags)).toEqual(expect.arrayContaining(names));
});

test("flags: values of flags become settings of controllers", () => {
  expect(settingValues(nodeLifecycleSettings, given(...recording).flags)).toMatchObject({
    nodeMonitorPeriodMs: 1000,
    nodeMonitorGracePeriodMs: 8000,
    nodeStartupGracePeriodMs: 8000,
    nodeEvictionRate: 10,
    secondaryNodeEvictionRate: 10,
  });
});

test("controllerManagerConfiguration: every flag of upstream's configuration is shown", () => {
  const { flags } = given("--controllers=*,-podgc,tokencleaner", "--namespace-sync-period=10m");
  expect(controllerManagerConfiguration(flags)).toMatchObject({
    kind: "KubeControllerManagerConfiguration",
    apiVersion: "kubecontrollermanager.config.k8s.io/v1alpha1",
    Generic: {
      Address: "0.0.0.0",
      MinResyncPeriod: "12h0m0s",
      ClientConnection: { qps: 20, burst: 30, contentType: "application/vnd.kubernetes.protobuf" },
      LeaderElection: {
        leaderElect: true,
        leaseDuration: "15s",
        renewDeadline: "10s",
        retryPeriod: "2s",
        resourceLock: "leases",
        resourceName: "kube-controller-manager",
        resourceNamespace: "kube-system",
      },
      Controllers: ["*", "-pod-garbage-collector-controller", "token-cleaner-controller"],
    },
    NamespaceController: { NamespaceSyncPeriod: "10m0s", ConcurrentNamespaceSyncs: 10 },
    NodeLifecycleController: { NodeEvictionRate: 0.1, PodEvictionTimeout: "5m0s" },
    GarbageCollectorController: {
      EnableGarbageCollector: true,
      ConcurrentGCSyncs: 20,
      GCIgnoredResources: [
        { Group: "", Resource: "events" },
        { Group: "events.k8s.io", Resource: "events" },
      ],
    },
    CSRSigningController: { ClusterSigningDuration: "8760h0m0s" },
  });
});

test("controllerManagerConfiguration: without flags, equals upstream's", () => {
  expect(controllerManagerConfiguration(given().flags)).toMatchObject({
    DeploymentController: { ConcurrentDeploymentSyncs: 5 },
    EndpointController: { ConcurrentEndpointSyncs: 5 },
    EndpointSliceController: { ConcurrentServiceEndpointSyncs: 5, MaxEndpointsPerSlice: 100 },
    GarbageCollectorController: { EnableGarbageCollector: true, ConcurrentGCSyncs: 20 },
    NamespaceController: { NamespaceSyncPeriod: "5m0s", ConcurrentNamespaceSyncs: 10 },
    NodeLifecycleController: {
      NodeStartupGracePeriod: "1m0s",
      NodeMonitorGracePeriod: "50s",
      NodeEvictionRate: 0.1,
      SecondaryNodeEvictionRate: 0.01,
      LargeClusterSizeThreshold: 50,
      UnhealthyZoneThreshold: 0.55,
    },
    PodGCController: { TerminatedPodGCThreshold: 12500 },
    ReplicaSetController: { ConcurrentRSSyncs: 5 },
    ResourceQuotaController: { ResourceQuotaSyncPeriod: "5m0s", ConcurrentResourceQuotaSyncs: 5 },
  });
  expect(given().flags).toMatchObject({ "node-monitor-period": 5000 });
});

test("flags: each field of the configuration has only one flag", () => {
  const fields = Object.values<ControllerFlag>(controllerManagerFlags)
    .map(({ field }) => field)
    .filter((field) => field !== undefined);
  expect(new Set(fields).size).toBe(fields.length);
});

test("flags: sections have the names of controllers and upstream's order", () => {
  const titles = Object.values(controllerManagerFlags).map(({ section }) => section);
  expect([...new Set(titles)]).toEqual([
    "Debugging flags",
    "Leader-migration flags",
    "Generic flags",
    "Service-lb-controller flags",
    "Secure serving flags",
    "Authentication flags",
    "Authorization flags",
    "Persistentvolume-attach-detach-controller flags",
    "Certificatesigningrequest-signing-controller flags",
    "Deployment-controller flags",
    "Device-taint-eviction-controller flags",
    "Resourceclaim-controller flags",
    "Statefulset-controller flags",
    "Daemonset-controller flags",
    "Endpoints-controller flags",
    "Endpointslice-controller flags",
    "Endpointslice-mirroring-controller flags",
    "Ephemeral-volume-controller flags",
    "Garbage-collector-controller flags",
    "Horizontal-pod-autoscaler-controller flags",
    "Job-controller flags",
    "Cronjob-controller flags",
    "Legacy-serviceaccount-token-cleaner-controller flags",
    "Namespace-controller flags",
    "Node-ipam-controller flags",
    "Node-lifecycle-controller flags",
    "Persistentvolume-binder-controller flags",
    "Pod-garbage-collector-controller flags",
    "Replicaset-controller flags",
    "Replicationcontroller-controller flags",
    "Resourcequota-controller flags",
    "Serviceaccount-controller flags",
    "Ttl-after-finished-controller flags",
    "Validatingadmissionpolicy-status-controller flags",
    "Metrics flags",
    "Logs flags",
    "Misc flags",
    "Global flags",
  ]);
});
