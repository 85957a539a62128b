import { countedResponse } from "../../metrics/counted-response.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { Stage } from "../stage.ts";

/** Counts requests by their outcome; a stream is counted when it ends. */
export const countRequests = ({ metrics }: { readonly metrics: ServerMetrics }): Stage => ({
  name: "metrics",
  after: (state, response) => countedResponse(response, { metrics, state }),
});
