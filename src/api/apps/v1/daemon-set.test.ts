import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { write } from "../../write.test-support.ts";
import { DaemonSet } from "./daemon-set.ts";
import {
  cellsOf,
  created,
  createFaults,
  read,
  statusFaults,
  template,
  updated,
  updateFaults,
} from "./workload.test-support.ts";

const annotation = "deprecated.daemonset.template.generation";
const daemonSet = (spec: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { selector: { matchLabels: { app: "a" } }, template: template(), ...spec },
});
const rolling = (rollingUpdate: object) => ({ updateStrategy: { rollingUpdate } });
const place = "spec.updateStrategy.rollingUpdate";

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a selector and a template that match are enough", {}, []],
  ["one node after the other is what is done if nothing is said", { updateStrategy: {} }, []],
  ["what OnDelete does not use is not looked at", { updateStrategy: { type: "OnDelete" } }, []],
  [
    "a share is at most the whole, of either number",
    rolling({ maxUnavailable: "101%", maxSurge: "200%" }),
    [
      `${place}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
      `${place}.maxSurge: Invalid value: "200%": must not be greater than 100%`,
      `${place}.maxSurge: Invalid value: "200%": may not be set when maxUnavailable is non-zero`,
    ],
  ],
  [
    "nodes may have two pods where none may be without",
    rolling({ maxUnavailable: "0%", maxSurge: 1 }),
    [],
  ],
  [
    "neither number is negative",
    rolling({ maxUnavailable: 0, maxSurge: -1 }),
    [`${place}.maxSurge: Invalid value: -1: must be greater than or equal to 0`],
  ],
  [
    "daemons are always restarted, and never run for a while",
    { template: template({ restartPolicy: "Never", activeDeadlineSeconds: 1 }) },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
    ],
  ],
  [
    "a selector that is not well formed is not matched",
    { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  [
    "without a selector nothing matches",
    { selector: undefined },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "history is not negative, and reported last",
    { revisionHistoryLimit: -1, minReadySeconds: -2 },
    [
      "spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0",
      "spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
])("DaemonSet: %s", (_, spec, errors) => {
  expect(createFaults(DaemonSet, daemonSet(spec))).toEqual(errors);
});

test("DaemonSet update: the selector stays, and is reported before the rest", () => {
  const old = created(DaemonSet, daemonSet());
  const change = { selector: { matchLabels: { app: "b" } }, minReadySeconds: -1 };
  expect(updateFaults(DaemonSet, old, daemonSet(change))).toEqual([
    'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
    'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
  ]);
});

each<[rule: string, metadata: object, generation: string]>([
  ["it begins with 1", {}, "1"],
  ["a client may begin with more", { annotations: { [annotation]: "7" } }, "7"],
  ["but not with less", { annotations: { [annotation]: "-7" } }, "1"],
])("DaemonSet's generation of the template: %s", (_, metadata, generation) => {
  const object = created(DaemonSet, daemonSet({}, metadata));
  expect(object.metadata.annotations).toEqual({ [annotation]: generation });
});

test("DaemonSet's generation of the template: what is no number is refused", () => {
  const object = read(DaemonSet, daemonSet({}, { annotations: { [annotation]: "x" } }));
  expect(() => DaemonSet.strategy.prepareCreate?.(object as never, write)).toThrow(
    'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing "x": invalid syntax',
  );
});

each<[rule: string, change: object, expected: readonly [number, string]]>([
  ["nothing changes", {}, [1, "1"]],
  ["a part beside the template", { minReadySeconds: 5 }, [2, "1"]],
  ["the template", { template: template({ hostNetwork: true }) }, [2, "2"]],
])("DaemonSet update: generations when %s", (_, change, expected) => {
  const given = daemonSet(change, { annotations: { [annotation]: "9" } });
  const { metadata } = updated(DaemonSet, created(DaemonSet, daemonSet()), given);
  expect([metadata.generation, metadata.annotations?.[annotation]]).toEqual(expected);
});

test("DaemonSet status: no count is negative, and collisions do not fall", () => {
  const status = { numberUnavailable: -1, collisionCount: 1 };
  expect(statusFaults(DaemonSet, { ...daemonSet(), status }, { collisionCount: 2 })).toEqual([
    "status.numberUnavailable: Invalid value: -1: must be greater than or equal to 0",
    "status.collisionCount: Invalid value: 1: cannot be decremented",
  ]);
});

test("DaemonSet columns: the nodes that are selected, in order of their labels", () => {
  const nodeSelector = { zone: "z", disk: "ssd" };
  const object = read(DaemonSet, daemonSet({ template: template({ nodeSelector }) }));
  const cells = ["w", 0, 0, 0, 0, 0, "disk=ssd,zone=z", "<unknown>", "c", "i:1", "app=a"];
  expect(cellsOf(DaemonSet, object)).toEqual(cells);
});
