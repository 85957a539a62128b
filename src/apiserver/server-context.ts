import type { RequestContext } from "./objects/request-context.ts";

/** What the server writes by itself, it writes as this. */
export const serverContext = (fieldManager = "kube-apiserver"): RequestContext => ({
  user: { name: "system:apiserver", groups: ["system:masters"] },
  dryRun: false,
  fieldManager,
  warnings: [],
});
