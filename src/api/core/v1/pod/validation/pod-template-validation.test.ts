import { expect, test } from "vitest";
import { faults, podOf } from "../pod.test-support.ts";
import { validatePodTemplateSpec } from "./pod-template-validation.ts";

const kinds = (template: { metadata?: object; spec?: object }) => {
  const { metadata, spec } = podOf(template);
  return faults((at) => validatePodTemplateSpec({ metadata, spec }, at)).map((fault) =>
    fault.split(": ").slice(0, 2).join(": "),
  );
};

test.each([
  ["a plain one is fine", {}, []],
  [
    "labels and annotations stand without metadata in the path",
    { metadata: { labels: { a: "-" }, annotations: { "-": "" } } },
    ["labels: Invalid value", "annotations: Invalid value"],
  ],
  ["the spec is looked at", { spec: { nodeName: "A" } }, ["spec.nodeName: Invalid value"]],
  [
    "ephemeral containers are for pods",
    { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } },
    ["spec.ephemeralContainers: Forbidden"],
  ],
])("validatePodTemplateSpec: %s", (_, template, expected) => {
  expect(kinds(template)).toEqual(expected);
});
