import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { givenNodeFlags } from "./flags/given-node-flags.test-support.ts";
import { type NodeOptions, nodeOptions } from "./node-options.ts";

const head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
const noWarning = ["--anonymous-auth=false"];

/** The options of a command line, on a machine with cgroup v2. */
const optionsOf = (...args: readonly string[]): Promise<NodeOptions> =>
  nodeOptions(givenNodeFlags(args), { isCgroupV1: false });

/** A folder with files; those without another beginning are configurations. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "node-options-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text.startsWith("!") ? text.slice(1) : head + text);
  }
  return folder;
}

async function problemsOf(...args: readonly string[]): Promise<readonly string[]> {
  const error = await optionsOf(...args).catch((fault: unknown) => fault);
  if (error instanceof UsageError) return error.problems;
  throw error;
}

test("nodeOptions: without flags, upstream's folders and the defaults of old flags", async () => {
  const { flags, config, features, warnings } = await optionsOf();
  expect(flags).toEqual({
    dataDir: "/var/lib/wherry/engine",
    runDir: "/run/wherry/engine",
    ociRuntime: "runc",
    ociRuntimes: {},
    cniConfDir: "/etc/cni/net.d",
    cniBinDir: ["/opt/cni/bin", "/usr/lib/cni"],
    network: [],
    routedNodes: [],
    kubeconfig: "",
    bootstrapKubeconfig: "",
    hostnameOverride: "",
    nodeIp: "",
    certDir: "/var/lib/kubelet/pki",
    cloudProvider: "",
    rootDir: "/var/lib/kubelet",
    nodeLabels: {},
    imageCredentialProviderConfig: "",
    imageCredentialProviderBinDir: "",
    runtimeCgroups: "",
    lockFile: "",
    exitOnLockContention: false,
    minimumContainerTtlMs: 0,
    maximumDeadContainersPerContainer: 1,
    maximumDeadContainers: -1,
    mounterPath: "",
    allocatableIgnoresEviction: false,
  });
  expect(config).toMatchObject({
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    readOnlyPort: 10255,
    podLogsDir: "/var/log/pods",
    containerRuntimeEndpoint: "wherry",
  });
  expect(config.evictionHard).toBeUndefined();
  expect(features.has("KubeletCrashLoopBackOffMax")).toBe(true);
  expect(warnings).toEqual([expect.stringMatching(/^everybody may use the kubelet's API/)]);
});

test("nodeOptions: with a file, the defaults are secure, and pods are evicted", async () => {
  const folder = await folderWith({ c: "" });
  const { config, warnings } = await optionsOf(`--config=${folder}/c`);
  expect(config).toMatchObject({
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
    authorization: { mode: "Webhook" },
    evictionHard: { "memory.available": "100Mi" },
  });
  expect(config.readOnlyPort).toBeUndefined();
  expect(warnings).toEqual([]);
});

each<[file: string | undefined, dropIns: Record<string, string>, args: string[], expected: object]>(
  [
    [undefined, {}, [], { maxPods: 110 }],
    ["maxPods: 1", {}, [], { maxPods: 1 }],
    ["maxPods: 1", { "a.conf": "maxPods: 2" }, [], { maxPods: 2 }],
    ["maxPods: 1", { "a.conf": "maxPods: 2" }, ["--max-pods=3"], { maxPods: 3 }],
    ["maxPods: 1", {}, ["--max-pods=3"], { maxPods: 3 }],
    [undefined, { "a.conf": "maxPods: 2" }, [], { maxPods: 2, readOnlyPort: 10255 }],
    [undefined, {}, ["--max-pods=3"], { maxPods: 3 }],
    // Files in the order of their names, with those of folders among them; other files are ignored.
    [
      "maxPods: 1",
      {
        "10.conf": "maxPods: 2\nport: 2",
        "20/a.conf": "maxPods: 3",
        "30.conf": "maxPods: 4",
        "40/a/b.conf": "maxPods: 5\nclusterDNS: [10.0.0.1]",
        "50.yaml": "maxPods: 6",
        "60.conf~": "!no configuration",
      },
      [],
      { maxPods: 5, port: 2, clusterDNS: ["10.0.0.1"] },
    ],
    // A flag replaces a map; feature gates are merged.
    [
      "evictionHard: {memory.available: 1Gi}",
      {},
      ["--eviction-hard=nodefs.available<5%"],
      { evictionHard: { "nodefs.available": "5%" } },
    ],
    [
      "featureGates: {NodeDeclaredFeatures: true, ContainerCheckpoint: false}",
      { "a.conf": "featureGates: {PLEGOnDemandRelist: true}" },
      ["--feature-gates=ContainerCheckpoint=true"],
      {
        featureGates: {
          NodeDeclaredFeatures: true,
          ContainerCheckpoint: true,
          PLEGOnDemandRelist: true,
        },
      },
    ],
    // A flag cannot turn off what the file turns on.
    ["seccompDefault: true", {}, ["--seccomp-default=false"], { seccompDefault: true }],
    ["", {}, ["--seccomp-default"], { seccompDefault: true }],
    // Empty values of flags.
    ["address: 10.0.0.1", {}, ["--address="], { address: "10.0.0.1" }],
    [
      "containerRuntimeEndpoint: unix:///c",
      {},
      ["--container-runtime-endpoint="],
      { containerRuntimeEndpoint: "wherry" },
    ],
    ["containerRuntimeEndpoint: unix:///c", {}, [], { containerRuntimeEndpoint: "unix:///c" }],
    // A gate that a flag turns off has no say in the defaults of the file.
    ["", {}, ["--feature-gates=KubeletCrashLoopBackOffMax=false"], { crashLoopBackOff: {} }],
  ],
)("nodeOptions: file %j, drop-ins %j, flags %j", async (file, dropIns, args, expected) => {
  const given = [...noWarning, ...args];
  if (file !== undefined) given.push(`--config=${await folderWith({ c: file })}/c`);
  if (Object.keys(dropIns).length > 0) given.push(`--config-dir=${await folderWith(dropIns)}`);
  const { config, warnings } = await optionsOf(...given);
  expect(config).toMatchObject(expected);
  expect(warnings).toEqual([]);
});

test("nodeOptions: follows links of drop-ins to files", async () => {
  const folder = await folderWith({ "real/a": "maxPods: 2", "d/x": "" });
  await symlink("../real/a", join(folder, "d/a.conf"));
  const { config } = await optionsOf(`--config-dir=${folder}/d`);
  expect(config.maxPods).toBe(2);
});

test("nodeOptions: warns of what it ignores", async () => {
  const folder = await folderWith({ c: "prot: 1\neventRecordQPS: 5" });
  const { warnings } = await optionsOf(
    `--config=${folder}/c`,
    "--kube-api-qps=9",
    "--housekeeping-interval=20s",
    "--feature-gates=EventedPLEG=true,GracefulNodeShutdown=true",
  );
  expect(warnings).toEqual([
    'Using lenient decoding as strict decoding failed: strict decoding error: unknown field "prot"',
    "--housekeeping-interval has no effect: cAdvisor is not part of Wherry: usage is read from cgroups when it is asked for",
    "feature gate EventedPLEG has no effect here",
  ]);
});

test("nodeOptions: warns if the kubelet is not in the cgroup that is reserved for it", async () => {
  const folder = await folderWith({
    inside: "kubeletCgroups: /kube/kubelet\nkubeReservedCgroup: /kube",
    outside: "kubeletCgroups: /kubelet\nkubeReservedCgroup: /other",
  });
  const warningsOf = async (file: string) =>
    (await optionsOf(`--config=${folder}/${file}`)).warnings;
  expect(await warningsOf("inside")).toEqual([]);
  expect(await warningsOf("outside")).toEqual([
    "unsupported configuration:KubeletCgroups is not within KubeReservedCgroup",
  ]);
});

test("nodeOptions: all problems of the configuration are reported", async () => {
  const folder = await folderWith({ c: "maxPods: -1\ntlsMinVersion: TLS9" });
  const args = ["--feature-gates=X=true", "--experimental-mounter-path=/m"];
  expect(await problemsOf(`--config=${folder}/c`, ...args)).toEqual([
    "unrecognized feature gate: X",
    "invalid configuration: maxPods (--max-pods) -1 must not be a negative number",
    'unknown tls version "TLS9"',
    "--experimental-mounter-path is not supported: it was for a container with mount(8) in it; the mount(8) of the machine mounts volumes",
  ]);
});

each<[args: string[], problem: string]>([
  [
    ["--network-plugin=cni"],
    "--network-plugin was removed before v1.36: the runtime connects pods; configure its CNI plugins",
  ],
  [
    ["--feature-gates=NodeSwap=false"],
    "cannot set feature gate NodeSwap to false, feature is locked to true",
  ],
  [
    ["--qos-reserved=memory=101%"],
    'failed to parse percentage "101%" for "memory" resource: percentage must be between 0 and 100',
  ],
  [["--qos-reserved=cpu=50%"], 'cannot reserve "cpu" resource'],
  [
    ["--qos-reserved=memory=50"],
    `failed to parse percentage "50" for "memory" resource: percentage expected, got '50'`,
  ],
  [
    ["--runonce"],
    "invalid configuration: runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set",
  ],
  [["--minimum-container-ttl-duration=-1s"], "invalid minimum garbage collection age: -1s"],
])("nodeOptions: rejects %j", async (args, problem) => {
  expect(await problemsOf(...args)).toEqual([problem]);
});

each<[files: Record<string, string>, args: (folder: string) => string[], problem: string]>([
  [
    { c: "!kind: A" },
    (folder) => [`--config=${folder}/c`],
    `failed to load kubelet config file, path: FOLDER/c, error: failed to decode: Object 'apiVersion' is missing in '{"kind":"A"}'`,
  ],
  [
    { c: "!" },
    (folder) => [`--config=${folder}/c`],
    'failed to load kubelet config file, path: FOLDER/c, error: kubelet config file "FOLDER/c" was empty',
  ],
  [
    { "d/a.conf": "!kind: A\napiVersion: v1" },
    (folder) => [`--config-dir=${folder}/d`],
    'failed to merge kubelet configs: failed to walk through kubelet dropin directory "FOLDER/d": failed to load kubelet dropin file, path: FOLDER/d/a.conf, unknown apiVersion/kind: /v1, Kind=A',
  ],
])("nodeOptions: rejects files %j", async (files, args, problem) => {
  const folder = await folderWith(files);
  expect(await problemsOf(...args(folder))).toEqual([problem.replaceAll("FOLDER", folder)]);
});

test("nodeOptions: files that are missing", async () => {
  await expect(optionsOf("--config=/none")).rejects.toThrow(
    "cannot read /none, given by --config: there is no such file; check the path",
  );
  await expect(optionsOf("--config-dir=/none")).rejects.toThrow(
    'failed to merge kubelet configs: failed to walk through kubelet dropin directory "/none": ENOENT',
  );
});

test("nodeOptions: a machine with cgroup v1 needs failCgroupV1: false", async () => {
  const host = { isCgroupV1: true };
  await expect(nodeOptions(givenNodeFlags([]), host)).rejects.toThrow(
    "kubelet is configured to not run on a host using cgroup v1.",
  );
  const options = await nodeOptions(givenNodeFlags(["--fail-cgroupv1=false"]), host);
  expect(options.config.failCgroupV1).toBe(false);
});
