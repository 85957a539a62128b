import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { podOf } from "../../../api/core/v1/pod/pod.test-support.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import { normalise } from "../../../schema/language/normalise.ts";
import type { ReferenceReader } from "../reference-reader.ts";
import { containerEnvironment, type EnvironmentSources, expand } from "./container-environment.ts";
import type { ServiceLister } from "./service-variables.ts";

const data: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "configMap ns/m": { a: "1", "not a.name": "2" },
  "secret ns/s": { a: "hidden" },
};
const reader = {
  configMap: async ({ namespace, name }) => data[`configMap ${namespace}/${name}`],
  secret: async ({ namespace, name }) => data[`secret ${namespace}/${name}`],
} as ReferenceReader;

const sources: EnvironmentSources = {
  references: reader,
  hostIPs: ["192.0.2.9", "fd00::9"],
  allocatable: { cpu: "4", memory: "8Gi", "ephemeral-storage": "10Gi" },
};

async function environmentOf(
  container: object,
  given: Partial<EnvironmentSources> = {},
  rest: object = {},
): Promise<readonly string[]> {
  const pod = podOf({
    metadata: {
      ...{ uid: "u1", labels: { app: "web", x: "y" }, annotations: { "a/b": "c" } },
    },
    spec: {
      ...{ nodeName: "n1", serviceAccountName: "default", enableServiceLinks: true },
      containers: [{ name: "c", image: "i", ...container }],
      ...rest,
    },
    status: { podIP: "10.1.0.2", podIPs: [{ ip: "10.1.0.2" }, { ip: "fd00::2" }] },
  }) as Pod;
  const [first] = pod.spec.containers ?? [];
  if (!first) throw new Error("the pod has no container");
  const env = await containerEnvironment(pod, first, { ...sources, ...given });
  return env.map(({ name, value }) => `${name}=${value}`);
}

const from = (valueFrom: object, name = "V") => ({ env: [{ name, valueFrom }] });
const field = (fieldPath: string) => from({ fieldRef: { apiVersion: "v1", fieldPath } });
const resource = (name: string, divisor = "0", containerName = "") =>
  from({ resourceFieldRef: { resource: name, divisor, containerName } });

each<[string, object, readonly string[]]>([
  [
    "values, in their order",
    { env: [{ name: "B", value: "2" }, { name: "A", value: "1" }, { name: "E" }] },
    ["B=2", "A=1", "E="],
  ],
  [
    "references to variables before",
    {
      env: [
        { name: "A", value: "$(B)" },
        { name: "B", value: "x$(A)" },
        { name: "C", value: "$$(A) $(B" },
      ],
    },
    ["A=$(B)", "B=x$(B)", "C=$(A) $(B"],
  ],
  [
    "a variable that is replaced",
    {
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "$(A)2" },
      ],
    },
    ["A=12"],
  ],
  [
    "whole objects, before others",
    {
      envFrom: [
        { configMapRef: { name: "m" } },
        { prefix: "S_", secretRef: { name: "s" } },
        { secretRef: { name: "none", optional: true } },
      ],
      env: [{ name: "a", value: "$(a)$(S_a)" }],
    },
    ["a=1hidden", "not a.name=2", "S_a=hidden"],
  ],
  ["a key of a config map", from({ configMapKeyRef: { name: "m", key: "a" } }), ["V=1"]],
  ["a key of a secret", from({ secretKeyRef: { name: "s", key: "a" } }), ["V=hidden"]],
  ["an optional key", from({ secretKeyRef: { name: "s", key: "z", optional: true } }), []],
  ["an optional object", from({ configMapKeyRef: { name: "z", key: "a", optional: true } }), []],
  ["metadata.name", field("metadata.name"), ["V=p"]],
  ["metadata.namespace", field("metadata.namespace"), ["V=ns"]],
  ["metadata.uid", field("metadata.uid"), ["V=u1"]],
  ["a label", field("metadata.labels['app']"), ["V=web"]],
  ["no such label", field("metadata.labels['none']"), ["V="]],
  ["an annotation", field("metadata.annotations['a/b']"), ["V=c"]],
  ["spec.nodeName", field("spec.nodeName"), ["V=n1"]],
  ["spec.serviceAccountName", field("spec.serviceAccountName"), ["V=default"]],
  ["status.hostIP", field("status.hostIP"), ["V=192.0.2.9"]],
  ["status.hostIPs", field("status.hostIPs"), ["V=192.0.2.9,fd00::9"]],
  ["status.podIP", field("status.podIP"), ["V=10.1.0.2"]],
  ["status.podIPs", field("status.podIPs"), ["V=10.1.0.2,fd00::2"]],
  ["a limit by the node", resource("limits.cpu"), ["V=4"]],
  ["a limit in another unit", resource("limits.memory", "1Mi"), ["V=8192"]],
  [
    "a request, rounded up",
    { ...resource("requests.cpu"), resources: { requests: { cpu: "1100m" } } },
    ["V=2"],
  ],
  [
    "a request in thousandths",
    { ...resource("requests.cpu", "1m"), resources: { requests: { cpu: "1100m" } } },
    ["V=1100"],
  ],
  ["no request", resource("requests.memory"), ["V=0"]],
])("containerEnvironment: %s", async (_, container, expected) => {
  expect(await environmentOf(container)).toEqual(expected);
});

test("containerEnvironment: limits of the pod as a whole", async () => {
  const rest = { resources: { limits: { cpu: "2" }, requests: { cpu: "1" } } };
  expect(await environmentOf(resource("limits.cpu"), {}, rest)).toEqual(["V=2"]);
});

each<[string, object, string]>([
  ["a config map", { envFrom: [{ configMapRef: { name: "z" } }] }, 'configmap "z" not found'],
  ["a secret", from({ secretKeyRef: { name: "z", key: "a" } }), 'secret "z" not found'],
  [
    "a key of a config map",
    from({ configMapKeyRef: { name: "m", key: "z" } }),
    "couldn't find key z in ConfigMap ns/m",
  ],
  [
    "a key of a secret",
    from({ secretKeyRef: { name: "s", key: "z" } }),
    "couldn't find key z in Secret ns/s",
  ],
  ["a container", resource("limits.cpu", "0", "z"), "container z not found"],
])("containerEnvironment: %s is missing", async (_, container, message) => {
  await expect(environmentOf(container)).rejects.toThrow(message);
});

const file = (text: string): Partial<EnvironmentSources> => ({
  volumeFile: async (volume, path) =>
    volume === "v" ? { path: `/volumes/v/${path}`, text: async () => text } : undefined,
});
const fileKey = (key: string, more: object = {}) =>
  from({ fileKeyRef: { volumeName: "v", path: "f", key, ...more } });

test("containerEnvironment: variables of files", async () => {
  expect(await environmentOf(fileKey("A"), file("A='1'\n"))).toEqual(["V=1"]);
  expect(await environmentOf(fileKey("Z", { optional: true }), file("A='1'\n"))).toEqual([]);
});

each<[string, object, string, string]>([
  [
    "the key is missing",
    fileKey("Z"),
    "A='1'\n",
    'environment variable key "Z" not found in file "/volumes/v/f"',
  ],
  ["the file is invalid", fileKey("A"), "A=1\n", "couldn't parse env file"],
  [
    "the volume is missing",
    fileKey("A", { volumeName: "z" }),
    "",
    'cannot find the volume "z" referenced by FileKeyRef',
  ],
])("containerEnvironment: no variable of a file if %s", async (_, container, text, message) => {
  await expect(environmentOf(container, file(text))).rejects.toThrow(message);
});

const service = (namespace: string, name: string, spec: object): Service =>
  normalise(Service.struct, {
    ...{ apiVersion: "v1", kind: "Service", metadata: { namespace, name }, spec },
  })?.value as Service;

function lister(services: readonly Service[], hasSynced = true): ServiceLister {
  const list: ServiceLister["list"] = ({ namespace } = {}) =>
    services.filter(({ metadata }) => metadata.namespace === namespace);
  return { hasSynced, list };
}

const apiServer = service("default", "kubernetes", {
  clusterIP: "10.0.0.1",
  ports: [{ name: "https", port: 443, protocol: "TCP" }],
});
const ofApiServer = [
  "KUBERNETES_SERVICE_HOST=10.0.0.1",
  "KUBERNETES_SERVICE_PORT=443",
  "KUBERNETES_SERVICE_PORT_HTTPS=443",
  "KUBERNETES_PORT=tcp://10.0.0.1:443",
  "KUBERNETES_PORT_443_TCP=tcp://10.0.0.1:443",
  "KUBERNETES_PORT_443_TCP_PROTO=tcp",
  "KUBERNETES_PORT_443_TCP_PORT=443",
  "KUBERNETES_PORT_443_TCP_ADDR=10.0.0.1",
];
const own = service("ns", "my-db", {
  clusterIP: "fd00::5",
  ports: [{ port: 53, protocol: "UDP" }],
});
const headless = service("ns", "headless", { clusterIP: "None", ports: [{ port: 80 }] });
const foreign = service("other", "foreign", { clusterIP: "10.0.0.7", ports: [{ port: 80 }] });
const all = lister([apiServer, own, headless, foreign]);

test("containerEnvironment: services of the namespace, and the API server", async () => {
  const env = [
    { name: "U", value: "http://$(MY_DB_SERVICE_HOST)/" },
    { name: "KUBERNETES_PORT", value: "x" },
  ];
  expect(await environmentOf({ env }, { services: all })).toEqual([
    "U=http://fd00::5/",
    "KUBERNETES_PORT=x",
    ...ofApiServer.filter((line) => !line.startsWith("KUBERNETES_PORT=")),
    "MY_DB_SERVICE_HOST=fd00::5",
    "MY_DB_SERVICE_PORT=53",
    "MY_DB_PORT=udp://[fd00::5]:53",
    "MY_DB_PORT_53_UDP=udp://[fd00::5]:53",
    "MY_DB_PORT_53_UDP_PROTO=udp",
    "MY_DB_PORT_53_UDP_PORT=53",
    "MY_DB_PORT_53_UDP_ADDR=fd00::5",
  ]);
});

test("containerEnvironment: without links, only the API server", async () => {
  const rest = { enableServiceLinks: false };
  expect(await environmentOf({}, { services: all }, rest)).toEqual(ofApiServer);
});

test("containerEnvironment: services must have been read", async () => {
  await expect(environmentOf({}, { services: lister([], false) })).rejects.toThrow(
    "services have not yet been read at least once, cannot construct envvars",
  );
});

each<[string, string]>([
  ["$(A)$(A) $(B)", "11 $(B)"],
  ["$$(A) $$$(A) $A $ $() $(A", "$(A) $1 $A $ $() $(A"],
])("expand: %s", (text, expected) => {
  expect(expand(text, new Map([["A", "1"]]))).toBe(expected);
});
