import { string } from "../../../schema/field.ts";

/** The two fields that every object begins with; protobuf has them in its envelope instead. */
export const typeMeta = {
  kind: string(0).doc("The kind of the object."),
  apiVersion: string(0).doc("The version of the API in which the object is written."),
};
