import { StatusError } from "../api/meta/v1/status-error.ts";

/** Whether a creation failed because the namespace is being deleted: then it is not needed either. */
export const isNamespaceGoing = (error: unknown): boolean =>
  StatusError.is(error) &&
  (error.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
