import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { write } from "../../write.test-support.ts";
import { MutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";
import { creationErrors, read, updateErrors } from "./outcome.test-support.ts";

const hook = {
  name: "a.example.com",
  clientConfig: { url: "https://a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const webhooks = (...changes: readonly object[]) => ({
  webhooks: changes.map((change) => ({ ...hook, ...change })),
});

test("MutatingWebhookConfiguration: what is left out is filled in", () => {
  const rules = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }];
  const clientConfig = { service: { name: "s", namespace: "n" } };
  expect(read(MutatingWebhookConfiguration, webhooks({ rules, clientConfig })).webhooks).toEqual([
    {
      ...hook,
      clientConfig: { service: { name: "s", namespace: "n", port: 443 } },
      rules: [{ ...rules[0], scope: "*" }],
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: "Never",
    },
  ]);
});

const selector = { matchExpressions: [{ key: "k", operator: "In", values: ["-"] }] };
const badValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

each<[rule: string, body: object, errors: readonly string[]]>([
  ["no webhooks are fine", {}, []],
  [
    "names have three parts, and each is there once",
    webhooks({ name: "a.b" }, {}, {}),
    [
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
      'webhooks[2].name: Duplicate value: "a.example.com"',
    ],
  ],
  [
    "side effects are not allowed",
    webhooks({ sideEffects: "Some" }),
    [
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
  ],
  [
    "one version of the review must be known",
    webhooks({ admissionReviewVersions: ["v2", "v3", "v2"] }),
    [
      'webhooks[0].admissionReviewVersions[2]: Invalid value: "v2": duplicate version',
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2","v3","v2"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    "policies are known ones, and come before how it is reached",
    webhooks({
      reinvocationPolicy: "Always",
      matchPolicy: "",
      clientConfig: {},
      timeoutSeconds: 31,
    }),
    [
      'webhooks[0].matchPolicy: Unsupported value: "": supported values: "Equivalent", "Exact"',
      "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
      'webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    ],
  ],
  [
    "values in selectors are values of labels",
    webhooks({ objectSelector: selector }),
    [`webhooks[0].objectSelector.matchExpressions[0].values[0]: Invalid value: "-": ${badValue}`],
  ],
  [
    "there are at most 64 conditions, and an expression of spaces is none",
    webhooks({
      matchConditions: Array.from({ length: 65 }, (_, i) => ({
        name: `c${i}`,
        expression: i === 3 ? " \u00a0\t" : "true",
      })),
    }),
    [
      "webhooks[0].matchConditions: Too many: 65: must have at most 64 items",
      "webhooks[0].matchConditions[3].expression: Required value",
    ],
  ],
])("MutatingWebhookConfiguration: %s", (_, body, errors) => {
  expect(creationErrors(MutatingWebhookConfiguration, body)).toEqual(errors);
});

each<[rule: string, old: object, errors: readonly string[]]>([
  ["side effects may stay", webhooks({ sideEffects: "Unknown" }), []],
  ["versions nobody knows may stay", webhooks({ admissionReviewVersions: ["v9"] }), []],
  ["equal names may stay", webhooks({}, {}), []],
  ["values that are none may stay", webhooks({ namespaceSelector: selector }), []],
  ["conditions that did not change are not looked at", webhooks({ matchConditions: [{}] }), []],
])("MutatingWebhookConfiguration: %s in an update", (_, old, errors) => {
  expect(updateErrors(MutatingWebhookConfiguration, old, old)).toEqual(errors);
});

test("MutatingWebhookConfiguration: conditions are looked at where one of them changes", () => {
  const old = webhooks({ matchConditions: [{ name: "", expression: "true" }] });
  const changed = webhooks({ matchConditions: [{ name: "", expression: "1 == 1" }] });
  expect(updateErrors(MutatingWebhookConfiguration, old, changed)).toEqual([
    "webhooks[0].matchConditions[0].name: Required value",
  ]);
});

test("MutatingWebhookConfiguration: the generation counts changes of the webhooks", () => {
  const { strategy } = MutatingWebhookConfiguration;
  const old = read(MutatingWebhookConfiguration, webhooks({}));
  strategy.prepareCreate?.(old as never, write);
  const generations = [
    webhooks({}),
    webhooks({ timeoutSeconds: 1 }),
    webhooks({ matchConditions: [] }),
  ].map((body) => {
    const object = read(MutatingWebhookConfiguration, body);
    Object.assign(object.metadata, { generation: 1 });
    strategy.prepareUpdate?.(object as never, old as never, write);
    return object.metadata.generation;
  });
  expect([old.metadata.generation, ...generations]).toEqual([1, 1, 2, 2]);
});

test("MutatingWebhookConfiguration: names of configurations in files are warned of", () => {
  const object = read(MutatingWebhookConfiguration, { metadata: { name: "a.static.k8s.io" } });
  expect(MutatingWebhookConfiguration.strategy.warnings?.(object as never, undefined)).toEqual([
    'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
  ]);
});
