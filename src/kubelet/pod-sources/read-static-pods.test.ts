import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { readStaticPod, readStaticPods, type StaticPodOptions } from "./read-static-pods.ts";

const place: StaticPodOptions = {
  origin: "file",
  location: "/etc/kubernetes/manifests/web.yaml",
  nodeName: "node-1",
};
const web = { containers: [{ name: "web", image: "nginx" }] };
const pod = (spec: object = {}, metadata: object = {}) =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name: "web", ...metadata },
    spec: { ...web, ...spec },
  });

test("a static pod has the defaults of the API, the name of its node, and no eviction", () => {
  const text = `
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {a: b}}
spec:
  hostNetwork: true
  containers:
  - {name: web, image: nginx, ports: [{containerPort: 80}]}
  tolerations: [{key: a, operator: Exists}]
status: {phase: Running}
`;
  const uid = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(readStaticPod(text, place)).toEqual({
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      ...{ name: "web-node-1", namespace: "default", uid },
      annotations: { a: "b", "kubernetes.io/config.hash": uid },
    },
    spec: {
      containers: [
        {
          ...{ name: "web", image: "nginx", imagePullPolicy: "Always", resources: {} },
          ports: [{ hostPort: 80, containerPort: 80, protocol: "TCP" }],
          ...{ terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
        },
      ],
      ...{ restartPolicy: "Always", terminationGracePeriodSeconds: 30, dnsPolicy: "ClusterFirst" },
      ...{ nodeName: "node-1", hostNetwork: true, securityContext: {} },
      ...{ schedulerName: "default-scheduler", enableServiceLinks: true },
      tolerations: [
        { key: "a", operator: "Exists" },
        { operator: "Exists", effect: "NoExecute" },
      ],
    },
    status: { phase: "Pending" },
  });
});

const uidOf = (text: string, options: Partial<StaticPodOptions> = {}): string | undefined =>
  readStaticPod(text, { ...place, ...options }).metadata.uid;

test("the UID of a static pod follows from its content and its place, in whatever order it is written", () => {
  const first = uidOf(pod());
  const other = { metadata: { name: "web" }, spec: web, kind: "Pod", apiVersion: "v1" };
  expect(uidOf(JSON.stringify(other))).toBe(first);
  const others = [
    uidOf(pod({ hostNetwork: true })),
    uidOf(pod(), { nodeName: "node-2" }),
    uidOf(pod(), { location: "/etc/kubernetes/manifests/other.yaml" }),
    uidOf(pod(), { origin: "http" }),
  ];
  expect(new Set([first, ...others]).size).toBe(5);
  expect(uidOf(pod({}, { uid: "mine" }))).toBe("mine");
});

test("a pod of a URL gets no toleration, and keeps its namespace", () => {
  const [read] = readStaticPods(pod({}, { namespace: "kube-system" }), {
    ...place,
    origin: "http",
  });
  expect(read?.spec.tolerations).toBeUndefined();
  expect(read?.metadata.namespace).toBe("kube-system");
});

test("a URL may serve a list of pods", () => {
  const items = ["a", "b"].map((name) => ({ metadata: { name }, spec: web }));
  const text = JSON.stringify({ apiVersion: "v1", kind: "PodList", items });
  const pods = readStaticPods(text, { ...place, origin: "http" });
  expect(pods.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Pod a-node-1",
    "Pod b-node-1",
  ]);
  expect(() => readStaticPod(text, place)).toThrow("invalid pod: PodList of version v1");
});

const unparsed = (why: string) => `couldn't parse as pod(${why}), please check config file`;
const projected = (source: object) => ({
  volumes: [{ name: "v", projected: { sources: [source] } }],
});
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });
const template = {
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
};

each<[text: string, problem: string]>([
  ["", unparsed("Object 'Kind' is missing in 'null'")],
  ["a: [", unparsed("yaml: did not find expected ',' or ']'")],
  ['{"kind":"Pod"}', unparsed(`Object 'apiVersion' is missing in '{"kind":"Pod"}'`)],
  ["apiVersion: v1\nkind: Service", unparsed("invalid pod: Service of version v1")],
  [pod({}, { name: "" }), "invalid pod: name is needed for the pod"],
  [pod({ containers: [] }), "invalid pod: [spec.containers: Required value]"],
  [pod({ serviceAccountName: "a" }), "static pods may not reference serviceaccounts"],
  [pod({ imagePullSecrets: [{ name: "a" }] }), "static pods may not reference secrets"],
  [
    pod({ containers: [{ ...web.containers[0], envFrom: [{ configMapRef: { name: "a" } }] }] }),
    "static pods may not reference configmaps",
  ],
  [
    pod({ resourceClaims: [{ name: "a", resourceClaimName: "a" }] }),
    "static pods may not reference resourceclaims",
  ],
  [
    pod(volume({ csi: { driver: "a" } })),
    "static pods may not reference csidrivers (via CSI volumes)",
  ],
  [
    pod(volume({ persistentVolumeClaim: { claimName: "a" } })),
    "static pods may not reference persistentvolumeclaims",
  ],
  [
    pod(volume({ ephemeral: { volumeClaimTemplate: template } })),
    "static pods may not reference persistentvolumeclaims (via ephemeral volumes)",
  ],
  [
    pod(projected({ clusterTrustBundle: { name: "a", path: "a" } })),
    "static pods may not reference clustertrustbundles",
  ],
])("readStaticPod: %s", (text, problem) => {
  expect(() => readStaticPod(text, place)).toThrow(new Error(problem));
});

test("references to API objects can be allowed, but not those that need more than reading", () => {
  const options = { ...place, mayReferenceApi: true };
  const read = readStaticPod(pod({ imagePullSecrets: [{ name: "a" }] }), options);
  expect(read.spec.imagePullSecrets).toEqual([{ name: "a" }]);
  const bundle = pod(projected({ clusterTrustBundle: { name: "a", path: "a" } }));
  expect(() => readStaticPod(bundle, options)).toThrow(
    "static pods may not use ClusterTrustBundle projected volume sources",
  );
  const claim = pod({ resourceClaims: [{ name: "a", resourceClaimName: "a" }] });
  expect(() => readStaticPod(claim, options)).toThrow("static pods may not use ResourceClaims");
});
