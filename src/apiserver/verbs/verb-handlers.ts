import type { ApiResponse } from "../request/request.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { deleteCollection, deleteOne } from "./delete-handler.ts";
import { getObject, listObjects, watchObjects } from "./read-handler.ts";
import type { Verb } from "./verb.ts";
import { createObject, patchObject, updateObject } from "./write-handler.ts";

export type VerbHandler = (request: ResourceRequest) => Promise<ApiResponse>;

/** The handler of every verb but `connect`, which needs a network. */
export const verbHandlers: Readonly<Record<Exclude<Verb, "connect">, VerbHandler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteOne,
  deletecollection: deleteCollection,
};
