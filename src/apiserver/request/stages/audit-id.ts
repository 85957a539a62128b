import type { Entropy } from "../../../base/entropy.ts";
import type { Stage } from "../stage.ts";

/** Adds the header Audit-Id: the client's own, or a new one. */
export const auditId = ({ entropy }: { readonly entropy: Entropy }): Stage => ({
  name: "audit-id",
  after({ request, auditId }, response) {
    const id = auditId ?? (request.headers["audit-id"] || entropy.uuid());
    return { ...response, headers: { ...response.headers, "audit-id": id } };
  },
});
