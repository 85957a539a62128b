import type { Stage } from "../stage.ts";

/** Adds headers with the flow schema and the priority level of the request, if it has any. */
export const flowHeaders: Stage = {
  name: "flow-headers",
  after({ flow }, response) {
    if (!flow) return response;
    const headers = {
      "x-kubernetes-pf-flowschema-uid": flow.schema.uid,
      "x-kubernetes-pf-prioritylevel-uid": flow.level.uid,
    };
    return { ...response, headers: { ...response.headers, ...headers } };
  },
};
