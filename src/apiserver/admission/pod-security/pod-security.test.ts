import { expect, test } from "vitest";
import { context, coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { podSecurity } from "./pod-security.ts";

const label = "pod-security.kubernetes.io";
const enforced = { [`${label}/enforce`]: "baseline" };
const warned = { [`${label}/warn`]: "baseline" };
const bad = { hostPID: true, containers: [{ name: "c", image: "i" }] };
const rejection =
  'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)';
const warning = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';

/** The outcome of a request in the namespace default with these labels, which has a violating pod. */
async function outcomeOf(
  labels: object,
  given: TestAttributes,
  more: object = {},
): Promise<unknown> {
  const parts = await openParts();
  await write(parts, coreKind("Namespace"), "default", { metadata: { labels } });
  await write(parts, coreKind("Pod"), "there", { spec: bad });
  const request = attributes({ context: context(), ...given });
  Object.assign(request.object, more);
  try {
    await admissionChain([podSecurity(parts)]).validate(request as never);
    return request.context.warnings;
  } catch (error) {
    return (error as Error).message;
  }
}

const update = { operation: "UPDATE", old: { metadata: {}, spec: bad } } as const;
const otherImage = { ...bad, containers: [{ name: "c", image: "j" }] };
const debugged = { ...bad, ephemeralContainers: [{ name: "e", image: "i" }] };

test.each([
  ["a namespace without labels", {}, { spec: bad }, []],
  ["what is enforced", enforced, { spec: bad }, rejection],
  ["what is warned of", warned, { spec: bad }, [warning]],
  ["a pod that is fine", enforced, { spec: { containers: [{ name: "c" }] } }, []],
  ["an update that changes little", enforced, { ...update, spec: { ...bad, x: 1 } }, []],
  ["another image", enforced, { ...update, spec: otherImage }, rejection],
  [
    "a further container to debug",
    enforced,
    { ...update, subresource: "ephemeralcontainers", spec: debugged },
    rejection,
  ],
  ["a status", enforced, { ...update, subresource: "status", spec: otherImage }, []],
  ["a deletion", enforced, { operation: "DELETE", spec: bad }, []],
  [
    "a namespace that is not there",
    {},
    { spec: bad, address: { namespace: "x" } },
    'Internal error occurred: failed to lookup namespace "x"',
  ],
] as const)("podSecurity: %s", async (_, labels, given, outcome) => {
  expect(await outcomeOf(labels, given)).toEqual(outcome);
});

const template = { template: { spec: bad } };

test.each([
  ["deployments", "apps", { spec: template }],
  ["statefulsets", "apps", { spec: template }],
  ["daemonsets", "apps", { spec: template }],
  ["replicasets", "apps", { spec: template }],
  ["jobs", "batch", { spec: template }],
  ["cronjobs", "batch", { spec: { jobTemplate: { spec: template } } }],
  ["replicationcontrollers", "", { spec: template }],
  ["podtemplates", "", template],
])("podSecurity: of %s there are only warnings", async (plural, group, object) => {
  const given = { address: { kind: kindAt(group, plural) } };
  expect(await outcomeOf(enforced, given, object)).toEqual([warning]);
});

test.each([
  [
    "a part of a workload",
    { subresource: "scale", address: { kind: kindAt("apps", "deployments") } },
  ],
  ["another kind", { address: { kind: kindAt("", "services") } }],
])("podSecurity: %s is left alone", async (_, given) => {
  expect(await outcomeOf(enforced, given, { spec: template })).toEqual([]);
});

test("podSecurity: a controller without a template is left alone", async () => {
  const given = { address: { kind: kindAt("", "replicationcontrollers") } };
  expect(await outcomeOf(enforced, given, { spec: {} })).toEqual([]);
});

/** The outcome of changing the labels of a namespace. */
const relabelled = (labels: object, old?: object, subresource = "") =>
  outcomeOf(
    {},
    {
      kind: "Namespace",
      operation: old ? "UPDATE" : "CREATE",
      metadata: { labels },
      address: { name: "default" },
      subresource,
      ...(old && { old: { metadata: { labels: old } } }),
    },
  );
const wrong = { [`${label}/warn`]: "x" };
const invalidText = `Namespace "default" is invalid: metadata.labels[${label}/warn]: Invalid value: "x": must be one of privileged, baseline, restricted`;
const existing = (level: string) => [
  `existing pods in namespace "default" violate the new PodSecurity enforce level "${level}"`,
  "there: host namespaces",
];
const version = (at: string) => ({ ...enforced, [`${label}/enforce-version`]: at });

test.each([
  ["a new one", await relabelled(enforced), []],
  ["a new one that is wrong", await relabelled(wrong), invalidText],
  ["one that becomes wrong", await relabelled(wrong, {}), invalidText],
  ["one that was wrong already", await relabelled({ ...wrong, a: "b" }, wrong), []],
  ["a part of one", await relabelled(wrong, {}, "status"), []],
  ["a stricter one", await relabelled(enforced, {}), existing("baseline:latest")],
  ["one that stays as strict", await relabelled({ ...enforced, a: "b" }, enforced), []],
  [
    "one that asks for less",
    await relabelled(enforced, { [`${label}/enforce`]: "restricted" }),
    [],
  ],
  ["another version", await relabelled(version("v1.30"), enforced), existing("baseline:v1.30")],
  ["one that asks for nothing", await relabelled({}, version("v1.30")), []],
])("podSecurity: of namespaces: %s", (_, outcome, wanted) => {
  expect(outcome).toEqual(wanted);
});
