import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { legacyKubeletConfiguration } from "../../../../kubelet/config/default-kubelet-configuration.ts";
import { shownFlags } from "../../../flags/shown-flags.ts";
import { type ConfigFlag, setField, valueAt } from "./config-flag.ts";
import { configFlags } from "./config-flags.ts";
import { givenNodeFlags } from "./given-node-flags.test-support.ts";
import { kubeletFlagProblems, nodeFlags } from "./node-flags.ts";

const gates = () => ({ on: new Set<string>(), problems: [] });

each<[args: string[], field: string, value: unknown]>([
  [["--enable-server=false"], "enableServer", false],
  [["--runonce"], "runOnce", true],
  [["--pod-manifest-path=/p"], "staticPodPath", "/p"],
  [["--sync-frequency=90s"], "syncFrequency", "1m30s"],
  [["--cpu-cfs-quota-period", "1.5ms"], "cpuCFSQuotaPeriod", "1.5ms"],
  [["--port=1"], "port", 1],
  [["--eviction-max-pod-grace-period=-1"], "evictionMaxPodGracePeriod", -1],
  [["--max-open-files=2147483648"], "maxOpenFiles", 2 ** 31],
  [["--address=::"], "address", "::"],
  [["--anonymous-auth=false"], "authentication.anonymous.enabled", false],
  [["--authorization-mode=Webhook"], "authorization.mode", "Webhook"],
  [["--client-ca-file=c"], "authentication.x509.clientCAFile", "c"],
  [
    ["--cluster-dns=10.0.0.1,10.0.0.2", "--cluster-dns=10.0.0.3"],
    "clusterDNS",
    ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
  ],
  [["--enforce-node-allocatable="], "enforceNodeAllocatable", []],
  [
    [
      "--eviction-hard=memory.available<1Gi, nodefs.available < 5%",
      "--eviction-hard=pid.available<9%",
    ],
    "evictionHard",
    { "memory.available": "1Gi", "nodefs.available": "5%", "pid.available": "9%" },
  ],
  [["--eviction-hard="], "evictionHard", {}],
  [["--kube-reserved=cpu=200m,memory=1Gi,"], "kubeReserved", { cpu: "200m", memory: "1Gi" }],
  [
    ["--cpu-manager-policy-options=a=b,c", "--cpu-manager-policy-options=d=e"],
    "cpuManagerPolicyOptions",
    { a: "b,c", d: "e" },
  ],
  [["--feature-gates=A=true,B=f"], "featureGates", { A: true, B: false }],
  [
    ["--manifest-url-header=a:hello,b:again", "--manifest-url-header=b: beautiful"],
    "staticPodURLHeader",
    { a: ["hello"], b: ["again", "beautiful"] },
  ],
  [
    ["--register-with-taints=a=b:NoSchedule,c:NoExecute"],
    "registerWithTaints",
    [
      { key: "a", value: "b", effect: "NoSchedule" },
      { key: "c", effect: "NoExecute" },
    ],
  ],
  [["--register-with-taints=a:NoSchedule", "--register-with-taints="], "registerWithTaints", []],
  [
    [
      "--reserved-memory=0:memory=1024Mi,hugepages-1Gi=2Gi;1:memory=1Gi",
      "--reserved-memory=2:memory=1",
    ],
    "reservedMemory",
    [
      { numaNode: 0, limits: { memory: "1Gi", "hugepages-1Gi": "2Gi" } },
      { numaNode: 1, limits: { memory: "1Gi" } },
      { numaNode: 2, limits: { memory: "1" } },
    ],
  ],
  [["-v4"], "logging.verbosity", 4],
  [["--log-flush-frequency=1s"], "logging.flushFrequency", "1s"],
  [["--log-json-info-buffer-size=1024Ki"], "logging.options.json.infoBufferSize", "1Mi"],
  [
    ["--vmodule=a=1,b=2"],
    "logging.vmodule",
    [
      { filePattern: "a", verbosity: 1 },
      { filePattern: "b", verbosity: 2 },
    ],
  ],
])("nodeFlags: %j sets %s", (args, field, value) => {
  const { flags, given } = givenNodeFlags(args);
  const [name] = given;
  const flag = (configFlags as Readonly<Record<string, ConfigFlag>>)[name ?? ""];
  if (flag === undefined) throw new Error(`--${name} sets no field`);
  const config = structuredClone(legacyKubeletConfiguration(gates)) as unknown as Record<
    string,
    unknown
  >;
  setField(config, flag, (flags as Readonly<Record<string, unknown>>)[name ?? ""]);
  expect(valueAt(config, field)).toEqual(value);
});

each<[arg: string, problem: string]>([
  ["--port=2147483648", 'strconv.ParseInt: parsing "2147483648": value out of range'],
  ["--port=x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["--address=x", '"x" is not a valid IP address'],
  ["--sync-frequency=x", 'time: invalid duration "x"'],
  ["--kube-reserved=cpu", "malformed pair, expect string=string"],
  ["--cpu-manager-policy-options=", "malformed pair, expect string=string"],
  ["--eviction-hard=memory.available=1Gi", "malformed pair, expect string<string"],
  ["--manifest-url-header=a", "malformed pair, expect string:string"],
  ["--feature-gates=A", "malformed pair, expect string=bool"],
  [
    "--feature-gates=A=x",
    'invalid value of A: x, err: strconv.ParseBool: parsing "x": invalid syntax',
  ],
  ["--register-with-taints=a", "invalid taint spec: a"],
  ["--register-with-taints=a=b=c:NoSchedule", "invalid taint spec: a=b=c:NoSchedule"],
  ["--register-with-taints=a:b:c", "invalid taint spec: a:b:c"],
  ["--register-with-taints=a:Never", "invalid taint effect: Never, unsupported taint effect"],
  [
    "--register-with-taints=a=b:NoSchedule,a:NoSchedule",
    "duplicated taints with the same key and effect: {a  NoSchedule <nil>}",
  ],
  [
    "--reserved-memory=0",
    "the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got 0",
  ],
  ["--reserved-memory=a:memory=1", "failed to convert the NUMA node ID, expected integer, got a"],
  [
    "--reserved-memory=0:memory",
    "the reserved limit has incorrect value, expected type=quantity, got memory",
  ],
  ["--reserved-memory=0:cpu=1", 'memory type conversion error, unknown type: "cpu"'],
  ["--reserved-memory=0:memory=x", "failed to parse the quantity: x"],
  ["--vmodule=a", '"a" does not have the pattern=N format'],
  ["--vmodule=a=x", 'parsing verbosity in "a=x": strconv.ParseUint: parsing "x": invalid syntax'],
  ["--v=-1", 'strconv.ParseUint: parsing "-1": invalid syntax'],
  ["--v=2147483648", 'strconv.ParseUint: parsing "2147483648": value out of range'],
])("nodeFlags: rejects %s", (arg, problem) => {
  expect(() => givenNodeFlags([arg])).toThrow(problem);
});

const allowedLabels =
  "--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (kubelet.kubernetes.io, node.kubernetes.io) or be in the specifically allowed set (beta.kubernetes.io/arch, beta.kubernetes.io/instance-type, beta.kubernetes.io/os, failure-domain.beta.kubernetes.io/region, failure-domain.beta.kubernetes.io/zone, kubernetes.io/arch, kubernetes.io/hostname, kubernetes.io/os, node.kubernetes.io/instance-type, topology.kubernetes.io/region, topology.kubernetes.io/zone)";

each<[args: string[], problems: (string | RegExp)[]]>([
  [[], []],
  [["--node-labels=a=b,kubernetes.io/os=linux,x.node.kubernetes.io/y=,c"], []],
  [
    ["--node-labels=foo.kubernetes.io/a=,node-role.kubernetes.io/master=,k8s.io/b=c"],
    [
      `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [foo.kubernetes.io/a k8s.io/b node-role.kubernetes.io/master]\n${allowedLabels}`,
    ],
  ],
  [
    ["--node-labels=a b=c,d=e f"],
    [/^invalid node labels: 'a b' - name part must consist of .*; 'e f' - a valid label must be /],
  ],
  [
    ["--cloud-provider=aws"],
    [
      'cloud provider "aws" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider',
    ],
  ],
  [["--oci-runtimes=crun=/usr/bin/crun,kata=kata-runtime"], []],
  [
    ["--oci-runtimes=runc=x,A=b,c="],
    [
      'the handler "runc" is the engine\'s own',
      '"A" cannot be a handler of runtime classes',
      'the OCI runtime of "c" is empty',
    ],
  ],
  [["--exit-on-lock-contention"], ["cannot exit on lock file contention: no lock file specified"]],
  [
    ["--container-runtime=remote", "--register-schedulable=false", "--log_file=x"],
    [
      "--container-runtime was removed before v1.36: all runtimes are remote ones; leave it out",
      "--log-file was removed before v1.36: the log goes to stderr; redirect it",
      "--register-schedulable was removed before v1.36: use --register-with-taints",
    ],
  ],
])("kubeletFlagProblems: %j", (args, problems) => {
  const { flags, given } = givenNodeFlags(args);
  expect(kubeletFlagProblems(flags, given)).toEqual(
    problems.map((problem) =>
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    ),
  );
});

test("nodeFlags: deprecated flags warn in upstream's words, and stay in help", () => {
  const config =
    "This parameter should be set via the config file specified by the Kubelet's --config flag. See https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/ for more information.";
  expect(nodeFlags["max-pods"]).toMatchObject({ deprecated: config, hidden: false });
  expect(nodeFlags["maximum-dead-containers"].deprecated).toBe(
    "Use --eviction-hard or --eviction-soft instead. Will be removed in a future version.",
  );
  const kept = Object.entries<ConfigFlag>(configFlags).filter(([, flag]) => !flag.deprecated);
  expect(kept.map(([name]) => name).sort()).toEqual([
    "fail-cgroupv1",
    "log-flush-frequency",
    "provider-id",
    "v",
    "vmodule",
  ]);
});

each<[args: string[], name: string, shown: string]>([
  [[], "read-only-port", "10255"],
  [[], "sync-frequency", "1m0s"],
  [[], "enforce-node-allocatable", "[pods]"],
  [[], "eviction-hard", ""],
  [["--eviction-hard=b<1,a<2"], "eviction-hard", "a<2,b<1"],
  [["--feature-gates=B=true,A=0"], "feature-gates", "A=false,B=true"],
  [["--node-labels=b=1,a"], "node-labels", "a=,b=1"],
  [["--manifest-url-header=Authorization:secret"], "manifest-url-header", "Authorization:<masked>"],
  [["--register-with-taints=a=b:NoSchedule"], "register-with-taints", "a=b:NoSchedule"],
  [
    ["--reserved-memory=0:memory=1Gi,hugepages-1Gi=1Gi"],
    "reserved-memory",
    "0:hugepages-1Gi=1Gi,memory=1Gi",
  ],
  [["--vmodule=a=1"], "vmodule", "a=1"],
])("nodeFlags: %j shows %s as %j", (args, name, shown) => {
  expect(shownFlags(nodeFlags, givenNodeFlags(args).flags)[name]).toBe(shown);
});
