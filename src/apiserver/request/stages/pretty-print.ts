import { prettyResponse, wantsPretty } from "../pretty.ts";
import type { Stage } from "../stage.ts";

/** Indents JSON for clients that ask for it, and for curl and browsers. */
export const prettyPrint: Stage = {
  name: "pretty-print",
  after: ({ request }, response) => (wantsPretty(request) ? prettyResponse(response) : response),
};
