import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { faults, podOf } from "../pod.test-support.ts";
import { validatePodSpec } from "./pod-spec-validation.ts";

const kinds = (spec: object, options: object = {}) =>
  faults((at) => validatePodSpec(podOf({ spec }).spec, at, { options })).map((fault) =>
    fault.split(": ").slice(0, 2).join(": "),
  );
const device = { volumeDevices: [{ name: "v", devicePath: "/d" }] };
const claim = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "x" } }] };

each<[string, object, readonly string[]]>([
  ["a plain one is fine", {}, []],
  ["there are containers", { containers: [] }, ["containers: Required value"]],
  [
    "policies are known",
    { restartPolicy: "Often", dnsPolicy: "Mine", preemptionPolicy: "" },
    [
      "restartPolicy: Unsupported value",
      "dnsPolicy: Unsupported value",
      "preemptionPolicy: Required value",
    ],
  ],
  ["labels of nodes are labels", { nodeSelector: { "-": "a" } }, ["nodeSelector: Invalid value"]],
  [
    "names are names",
    { serviceAccountName: "A", nodeName: "B", priorityClassName: "C", runtimeClassName: "" },
    [
      "serviceAccountName: Invalid value",
      "nodeName: Invalid value",
      "priorityClassName: Invalid value",
      "runtimeClassName: Invalid value",
    ],
  ],
  [
    "host names are labels",
    { hostname: "a.b", subdomain: "c.d" },
    ["hostname: Invalid value", "subdomain: Invalid value"],
  ],
  ["deadlines lie ahead", { activeDeadlineSeconds: 0 }, ["activeDeadlineSeconds: Invalid value"]],
  [
    "a host name of one's own needs a network of one's own",
    { hostnameOverride: "a".repeat(65), hostNetwork: true, setHostnameAsFQDN: true },
    ["hostnameOverride: Forbidden", "hostnameOverride: Forbidden", "hostnameOverride: Too long"],
  ],
  [
    "users of one's own, no namespaces of the node",
    { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
    ["hostNetwork: Forbidden", "HostPID: Forbidden", "HostIPC: Forbidden"],
  ],
  [
    "nor devices",
    { hostUsers: false, ...claim, containers: [{ name: "c", image: "i", ...device }] },
    ["containers[0].volumeDevices: Forbidden"],
  ],
  [
    "overhead is in resources of containers",
    { overhead: { pods: "1" } },
    ["overhead.limits[pods]: Invalid value"],
  ],
])("validatePodSpec: %s", (_, spec, expected) => {
  expect(kinds(spec)).toEqual(expected);
});

test("validatePodSpec: what an old pod did is tolerated", () => {
  const spec = {
    hostUsers: false,
    hostNetwork: true,
    ...claim,
    containers: [{ name: "c", image: "i", ...device }],
  };
  const options = {
    allowUserNamespacesWithVolumeDevices: true,
    allowUserNamespacesHostNetworkSupport: true,
  };
  expect(kinds(spec, options)).toEqual([]);
});

test("validatePodSpec: on the node's network ports are the node's; templates may leave that open", () => {
  const { spec } = podOf({
    spec: {
      hostNetwork: true,
      containers: [
        {
          name: "c",
          image: "i",
          ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 82 }],
        },
      ],
    },
  });
  const [first] = spec.containers;
  const port = first?.ports?.[0];
  if (port) delete port.hostPort;
  const rules = (resourceIsPod: boolean) =>
    faults((at) => validatePodSpec(spec, at, { options: { resourceIsPod } }));
  const detail = "must match `containerPort` when `hostNetwork` is true";
  expect(rules(true)).toEqual([
    `containers[0].ports[0].hostPort: Invalid value: 0: ${detail}`,
    `containers[0].ports[1].hostPort: Invalid value: 82: ${detail}`,
  ]);
  expect(rules(false)).toEqual([`containers[0].ports[1].hostPort: Invalid value: 82: ${detail}`]);
});

test("validatePodSpec: files of variables lie in an empty directory of the pod", () => {
  const variable = (volumeName: string) => ({
    name: volumeName.toUpperCase(),
    valueFrom: { fileKeyRef: { volumeName, path: "f", key: "K" } },
  });
  const spec = {
    volumes: [
      { name: "a", emptyDir: {} },
      { name: "b", hostPath: { path: "/" } },
    ],
    containers: [{ name: "c", image: "i", env: ["a", "b", "d"].map(variable) }],
  };
  expect(faults((at) => validatePodSpec(podOf({ spec }).spec, at, { options: {} }))).toEqual([
    'containers[0].env[1].valueFrom.fileKeyRef.volumeName: Invalid value: "b": referenced volume must be of type emptyDir',
    'containers[0].env[2].valueFrom.fileKeyRef.volumeName: Not found: "d"',
  ]);
});
