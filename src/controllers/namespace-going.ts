import { StatusError } from "../api/meta/v1/status-error.ts";

/** Whether something cannot be made because its namespace is about to go: then it need not be. */
export const isNamespaceGoing = (error: unknown): boolean =>
  StatusError.is(error) &&
  (error.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
