import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { write } from "../../../../write.test-support.ts";
import { faults, podOf } from "../pod.test-support.ts";
import { Pod } from "../pod.ts";
import { validateEphemeralContainersUpdate } from "./pod-ephemeral-update.ts";

const debug = (more: object = {}) => ({
  spec: { ephemeralContainers: [{ name: "e", image: "i", ...more }] },
});
const rules = (pod: object, old: object) =>
  faults((at) => validateEphemeralContainersUpdate(podOf(pod), podOf(old), at));

test("Pod ephemeralcontainers: nothing else changes", () => {
  const old = podOf({
    metadata: { generation: 1, labels: { a: "b" } },
    status: { phase: "Running" },
  });
  const pod = podOf({ ...debug(), metadata: { generation: 1 } });
  pod.spec.nodeName = "n";
  Pod.strategy.updates?.ephemeralcontainers?.prepare(pod as never, old as never, write);
  const { nodeName, ephemeralContainers } = pod.spec;
  expect([nodeName, ephemeralContainers?.length, pod.status.phase]).toEqual([
    undefined,
    1,
    "Running",
  ]);
  expect([pod.metadata.labels, pod.metadata.generation]).toEqual([{ a: "b" }, 2]);
});

each<[string, object, object, readonly string[]]>([
  ["they come", debug(), {}, []],
  ["they stay", debug(), debug(), []],
  [
    "they do not go",
    {},
    debug(),
    ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n'],
  ],
  [
    "they do not change, and the difference is told",
    debug({ tty: true }),
    debug(),
    [
      [
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed',
        "@@ -27,6 +27,6 @@",
        '  "SecurityContext": null,',
        '  "Stdin": false,',
        '  "StdinOnce": false,',
        '- "TTY": false,',
        '+ "TTY": true,',
        '  "TargetContainerName": ""',
        " }",
        "",
      ].join("\n"),
    ],
  ],
  [
    "static pods have none",
    debug(),
    { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } },
    ["[]: Forbidden: static pods do not support ephemeral containers"],
  ],
])("validateEphemeralContainersUpdate: %s", (_, pod, old, expected) => {
  expect(rules(pod, old)).toEqual(expected);
});
