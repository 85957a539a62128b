import { expect, test } from "vitest";
import type { Strategy } from "../../../../schema/language/kind.ts";
import type { Draft } from "../../../../schema/language/struct.ts";
import { write } from "../../../write.test-support.ts";
import { podOf } from "./pod.test-support.ts";
import { Pod } from "./pod.ts";

const strategy = Pod.strategy as Strategy<Draft<Pod>>;

test("Pod: defaults of a pod that says nothing", () => {
  const { spec } = podOf();
  expect(spec).toEqual({
    containers: [
      {
        name: "c",
        image: "i",
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "Always",
      },
    ],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
    enableServiceLinks: true,
  });
});

test("Pod: defaults that look at the pod as a whole", () => {
  const pod = podOf({
    metadata: { annotations: { "pod.beta.kubernetes.io/init-containers": "[]" } },
    spec: {
      serviceAccount: "sa",
      terminationGracePeriodSeconds: -5,
      hostNetwork: true,
      containers: [
        {
          name: "c",
          image: "i",
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: "1" } },
        },
      ],
    },
    status: { podIPs: [{ ip: "192.0.2.1" }] },
  });
  expect({
    annotations: pod.metadata.annotations,
    account: pod.spec.serviceAccountName,
    grace: pod.spec.terminationGracePeriodSeconds,
    port: pod.spec.containers[0]?.ports?.[0]?.hostPort,
    requests: pod.spec.containers[0]?.resources.requests,
    podIP: pod.status.podIP,
  }).toEqual({
    annotations: undefined,
    account: "sa",
    grace: 1,
    port: 80,
    requests: { cpu: "1" },
    podIP: "192.0.2.1",
  });
});

test.each([
  ["as the pod says", { nodeName: "n" }, "Running", undefined, 30],
  ["as the client asks", { nodeName: "n" }, "Running", 5, 5],
  ["never negative", { nodeName: "n" }, "Running", -1, 1],
  ["none without a node", {}, "Pending", 5, 0],
  ["none once it has ended", { nodeName: "n" }, "Failed", 5, 0],
])("Pod: seconds of grace are %s", (_, spec, phase, asked, expected) => {
  const { graceSeconds } = strategy;
  expect(graceSeconds?.(podOf({ spec, status: { phase } }), asked)).toBe(expected);
});

test("Pod: fields that can be selected on", () => {
  const pod = podOf({ spec: { nodeName: "n" }, status: { podIP: "192.0.2.1", phase: "Running" } });
  const fields = Object.entries(Pod.selectableFields).map(([name, read]) => [
    name,
    read(pod as never),
  ]);
  expect(Object.fromEntries(fields)).toEqual({
    "spec.nodeName": "n",
    "spec.host": "n",
    "spec.restartPolicy": "Always",
    "spec.schedulerName": "default-scheduler",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "Running",
    "status.podIP": "192.0.2.1",
    "status.podIPs": "",
    "status.nominatedNodeName": "",
  });
});

test("Pod: a change of the spec counts as a generation, the status stays as it was", () => {
  const { prepareUpdate: update } = strategy;
  const old = podOf({ metadata: { generation: 3 }, status: { phase: "Running" } });
  const same = podOf({ metadata: { generation: 3 } });
  const other = podOf({ metadata: { generation: 3 }, spec: { nodeName: "n" } });
  update?.(same, old, write);
  update?.(other, old, write);
  expect([same, other].map(({ metadata, status }) => [metadata.generation, status.phase])).toEqual([
    [3, "Running"],
    [4, "Running"],
  ]);
});

test("Pod: a name that is no host name is warned of, once", () => {
  const { warnings } = strategy;
  const pod = podOf({ metadata: { name: "a.b" } });
  expect(warnings?.(pod, undefined)[0]).toMatch(
    /^metadata\.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: \[must not contain dots\]$/,
  );
  expect(warnings?.(pod, pod)).toEqual([]);
});

test("Pod: addresses in the status should be in canonical form", () => {
  const pod = podOf({
    status: { podIPs: [{ ip: "0:0::1" }], hostIPs: [{ ip: "10.0.0.1" }, { ip: "fd00:0::2" }] },
  });
  expect(strategy.statusWarnings?.(pod, pod)).toEqual([
    'status.podIPs[0].ip: IPv6 address "0:0::1" should be in RFC 5952 canonical format ("::1")',
    'status.hostIPs[1].ip: IPv6 address "fd00:0::2" should be in RFC 5952 canonical format ("fd00::2")',
  ]);
});
