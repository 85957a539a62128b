import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { readAuthorizers } from "./read-authorization-configuration.ts";

const webhook = {
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "Deny",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/good" },
};
const hook = (change: object = {}, name = "hook") => ({
  type: "Webhook",
  name,
  webhook: { ...webhook, ...change },
});
const file = (...authorizers: object[]) =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers,
  });
const checks = {
  fileFault: (path: string) => (path === "/good" ? undefined : "must be a regular file"),
};

each<[what: string, text: string, error: string]>([
  ["nothing", "", "authorizers: Required value: at least one authorization mode must be defined"],
  [
    "an unknown field",
    file({ type: "RBAC", name: "rbac", x: 1 }),
    'failed to load AuthorizationConfiguration from file: strict decoding error: unknown field "authorizers[0].x"',
  ],
  [
    "another kind",
    file().replace("AuthorizationC", "C"),
    'failed to load AuthorizationConfiguration from file: no kind "Configuration" is registered for version "apiserver.config.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32"',
  ],
  [
    "types that are missing, unknown or repeated",
    file(
      { name: "a" },
      { type: "X", name: "x" },
      ...[1, 2].map(() => ({ type: "RBAC", name: "rbac" })),
    ),
    '[authorizers[0].type: Required value, authorizers[1].type: Unsupported value: "X": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook", authorizers[3].type: Duplicate value: "RBAC"]',
  ],
  [
    "names that are missing, repeated or invalid",
    file({ type: "Webhook", webhook }, hook(), hook(), hook({}, "A")),
    "[authorizers[0].name: Required value, authorizers[2].name: Duplicate value: \"hook\", authorizers[3].name: Invalid value: \"A\": authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')]",
  ],
  [
    "a mode under another name",
    file({ type: "RBAC", name: "roles" }),
    "expected name rbac for authorizer RBAC instead of roles",
  ],
  [
    "a webhook where there must be none, and none where there must be one",
    file({ type: "RBAC", name: "rbac", webhook: {} }, { type: "Webhook", name: "w" }),
    '[authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook, authorizers[1].webhook: Required value: required when type=Webhook]',
  ],
  [
    "a webhook with nothing",
    file({ type: "Webhook", name: "w", webhook: {} }),
    "[authorizers[0].timeout: Required value, authorizers[0].subjectAccessReviewVersion: Required value, authorizers[0].failurePolicy: Required value, authorizers[0].connectionInfo.type: Required value]",
  ],
  [
    "a webhook with odd values",
    file(
      hook({
        timeout: "31s",
        authorizedTTL: "-1s",
        unauthorizedTTL: "-1m",
        subjectAccessReviewVersion: "v2",
        matchConditionSubjectAccessReviewVersion: "v1beta1",
        failurePolicy: "Allow",
        connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "relative" },
      }),
    ),
    '[authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s, authorizers[0].authorizedTTL: Invalid value: "-1s": must be > 0s, authorizers[0].unauthorizedTTL: Invalid value: "-1m0s": must be > 0s, authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1", authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1", authorizers[0].failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny", authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "relative": must be an absolute path]',
  ],
  [
    "connections that are odd",
    file(
      hook({ connectionInfo: { type: "KubeConfigFile" } }, "a"),
      hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/bad" } }, "b"),
      hook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: "/good" } }, "c"),
      hook({ connectionInfo: { type: "X" } }, "d"),
    ),
    '[authorizers[0].connectionInfo.kubeConfigFile: Required value, authorizers[1].connectionInfo.kubeConfigFile: Invalid value: "/bad": must be a regular file, authorizers[2].connectionInfo.kubeConfigFile: Invalid value: "/good": can only be set when type=KubeConfigFile, authorizers[3].connectionInfo.type: Unsupported value: {"Type":"X","KubeConfigFile":null}: supported values: "InClusterConfig", "KubeConfigFile"]',
  ],
  [
    "conditions that are odd",
    file(
      hook({
        matchConditions: [
          { expression: " " },
          { expression: "true" },
          { expression: "true" },
          { expression: "request.user" },
          { expression: "request.nothing" },
        ],
      }),
    ),
    '[authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified, authorizers[0].matchConditions[0].expression: Required value, authorizers[0].matchConditions[2].expression: Duplicate value: "true", authorizers[0].matchConditions[3].expression: Invalid value: "request.user": must evaluate to bool but got string, authorizers[0].matchConditions[4].expression: Invalid value: "request.nothing": compilation failed: ERROR: <input>:1:8: undefined field \'nothing\'\n | request.nothing\n | .......^]',
  ],
  [
    "too many conditions",
    file(
      hook({
        matchConditionSubjectAccessReviewVersion: "v1",
        matchConditions: Array.from({ length: 65 }, (_, i) => ({ expression: `${i} == 0` })),
      }),
    ),
    "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
  ],
])("readAuthorizers: %s is an error", (_, text, error) => {
  let found: string | undefined;
  try {
    readAuthorizers(text, checks);
  } catch (fault) {
    found = errorMessage(fault);
  }
  expect(found).toBe(error);
});

test("readAuthorizers: what is not said is upstream's default", () => {
  const found = readAuthorizers(
    file({ type: "Node", name: "node" }, hook({ cacheUnauthorizedRequests: false })),
    checks,
  );
  expect(found).toEqual([
    { type: "Node", name: "node" },
    {
      type: "Webhook",
      name: "hook",
      kubeconfig: "/good",
      rules: {
        version: "v1",
        timeoutMs: 3000,
        allowedTtlMs: 300_000,
        otherTtlMs: 0,
        onFailure: "deny",
      },
    },
  ]);
});

test("readAuthorizers: modes that the server has started with must stay", () => {
  expect(() => readAuthorizers(file(hook()), { ...checks, required: ["RBAC", "Node"] })).toThrow(
    "missing required types: [Node RBAC]",
  );
});
