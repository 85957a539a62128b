import type { Draft, Struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { StandardStrategy } from "../../meta/v1/standard-strategy.ts";

interface WithMetadata {
  readonly metadata: ObjectMeta;
}
/** An object of which only the spec counts. */
export interface Registered<S> extends WithMetadata {
  readonly spec: S;
}

/** What all kinds of the group have in common. Updates ask of the metadata what creation asks. */
export const registration = {
  group: "admissionregistration.k8s.io",
  scope: "Cluster",
  categories: ["api-extensions"],
  name: nameIsDnsSubdomain,
  anyFinalizer: true,
  metadataUpdateRules: false,
} as const;

const staticSuffix = ".static.k8s.io";

/** Names that belong to configurations which the server reads from files are not refused yet. */
export const nameWarnings = ({ metadata }: WithMetadata): readonly string[] =>
  metadata.name?.endsWith(staticSuffix)
    ? [
        `metadata.name: names ending with ${quote(staticSuffix)} are reserved for static manifest-based configurations and cannot be managed via the API`,
      ]
    : [];

/** How an object of which only the spec counts is created and changed. */
export const specStrategy = <S>(struct: Struct<S>): StandardStrategy<Draft<Registered<S>>> => ({
  conditionalUpdateOnly: true,
  generation: { spec: struct },
  warnings: nameWarnings,
});

/** The same object in another version of the group, where the two differ in nothing else. */
export const inVersion = (version: string) => (object: object) => ({
  ...object,
  apiVersion: `${registration.group}/${version}`,
});
