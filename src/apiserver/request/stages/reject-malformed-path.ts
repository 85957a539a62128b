import { textResponse } from "../respond.ts";
import type { Stage } from "../stage.ts";

/** Rejects paths that cannot be decoded, so that later stages need not consider them. */
export const rejectMalformedPath: Stage = {
  name: "path",
  before: ({ isMalformed }) => (isMalformed ? textResponse(400, "400 Bad Request") : undefined),
};
