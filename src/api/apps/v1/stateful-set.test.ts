import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { StatefulSet } from "./stateful-set.ts";
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

const claim = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...spec,
  },
});
const statefulSet = (spec: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { selector: { matchLabels: { app: "a" } }, template: template(), ...spec },
});
const forbidden =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const dots = "must not contain dots";

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a selector and a template that match are enough", {}, []],
  ["history may be negative: all of it is kept", { revisionHistoryLimit: -1 }, []],
  [
    "hostname and subdomain are not looked at: the controller writes them",
    { template: template({ hostname: "Not-A-Name", subdomain: "Nor_This" }) },
    [],
  ],
  [
    "a volume that a claim takes the place of is not looked at",
    {
      template: template({
        volumes: [{ name: "v", hostPath: { path: "" } }],
        containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] }],
      }),
      volumeClaimTemplates: [claim("v")],
    },
    [],
  ],
  [
    "the name of its service is a label",
    { serviceName: "a.b" },
    [`spec.serviceName: Invalid value: "a.b": ${dots}`],
  ],
  [
    "what becomes of claims is one of two things",
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep", whenScaled: "Sell" } },
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Sell": supported values: "Retain", "Delete"',
    ],
  ],
  [
    "the partition is not negative",
    { updateStrategy: { rollingUpdate: { partition: -1 } } },
    [
      "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "an empty selector is refused",
    { selector: {} },
    ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"],
  ],
  [
    "its pods are always restarted, and never run for a while",
    { template: template({ restartPolicy: "OnFailure", activeDeadlineSeconds: 1 }) },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
    ],
  ],
  [
    "a mount needs a volume or a claim",
    {
      template: template({
        containers: [{ name: "c", image: "i", volumeMounts: [{ name: "x", mountPath: "/v" }] }],
      }),
      volumeClaimTemplates: [claim("v")],
    },
    ['spec.template.spec.containers[0].volumeMounts[0].name: Not found: "x"'],
  ],
])("StatefulSet: %s", (_, spec, errors) => {
  expect(createFaults(StatefulSet, statefulSet(spec))).toEqual(errors);
});

test("StatefulSet: its name is a label, since pods and their hosts begin with it", () => {
  expect(createFaults(StatefulSet, statefulSet({}, { name: "a.b" }))).toEqual([
    `metadata.name: Invalid value: "a.b": ${dots}`,
  ]);
});

each<[rule: string, change: object, errors: readonly string[]]>([
  [
    "much may change",
    {
      replicas: 3,
      ordinals: { start: 1 },
      minReadySeconds: 1,
      revisionHistoryLimit: 2,
      updateStrategy: { type: "OnDelete" },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
    },
    [],
  ],
  [
    "the same claim in other words is no change",
    { volumeClaimTemplates: [claim("v", { resources: { requests: { storage: "1024Mi" } } })] },
    [],
  ],
  ["claims do not change", { volumeClaimTemplates: [claim("w")] }, [forbidden]],
  [
    "nor what is wrong with them reported",
    { volumeClaimTemplates: [claim("v", { accessModes: [] })] },
    [forbidden],
  ],
  ["nor does the service", { serviceName: "A.B" }, [forbidden]],
])("StatefulSet update: %s", (_, change, errors) => {
  const old = created(StatefulSet, statefulSet({ volumeClaimTemplates: [claim("v")] }));
  const given = statefulSet({ volumeClaimTemplates: [claim("v")], ...change });
  expect(updateFaults(StatefulSet, old, given)).toEqual(errors);
});

test("StatefulSet update: a template that was wrong already may stay wrong", () => {
  const wrong = statefulSet({ template: template({ nodeName: "A_B" }) });
  expect(updateFaults(StatefulSet, created(StatefulSet, wrong), wrong)).toEqual([]);
});

test("StatefulSet: maxUnavailable is dropped, unless it is there already", () => {
  const given = statefulSet({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } });
  const old = created(StatefulSet, given);
  const kept = updated(StatefulSet, read(StatefulSet, given), given);
  expect([
    old.spec.updateStrategy.rollingUpdate,
    updated(StatefulSet, old, given).spec.updateStrategy.rollingUpdate,
    kept.spec.updateStrategy.rollingUpdate,
  ]).toEqual([{ partition: 0 }, { partition: 0 }, { partition: 0, maxUnavailable: 2 }]);
});

test("StatefulSet: templates of claims say what they are, also when read from protobuf", () => {
  const object = created(StatefulSet, statefulSet({ volumeClaimTemplates: [claim("v")] }));
  const [first] = object.spec.volumeClaimTemplates ?? [];
  const { kind: _, apiVersion: __, ...bare } = first ?? {};
  const restored = { ...object, spec: { ...object.spec, volumeClaimTemplates: [bare] } };
  StatefulSet.strategy.restore?.(restored as never);
  expect([first?.kind, first?.apiVersion, restored.spec.volumeClaimTemplates]).toEqual([
    "PersistentVolumeClaim",
    "v1",
    [first],
  ]);
});

test("StatefulSet status: no part is larger than the whole", () => {
  const status = { replicas: 1, currentReplicas: 2, availableReplicas: 1 };
  expect(statusFaults(StatefulSet, { ...statefulSet(), status })).toEqual([
    "status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas",
    "status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas",
  ]);
});

test("StatefulSet status: what is absent is zero, and so larger than less than that", () => {
  const faults = statusFaults(StatefulSet, { ...statefulSet(), status: { replicas: -1 } });
  expect(faults).toContain(
    "status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas",
  );
});

test("StatefulSet warnings: parts of bytes, at a place that depends on the verb; and all history", () => {
  const half = claim("v", { resources: { requests: { storage: "1500m" } } });
  const object = created(
    StatefulSet,
    statefulSet({ volumeClaimTemplates: [half], revisionHistoryLimit: -1 }),
  );
  const warnings = (old?: unknown) =>
    StatefulSet.strategy.warnings?.(object as never, old as never);
  const bytes =
    'resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer';
  const history =
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
  expect([warnings(), warnings(object)]).toEqual([
    [`spec.volumeClaimTemplates[0].${bytes}`, history],
    [`spec.volumeClaimTemplates[0].Spec.${bytes}`, history],
  ]);
});

test("StatefulSet columns", () => {
  const object = read(StatefulSet, { ...statefulSet(), status: { replicas: 2, readyReplicas: 2 } });
  expect(cellsOf(StatefulSet, object)).toEqual(["w", "2/1", "<unknown>", "c", "i:1"]);
});
