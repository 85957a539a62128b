import { expect, test } from "vitest";
import { context, coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { defaultPolicy, type PodSecurityConfiguration } from "./configuration.ts";
import { podSecurity } from "./pod-security.ts";

test("defaultPolicy: is privileged, of the latest version, if nothing is configured", () => {
  const privileged = { level: "privileged", version: "latest" };
  expect(defaultPolicy({})).toEqual({ enforce: privileged, audit: privileged, warn: privileged });
  const defaults = { enforce: "baseline", "enforce-version": "v1.30", warn: "" };
  expect(defaultPolicy({ defaults })).toEqual({
    enforce: { level: "baseline", version: "v1.30" },
    audit: privileged,
    warn: privileged,
  });
});

test.each([
  [
    { defaults: { audit: "none", "warn-version": "1.30" } },
    '[defaults.warn-version: Invalid value: "1.30": must be "latest" or "v1.x", defaults.audit: Invalid value: "none": must be one of privileged, baseline, restricted]',
  ],
  [{ exemptions: { namespaces: ["a", "a"] } }, 'exemptions.namespaces[1]: Duplicate value: "a"'],
  [
    { exemptions: { usernames: [""] } },
    'exemptions.usernames[0]: Invalid value: "": username must not be empty',
  ],
])("defaultPolicy: %j is not valid", (configuration, wanted) => {
  expect(() => defaultPolicy(configuration)).toThrow(wanted);
});

const label = "pod-security.kubernetes.io";
const bad = { hostPID: true, containers: [{ name: "c", image: "i" }] };
const refused =
  'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)';
const warned = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';

async function outcomeOf(
  configuration: PodSecurityConfiguration,
  labels: object,
  given: TestAttributes,
) {
  const parts = await openParts();
  await write(parts, coreKind("Namespace"), "default", { metadata: { labels } });
  await write(parts, coreKind("Pod"), "there", { spec: { ...bad, runtimeClassName: "kata" } });
  const request = attributes({ context: context(), ...given });
  const plugin = podSecurity(parts, configuration);
  try {
    await admissionChain([plugin]).validate(request as never);
    return request.context.warnings;
  } catch (error) {
    return (error as Error).message;
  }
}

const baseline = { defaults: { enforce: "baseline" } };
const exempting = (exemptions: NonNullable<PodSecurityConfiguration["exemptions"]>) => ({
  defaults: { enforce: "baseline", warn: "baseline" },
  exemptions,
});
const deployment = {
  address: { kind: kindAt("apps", "deployments") },
  spec: { template: { spec: { ...bad, runtimeClassName: "kata" } } },
};

test.each([
  ["defaults hold where nothing is outcomeOf", baseline, {}, { spec: bad }, refused],
  ["labels say more", baseline, { [`${label}/enforce`]: "privileged" }, { spec: bad }, []],
  ["a namespace is exempt", exempting({ namespaces: ["default"] }), {}, { spec: bad }, []],
  ["a user is exempt", exempting({ usernames: ["admin"] }), {}, { spec: bad }, []],
  ["another user is not", exempting({ usernames: ["eve"] }), {}, { spec: bad }, refused],
  [
    "a runtime is exempt",
    exempting({ runtimeClasses: ["kata"] }),
    {},
    { spec: { ...bad, runtimeClassName: "kata" } },
    [],
  ],
  [
    "a pod without runtime is not",
    exempting({ runtimeClasses: ["kata"] }),
    {},
    { spec: bad },
    refused,
  ],
  ["of workloads there are warnings", exempting({}), {}, deployment, [warned]],
  ["unless the namespace is exempt", exempting({ namespaces: ["default"] }), {}, deployment, []],
  ["or the runtime", exempting({ runtimeClasses: ["kata"] }), {}, deployment, []],
])("podSecurity: %s", async (_, configuration, labels, given, wanted) => {
  expect(await outcomeOf(configuration, labels, given)).toEqual(wanted);
});

const namespace = (labels: object, more: TestAttributes = {}): TestAttributes => ({
  kind: "Namespace",
  address: { name: "default", namespace: "" },
  metadata: { name: "default", labels },
  ...more,
});
const strict = { [`${label}/enforce`]: "restricted", [`${label}/warn-version`]: "v1.30" };
const ignored =
  'namespace "default" is exempt from Pod Security, and the policy (enforce=restricted:latest, warn=restricted:v1.30) will be ignored';

test.each([
  ["created with a policy", { namespaces: ["default"] }, namespace(strict), [ignored]],
  ["created without one", { namespaces: ["default"] }, namespace({}), []],
  [
    "given a policy",
    { namespaces: ["default"] },
    namespace(strict, { operation: "UPDATE", old: { metadata: {} } }),
    [ignored],
  ],
  [
    "given a policy that its pods of an exempt runtime do not keep to",
    { runtimeClasses: ["kata"] },
    namespace(strict, { operation: "UPDATE", old: { metadata: {} } }),
    [],
  ],
])("podSecurity: an exempt namespace that is %s", async (_, exemptions, given, wanted) => {
  expect(await outcomeOf({ exemptions }, {}, given)).toEqual(wanted);
});
