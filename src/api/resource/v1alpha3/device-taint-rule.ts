import { list, message, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Draft, type Infer, struct } from "../../../schema/language/struct.ts";
import type { Write } from "../../../schema/language/write.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn, since } from "../../meta/v1/columns.ts";
import { Condition, validateConditions } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { type DeviceTaint, deviceTaint, validateDeviceTaint } from "../v1/device-taint.ts";
import { validateDriverName, validatePoolName, validateShortName } from "../v1/resource-names.ts";
import { define, group, inEachVersion, nameIn, type Version } from "../v1/versions.ts";

const deviceTaintSelector = inEachVersion((version) =>
  struct(nameIn(version, "DeviceTaintSelector"), {
    driver: string(2).pointer().doc("The driver of the devices; none for all."),
    pool: string(3).pointer().doc("The pool of the devices; none for all."),
    device: string(4).pointer().doc("The name of the devices; none for all."),
  }).doc("Selects devices by what they are called."),
);

const deviceTaintRuleSpec = inEachVersion((version) =>
  struct(nameIn(version, "DeviceTaintRuleSpec"), {
    deviceSelector: message(1, deviceTaintSelector(version)).doc(
      "The devices that get the taint; none at all without it.",
    ),
    taint: value(2, deviceTaint(version)).expected().doc("The taint."),
  }).doc("Which devices get which taint."),
);
interface DeviceTaintRuleSpec extends Infer<ReturnType<typeof deviceTaintRuleSpec>> {}

const deviceTaintRuleStatus = inEachVersion((version) =>
  struct(nameIn(version, "DeviceTaintRuleStatus"), {
    conditions: list(1, Condition).keyedBy("type").doc("How far the eviction of pods is."),
  }).doc("What became of a rule."),
);

const maxConditions = 8;

/** The kind in a version. */
export const deviceTaintRule = (version: Version) =>
  define({
    group,
    version,
    kind: "DeviceTaintRule",
    plural: "devicetaintrules",
    scope: "Cluster",
    doc: "Adds a taint to all devices that are selected.",
    name: nameIsDnsSubdomain,
    fields: {
      spec: value(2, deviceTaintRuleSpec(version)).expected().doc("Which devices, which taint."),
      status: value(3, deviceTaintRuleStatus(version)).doc("What became of it."),
    },
    subresources: ["status"],
    rules: [({ spec }, at) => validateSpec(spec, at.child("spec"), undefined)],
    updateRules: ({ spec }, old, { at }) => validateSpec(spec, at.child("spec"), old.spec),
    statusRules({ status: { conditions = [] } }, _old, { at }) {
      const here = at.child("status").child("conditions");
      validateConditions(conditions, here);
      if (conditions.length > maxConditions) here.tooMany("", conditions.length, maxConditions);
    },
    strategy: {
      initialStatus: {},
      statusKeeps: ["metadata"],
      generation: { spec: deviceTaintRuleSpec(version) },
      finish: ({ spec }, old, write) => dateTaint(spec.taint, old?.spec.taint, write),
      deleteReturnsObject: true,
    },
    columns: [
      nameColumn,
      {
        name: "Key",
        type: "string",
        description: "The taint key to be applied to a device. Must be a label name.",
        cell: ({ spec }) => spec.taint.key,
      },
      {
        name: "Value",
        type: "string",
        description: "The taint value corresponding to the taint key. Must be a label value.",
        cell: ({ spec }) => spec.taint.value ?? "",
      },
      {
        name: "Effect",
        type: "string",
        description:
          "The effect of the taint on claims that do not tolerate the taint and through such claims on the pods using them.\n\nValid effects are None, NoSchedule and NoExecute. PreferNoSchedule as used for nodes is not valid here. More effects may get added in the future. Consumers must treat unknown effects like None.",
        cell: ({ spec }) => spec.taint.effect,
      },
      {
        name: "TimeAdded",
        type: "string",
        description:
          "TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) the effect was modified. Added automatically during create or update if not set.\n\nIn addition, in a DeviceTaintRule a value provided during an update gets replaced with the current time if the provided value is the same as the old one and the new effect is different. Changing the key and/or value while keeping the effect unchanged is possible and does not update the time stamp because the eviction which uses it is either already started (NoExecute) or not started yet (NoEffect, NoSchedule).",
        cell: ({ spec: { taint } }, { now }) =>
          taint.timeAdded ? since(taint.timeAdded, now) : "",
      },
      ageColumn,
    ],
  });

export const DeviceTaintRule = kind({ ...deviceTaintRule("v1alpha3"), stability: "alpha" });
export interface DeviceTaintRule extends ObjectOf<typeof DeviceTaintRule> {}

/** The time of a taint is when it got its effect, unless the client sets another. */
function dateTaint(taint: Draft<DeviceTaint>, old: DeviceTaint | undefined, { now }: Write): void {
  const isOutdated = old && old.effect !== taint.effect && old.timeAdded === taint.timeAdded;
  if (!taint.timeAdded || isOutdated) taint.timeAdded = now;
}

function validateSpec(
  { deviceSelector, taint }: DeviceTaintRuleSpec,
  at: At,
  old: DeviceTaintRuleSpec | undefined,
): void {
  const { driver, pool, device } = deviceSelector ?? {};
  const here = at.child("deviceSelector");
  if (driver !== undefined) validateDriverName(driver, here.child("driver"));
  if (pool !== undefined) validatePoolName(pool, here.child("pool"));
  if (device !== undefined) validateShortName(device, here.child("device"));
  validateDeviceTaint(taint, at.child("taint"), old?.taint);
}
