import type { Documents } from "../../documents/documents.ts";
import type { Stage } from "../stage.ts";

/** Responds to every path that is not a resource's: discovery, OpenAPI, health, metrics. */
export const serveDocuments = ({
  documents,
}: {
  readonly documents: Pick<Documents, "serve">;
}): Stage => ({
  name: "documents",
  before: ({ target, request }) => (target.type === "other" ? documents.serve(request) : undefined),
});
