import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { read } from "../../api/apps/v1/workload.test-support.ts";
import { newReplicaSet, replicaSetName } from "./new-replica-set.ts";
import { sameTemplate, templateHash } from "./pod-template-hash.ts";
import { deployment, replicaSet, template } from "./replica-set.test-support.ts";
import { splitReplicaSets } from "./replica-set-lists.ts";

test.each<[string, object, boolean]>([
  [
    "the hash does not count",
    { metadata: { labels: { app: "web", "pod-template-hash": "x" } } },
    true,
  ],
  ["other labels do", { metadata: { labels: { app: "web", tier: "x" } } }, false],
  [
    "what is empty is absent",
    { spec: { containers: [{ name: "web", image: "v1", args: [] }] } },
    true,
  ],
  ["the image counts", { spec: { containers: [{ name: "web", image: "v2" }] } }, false],
])("sameTemplate: %s", (_, change, expected) => {
  expect(sameTemplate(template("v1"), { ...template("v1"), ...change } as never)).toBe(expected);
});

test("templateHash: depends on the template and the collision count", () => {
  const hashOf = (image: string, collisionCount?: number): string =>
    templateHash(
      deployment(1, {
        spec: { template: template(image) },
        status: collisionCount === undefined ? {} : { collisionCount },
      }),
    );
  expect(hashOf("v1")).toBe(hashOf("v1"));
  expect(hashOf("v1")).toMatch(/^[bcdf4-9]{1,10}$/);
  expect(new Set([hashOf("v1"), hashOf("v2"), hashOf("v1", 0), hashOf("v1", 1)]).size).toBe(4);
});

/** Hashes that Kubernetes v1.36 gave to the pods of such templates. */
each<[hash: string, what: string, template: { metadata: object; spec: object }]>([
  ["69d8d75cc", "one container", recorded("plain-plain", {})],
  [
    "5d9f7f4bb9",
    "metadata beside labels",
    {
      metadata: {
        labels: { app: "a", z: "1", n: "plain-ann" },
        annotations: { x: "y", b: "c" },
        finalizers: ["a/b"],
      },
      spec: { containers: [{ name: "c", image: "app:1" }] },
    },
  ],
  [
    "779b7c48d",
    "quantities, with and without their text",
    recorded("res-plain", {
      resources: {
        requests: { cpu: "100m", memory: "512Mi" },
        limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1500M" },
      },
    }),
  ],
  [
    "54c7d5b857",
    "structs that are embedded, ports by number and name",
    recorded("probe-plain", {
      ports: [
        { containerPort: 80, name: "web" },
        { containerPort: 81, protocol: "UDP", hostPort: 0 },
      ],
      livenessProbe: { httpGet: { path: "/x", port: 80 } },
      readinessProbe: { tcpSocket: { port: "web" }, periodSeconds: 3 },
      startupProbe: { exec: { command: ["a", "b"] } },
    }),
  ],
])("templateHash: %s is upstream's hash of %s", (hash, _, template) => {
  const selector = { matchLabels: { app: "a" } };
  expect(templateHash(read(Deployment, { spec: { selector, template } }))).toBe(hash);
});

function recorded(name: string, container: object) {
  return {
    metadata: { labels: { app: "a", n: name } },
    spec: { containers: [{ name: "c", image: "app:1", ...container }] },
  };
}

test("templateHash: collisions are part of upstream's hash", () => {
  const { metadata, spec } = recorded("plain-plain", { image: "app:2" });
  const given = { selector: {}, template: { metadata, spec } };
  const collided = read(Deployment, { spec: given, status: { collisionCount: 3 } });
  expect(templateHash(collided)).toBe("655b95bddf");
});

test("templateHash: the order of members does not matter", () => {
  const { metadata, spec } = template("v1");
  const turned = { spec: { containers: [{ image: "v1", name: "web" }] }, metadata };
  expect(templateHash(deployment(1, { spec: { template: turned as never } }))).toBe(
    templateHash(deployment(1, { spec: { template: { metadata, spec } } })),
  );
});

test("replicaSetName: a long name is truncated, so that the hash fits", () => {
  expect(replicaSetName("web", "abc")).toBe("web-abc");
  const name = replicaSetName("x".repeat(253), "abcdefghij");
  expect(name).toBe(`${"x".repeat(242)}-abcdefghij`);
});

test("newReplicaSet: its selector matches only pods of its template", () => {
  const made = newReplicaSet(
    deployment(4, {
      maxSurge: 1,
      annotations: { note: "a" },
      spec: { minReadySeconds: 5, template: template("v2") },
    }),
    [replicaSet("a", { size: 4, annotations: { "deployment.kubernetes.io/revision": "6" } })],
  );
  const hash = made.metadata.labels?.["pod-template-hash"];
  expect(made.spec).toEqual({
    replicas: 1,
    minReadySeconds: 5,
    selector: { matchLabels: { app: "web", "pod-template-hash": hash } },
    template: template("v2", { "pod-template-hash": hash ?? "" }),
  });
  expect(made.metadata.annotations).toEqual({
    note: "a",
    "deployment.kubernetes.io/revision": "7",
    "deployment.kubernetes.io/desired-replicas": "4",
    "deployment.kubernetes.io/max-replicas": "5",
  });
});

test("splitReplicaSets: the oldest of several with the template is the current one", () => {
  const sets = [
    replicaSet("younger", { image: "new", age: 1 }),
    replicaSet("older", { image: "new", age: 5 }),
    replicaSet("other", { image: "v1", age: 9 }),
  ];
  const { current, old } = splitReplicaSets(deployment(1), sets);
  expect(current?.metadata.name).toBe("older");
  expect(old.map(({ metadata }) => metadata.name)).toEqual(["other", "younger"]);
});
