import { expect, test } from "vitest";
import { creationErrors, read, updateErrors } from "./outcome.test-support.ts";
import { ValidatingWebhookConfiguration } from "./validating-webhook-configuration.ts";

const hook = {
  name: "a.example.com",
  clientConfig: { url: "https://a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1beta1"],
};

test("ValidatingWebhookConfiguration: a webhook is not called again", () => {
  const { webhooks } = read(ValidatingWebhookConfiguration, { webhooks: [hook] });
  expect(webhooks).toEqual([
    {
      ...hook,
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
    },
  ]);
});

test("ValidatingWebhookConfiguration: all that is wrong is told in order", () => {
  const webhook = {
    name: "",
    rules: [{}],
    failurePolicy: "Retry",
    clientConfig: { url: "" },
    timeoutSeconds: 0,
  };
  const form = "desired format: https://host[/path]";
  expect(creationErrors(ValidatingWebhookConfiguration, { webhooks: [webhook] })).toEqual([
    "webhooks[0].name: Required value",
    "webhooks[0].rules[0].operations: Required value",
    "webhooks[0].rules[0].apiGroups: Required value",
    "webhooks[0].rules[0].apiVersions: Required value",
    "webhooks[0].rules[0].resources: Required value",
    'webhooks[0].failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"',
    "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
    "webhooks[0].timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds",
    `webhooks[0].clientConfig.url: Invalid value: "": 'https' is the only allowed URL scheme; ${form}`,
    `webhooks[0].clientConfig.url: Invalid value: "": host must be specified; ${form}`,
    "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
  ]);
});

test("ValidatingWebhookConfiguration: side effects are asked for by name once some had them", () => {
  const old = { webhooks: [{ ...hook, sideEffects: "Some" }] };
  const { sideEffects: _, ...without } = hook;
  expect(updateErrors(ValidatingWebhookConfiguration, old, { webhooks: [without] })).toEqual([
    "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, Some, Unknown",
  ]);
});

test("ValidatingWebhookConfiguration: a table counts the webhooks", () => {
  const column = ValidatingWebhookConfiguration.columns.find(({ name }) => name === "Webhooks");
  const cells = [{}, { webhooks: [hook] }].map((body) =>
    column?.cell(read(ValidatingWebhookConfiguration, body) as never, { now: 0 }),
  );
  expect(cells).toEqual([0, 1]);
});
