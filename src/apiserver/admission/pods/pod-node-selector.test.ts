import { expect, test } from "vitest";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admitted, rejectionBy } from "../attributes.test-support.ts";
import { podNodeSelector } from "./pod-node-selector.ts";

const selectors = {
  clusterDefaultNodeSelector: "env=test, infra=fedora",
  narrow: "env=prod,disk=ssd",
  other: "a=b",
};
const annotated: Readonly<Record<string, string>> = {
  narrow: "env=prod",
  bad: "env",
  odd: "e!=x",
  long: `env=${"x".repeat(64)}`,
};

async function openPlugin() {
  const parts = await openParts();
  for (const name of ["default", "narrow", "bad", "odd", "long"]) {
    const value = annotated[name];
    const annotations = value && { "scheduler.alpha.kubernetes.io/node-selector": value };
    const metadata = annotations ? { annotations } : {};
    await write(parts, coreKind("Namespace"), name, { metadata, spec: {}, status: {} });
  }
  return podNodeSelector({ ...parts, selectors });
}

const conflict =
  'pods "a" is forbidden: pod node label selector conflicts with its namespace node label selector';
const notAllowed =
  'pods "a" is forbidden: pod node label selector labels conflict with its namespace whitelist';

test.each([
  ["default", {}, { env: "test", infra: "fedora" }],
  ["default", { disk: "ssd" }, { env: "test", infra: "fedora", disk: "ssd" }],
  ["default", { env: "prod" }, conflict],
  ["narrow", {}, { env: "prod" }],
  ["narrow", { disk: "ssd" }, { env: "prod", disk: "ssd" }],
  ["narrow", { disk: "hdd" }, notAllowed],
  ["narrow", { gpu: "yes" }, notAllowed],
  ["bad", {}, "invalid selector: [env]"],
  [
    "odd",
    {},
    `<nil>: Invalid value: "e!": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  ],
  ["long", {}, `[env]: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`],
  ["none", {}, "Internal error occurred: namespace none does not exist"],
])("podNodeSelector: in %s, a pod that selects %j", async (namespace, nodeSelector, wanted) => {
  const given = { spec: { nodeSelector }, address: { namespace } };
  const outcome = await admitted(await openPlugin(), given);
  expect(
    typeof wanted === "string" ? outcome : (outcome as typeof given.spec).nodeSelector,
  ).toEqual(wanted);
});

test.each([
  [{ env: "prod" }, undefined],
  [{ env: "test" }, conflict],
  [{ env: "prod", disk: "hdd" }, notAllowed],
])(
  "podNodeSelector: what others make of the pod is rejectionBy: %j",
  async (nodeSelector, wanted) => {
    const given = { spec: { nodeSelector }, address: { namespace: "narrow" } };
    expect(await rejectionBy(await openPlugin(), given)).toEqual(wanted);
  },
);
