import { expect, onTestFinished, test } from "vitest";
import { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { validatingAdmissionPolicyStatusModule } from "./validating-admission-policy-status-module.ts";

type Spec = Omit<Partial<ValidatingAdmissionPolicy["spec"]>, "matchConstraints">;
const deployments = {
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  resources: ["deployments"],
  operations: ["CREATE"],
  scope: "*",
};

async function start() {
  const cluster = await accountedCluster({
    runnables: partsOf(validatingAdmissionPolicyStatusModule),
  });
  onTestFinished(() => cluster.end());
  const { client, settled } = cluster;
  const key = { name: "policy" };
  const status = async () => {
    await settled();
    return (await client.get(ValidatingAdmissionPolicy, key)).status;
  };
  const add = async (spec: Spec, resourceRules = [deployments]) => {
    await client.create(ValidatingAdmissionPolicy, {
      metadata: key,
      spec: { matchConstraints: { resourceRules }, ...spec },
    });
    return status();
  };
  return { ...cluster, key, add, status };
}

test("a policy without faults is observed once", async () => {
  const { add, advance, writes } = await start();
  const validations = [
    { expression: "object.spec.replicas <= 5 && has(object.metadata.labels)" },
    {
      expression: "oldObject == null || request.userInfo.username != ''",
      messageExpression: "'replicas: ' + string(object.spec.replicas)",
    },
    { expression: "object.spec.strategy.rollingUpdate.maxSurge == 1" },
    { expression: "authorizer.group('').resource('pods').check('get').allowed()" },
  ];
  expect(await add({ validations })).toEqual({ observedGeneration: 1, typeChecking: {} });
  expect(writes.length).toBe(1);
  await advance("1h");
  expect(writes.length).toBe(1);
});

test("fields that do not exist are named, for each kind, in expressions and messages", async () => {
  const { add } = await start();
  const validations = [
    { expression: "object.foo == 'bar'", messageExpression: "object.foo + 'x'" },
    { expression: "true" },
  ];
  const resourceRules = [{ ...deployments, resources: ["deployments", "replicasets"] }];
  const fault = (kind: string, text: string, rest: string) =>
    `apps/v1, Kind=${kind}: ERROR: <input>:1:7: undefined field 'foo'\n | ${text}\n | ${rest}\n`;
  const both = (text: string, rest: string) =>
    `${fault("Deployment", text, rest)}\n${fault("ReplicaSet", text, rest)}`;
  expect(await add({ validations }, resourceRules)).toEqual({
    observedGeneration: 1,
    typeChecking: {
      expressionWarnings: [
        {
          fieldRef: "spec.validations[0].expression",
          warning: both("object.foo == 'bar'", "......^"),
        },
        {
          fieldRef: "spec.validations[0].messageExpression",
          warning: both("object.foo + 'x'", "......^"),
        },
      ],
    },
  });
});

test("parameters and variables have types, and a corrected policy is checked again", async () => {
  const { client, key, add, status } = await start();
  const spec = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    variables: [{ name: "limit", expression: "params.data['limit']" }],
    validations: [{ expression: "object.spec.replicas <= variables.limit" }],
  };
  const { typeChecking } = await add(spec);
  expect(typeChecking?.expressionWarnings?.map(({ warning }) => warning)).toEqual([
    "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_<=_' applied to '(int, string)'\n | object.spec.replicas <= variables.limit\n | .....................^\n",
  ]);
  const validations = [{ expression: "object.spec.replicas <= int(variables.limit)" }];
  await client.patch(ValidatingAdmissionPolicy, key, { merge: { spec: { validations } } });
  expect(await status()).toEqual({ observedGeneration: 2 });
});
