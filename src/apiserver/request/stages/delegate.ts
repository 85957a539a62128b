import type { Entropy } from "../../../base/entropy.ts";
import type { Aggregation } from "../../aggregation/aggregation.ts";
import { groupVersionOf } from "../request-info.ts";
import type { Stage } from "../stage.ts";

/** Proxies requests for APIs that other servers serve. */
export const delegate = ({
  aggregation,
  entropy,
}: {
  readonly aggregation: Pick<Aggregation, "documentOwner" | "find" | "proxy">;
  readonly entropy: Entropy;
}): Stage => ({
  name: "delegate",
  before(state) {
    const { group, version } = groupVersionOf(state.target);
    const api =
      version === ""
        ? aggregation.documentOwner(state.request.path)
        : aggregation.find(group, version);
    if (!api) return undefined;
    const { request, attributes } = state;
    state.auditId ??= request.headers["audit-id"] || entropy.uuid();
    return aggregation.proxy(request, { api, caller: { ...attributes, auditId: state.auditId } });
  },
});
