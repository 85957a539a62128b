import { list, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { ListMeta } from "./list-meta.ts";
import { ObjectMeta } from "./object-meta.ts";
import { metadataDoc, typeMeta } from "./type-meta.ts";

export const PartialObjectMetadata = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata",
  {
    ...typeMeta,
    metadata: value(1, ObjectMeta).doc(metadataDoc),
  },
).doc("An object of any kind, of which only the metadata is told.");
export interface PartialObjectMetadata extends Infer<typeof PartialObjectMetadata> {}

export const PartialObjectMetadataList = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList",
  {
    ...typeMeta,
    metadata: value(1, ListMeta).doc("The version of the list, and where it continues."),
    items: list(2, PartialObjectMetadata).always().expected().doc("The objects."),
  },
).doc("A list of objects of which only the metadata is told.");
export interface PartialObjectMetadataList extends Infer<typeof PartialObjectMetadataList> {}
