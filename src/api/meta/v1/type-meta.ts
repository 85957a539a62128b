import { string } from "../../../schema/language/field.ts";

/**
 * The two fields that every object begins with; protobuf has them in its envelope instead. The conformance
 * tests look for the first words of `apiVersion`, `metadata` and `creationTimestamp` in `kubectl explain`.
 */
export const typeMeta = {
  kind: string(0).doc("The kind of the object."),
  apiVersion: string(0).doc(
    "APIVersion defines in which version of the API the object is written.",
  ),
};

/** What is said of the metadata of every object. */
export const metadataDoc = "Standard object's metadata: name, labels, owners and versions.";
