import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ResourceKind } from "../../client/resource-kind.ts";
import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import type { CelRule, Properties } from "./property.ts";

/** A column of the tables that `kubectl get` prints, beside the name; the age is the last one. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly jsonPath: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean | undefined;
}

/** Where the number is that objects are scaled by: JSON paths such as `.spec.replicas`. */
export interface ScaleDefinition {
  readonly replicas: string;
  readonly currentReplicas: string;
  readonly selector?: string | undefined;
}

/** The webhook that converts objects between versions. */
export interface ConversionWebhook {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        readonly port?: number | undefined;
      }
    | undefined;
  /** Certificates, as base64 of PEM. */
  readonly caBundle?: string | undefined;
  /** The versions of reviews that it understands; `v1` if not given. */
  readonly reviewVersions?: readonly string[] | undefined;
}

export interface KindDefinition<P extends Properties> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** The kind in lower case if not given. */
  readonly singular?: string | undefined;
  /** The kind and `List` if not given. */
  readonly listKind?: string | undefined;
  readonly scope: "Namespaced" | "Cluster";
  readonly shortNames?: readonly string[] | undefined;
  /** Such as `all`, which `kubectl get all` lists. */
  readonly categories?: readonly string[] | undefined;
  /** What it is, in a sentence: what `kubectl explain` shows. */
  readonly doc?: string | undefined;
  /** The members beside apiVersion, kind and metadata: mostly `spec` and `status`. */
  readonly fields: P;
  /** Rules of the object as a whole. */
  readonly rules?: readonly CelRule[] | undefined;
  readonly columns?: readonly ColumnDefinition[] | undefined;
  /** Whether the status is written through its subresource only; true for kinds that have a status. */
  readonly statusSubresource?: boolean | undefined;
  /** For `kubectl scale` and autoscalers. */
  readonly scale?: ScaleDefinition | undefined;
  /** JSON paths, such as `.spec.color`, by which `--field-selector` selects objects. */
  readonly selectableFields?: readonly string[] | undefined;
  /** Whether the version is served; true if not given. */
  readonly served?: boolean | undefined;
  /** Whether clients of the version are warned, and of what. */
  readonly deprecated?: boolean | string | undefined;
  /** The other versions, which are kinds of their own. Objects are stored in this one. */
  readonly otherVersions?: readonly CustomKind[] | undefined;
  /** Converts objects between versions; without it, only their apiVersion changes. */
  readonly conversion?: ConversionWebhook | undefined;
  /** The metadata of the manifest. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A CustomResourceDefinition, as a client writes it. */
export type Definition = NonNullable<(typeof CustomResourceDefinition)["$input"]>;

/** A custom kind: a client and informers take it as any kind of `wherry/api`. */
export interface CustomKind<O = unknown, I = unknown> extends ResourceKind<O, I> {
  /** The schema of its objects, which is that of its version in the manifest. */
  readonly schema: JsonSchema;
  /** Its manifest: all versions that it has. */
  readonly definition: Definition;
}
