import type { Documents } from "../../documents/documents.ts";
import type { ApiResponse } from "../request.ts";
import type { Stage } from "../stage.ts";
import { warningHeaders } from "../warning-headers.ts";

/** Responds to every path that is not a resource's: discovery, OpenAPI, health, metrics. */
export const serveDocuments = ({
  documents,
}: {
  readonly documents: Pick<Documents, "serve">;
}): Stage => ({
  name: "documents",
  before: ({ target, request, warnings }) =>
    target.type === "other"
      ? documents.serve(request).then((response) => warned(response, warnings))
      : undefined,
});

/** Documents know nothing of what callers are warned of when they are authenticated. */
const warned = (response: ApiResponse, warnings: readonly string[]): ApiResponse =>
  warnings.length === 0
    ? response
    : { ...response, headers: { ...response.headers, ...warningHeaders(warnings) } };
