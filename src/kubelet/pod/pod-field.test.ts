import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podField } from "./pod-field.ts";

const pod = {
  metadata: {
    ...{ name: "p", namespace: "n", uid: "u" },
    labels: { b: "2", a: 'one "two"\n', "x.io/é": "é" },
    annotations: { "k.io/x": "v" },
  },
} as unknown as Pod;

each<[path: string, text: string]>([
  ["metadata.name", "p"],
  ["metadata.namespace", "n"],
  ["metadata.uid", "u"],
  ["metadata.labels", 'a="one \\"two\\"\\n"\nb="2"\nx.io/é="é"'],
  ["metadata.annotations", 'k.io/x="v"'],
  ["metadata.labels['b']", "2"],
  ["metadata.annotations['k.io/x']", "v"],
  ["metadata.labels['toString']", ""],
])("podField: %s", (path, text) => {
  expect(podField(pod, path)).toBe(text);
});

test("podField: other fields are not supported", () => {
  expect(() => podField(pod, "status.podIP")).toThrow("unsupported fieldPath: status.podIP");
  expect(() => podField(pod, "metadata.name['x']")).toThrow(
    "fieldPath \"metadata.name['x']\" does not support subscript",
  );
});
