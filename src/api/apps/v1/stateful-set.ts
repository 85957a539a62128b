import { value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { nameIsDnsLabel } from "../../../schema/values/names.ts";
import { dropDisabledPodFields } from "../../core/v1/pod/pod-disabled-fields.ts";
import { podValidationOptions } from "../../core/v1/pod/validation/pod-ratcheting.ts";
import { podTemplateWarnings } from "../../core/v1/pod/validation/pod-warnings.ts";
import { claimSpecWarnings } from "../../core/v1/volume/persistent-volume-claim-spec.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { validateCollisionCount } from "./replica-validation.ts";
import { nameClaimTemplates, StatefulSetSpec, StatefulSetStatus } from "./stateful-set-spec.ts";
import { validateStatefulSetSpec, validateStatefulSetStatus } from "./stateful-set-validation.ts";
import { containersColumn, imagesColumn } from "./template-columns.ts";

export const StatefulSet = kind({
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  shortNames: ["sts"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Keeps a number of pods running, each with a name and storage of its own.",
  name: nameIsDnsLabel,
  fields: {
    spec: value(2, StatefulSetSpec).doc("What the stateful set should be."),
    status: value(3, StatefulSetStatus).doc("What the stateful set is at present."),
  },
  subresources: ["scale", "status"],
  rules: [
    ({ spec }, at) =>
      validateStatefulSetSpec(spec, at.child("spec"), { pod: podValidationOptions() }),
  ],
  updateRules({ spec }, { spec: old }, { at }) {
    const options = { pod: podValidationOptions(old.template), isUpdate: true };
    const wrongAlready = At.root(at.options);
    validateStatefulSetSpec(old, wrongAlready, options);
    const skipPodTemplate = wrongAlready.errors.length > 0;
    validateStatefulSetSpec(spec, at.child("spec"), { ...options, skipPodTemplate });
    const changeable = Object.fromEntries(changeableFields.map((field) => [field, old[field]]));
    if (!semanticEqual(StatefulSetSpec, { ...spec, ...changeable }, old))
      at.forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      );
  },
  statusRules({ status }, old, { at }) {
    validateStatefulSetStatus(status, at.child("status"));
    validateCollisionCount(status, old.status, at.child("status"));
  },
  strategy: {
    fillEmpty({ spec }) {
      spec.replicas = 0;
    },
    initialStatus: { replicas: 0, availableReplicas: 0 },
    generation: { spec: StatefulSetSpec },
    prepare({ spec }, old, write) {
      // Its feature is not on by default.
      if (old?.spec.updateStrategy.rollingUpdate?.maxUnavailable === undefined)
        delete spec.updateStrategy.rollingUpdate?.maxUnavailable;
      dropDisabledPodFields(spec.template.spec, old?.spec.template.spec, write);
    },
    restore({ spec }) {
      nameClaimTemplates(spec);
    },
    warnings({ metadata, spec }, old) {
      const isNew = !old || metadata.generation !== old.metadata.generation;
      const { volumeClaimTemplates = [], revisionHistoryLimit } = spec;
      return [
        ...(isNew ? podTemplateWarnings(spec.template, templatePlace) : []),
        ...volumeClaimTemplates.flatMap((claim, i) =>
          claimSpecWarnings(claim.spec, `spec.volumeClaimTemplates[${i}]${old ? ".Spec" : ""}`),
        ),
        ...(revisionHistoryLimit < 0
          ? [
              "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended",
            ]
          : []),
      ];
    },
  },
  columns: [
    nameColumn,
    {
      name: "Ready",
      type: "string",
      description: "Number of the pod with ready state",
      cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas}`,
    },
    ageColumn,
    containersColumn,
    imagesColumn,
  ],
});
export interface StatefulSet extends ObjectOf<typeof StatefulSet> {}

const changeableFields = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
] as const;
const templatePlace = At.root().child("spec").child("template");
