import { int32, string, value } from "../../../schema/language/field.ts";
import type { Column, Kind } from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, type Struct, struct } from "../../../schema/language/struct.ts";
import {
  formatLabelSelector,
  type LabelSelectorObject,
  labelSelector,
} from "../../../schema/selectors/label-selector.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { validateObjectMeta } from "../../meta/v1/object-meta-validation.ts";
import { typeMeta } from "../../meta/v1/type-meta.ts";
import { unlistedKind } from "../../meta/v1/unlisted-kind.ts";

export const ScaleSpec = struct("io.k8s.api.autoscaling.v1.ScaleSpec", {
  replicas: int32(1).doc("How many pods there should be."),
}).doc("The size that is asked for.");
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

export const ScaleStatus = struct("io.k8s.api.autoscaling.v1.ScaleStatus", {
  replicas: int32(1).always().expected().doc("How many pods there are."),
  selector: string(2).doc("Labels of the pods, as a query."),
}).doc("The size at present.");
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}

export const Scale = struct("io.k8s.api.autoscaling.v1.Scale", {
  ...typeMeta,
  metadata: value(1, ObjectMeta).doc("Name and version of the object that is scaled."),
  spec: value(2, ScaleSpec).doc("The size that is asked for."),
  status: value(3, ScaleStatus).doc("The size at present."),
}).doc("The size of what runs a number of equal pods.");
export interface Scale extends Infer<typeof Scale> {}

interface Scalable {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly replicas?: number | undefined;
    /** Labels alone for a replication controller, which is older than selectors. */
    readonly selector?: LabelSelectorObject | Readonly<Record<string, string>> | null | undefined;
  };
  readonly status: { readonly replicas?: number | undefined };
}

/** The scale of an object that runs a number of equal pods. */
export function scaleOf({ kind, metadata, spec, status }: Scalable): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const { replicas = 0 } = spec;
  const labels =
    kind === "ReplicationController" ? { matchLabels: spec.selector ?? {} } : spec.selector;
  const selector = formatLabelSelector(labelSelector(labels as LabelSelectorObject));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status.replicas ?? 0, ...(selector && { selector }) },
  };
}

/** The rules of a scale that a client writes. */
export function validateScale({ metadata, spec }: Scale, at: At): void {
  validateObjectMeta(metadata, at.child("metadata"), {
    namespaced: true,
    name: nameIsDnsSubdomain,
  });
  if ((spec.replicas ?? 0) < 0)
    at.invalid("spec.replicas", spec.replicas, "must be greater than or equal to 0");
}

const scaleColumns: readonly Column<Scale>[] = [
  nameColumn,
  {
    name: "Desired",
    type: "integer",
    description: "How many pods there should be.",
    cell: ({ spec }) => spec.replicas ?? 0,
  },
  {
    name: "Available",
    type: "integer",
    description: "How many pods there are.",
    cell: ({ status }) => status.replicas,
  },
  ageColumn,
];

/** What the subresource scale is, wherever it is served. */
export const ScaleKind: Kind<Scale> = unlistedKind({
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  struct: Scale as Struct<Scale>,
  columns: scaleColumns,
  validate: validateScale,
});
