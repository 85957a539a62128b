import type { RegisteredApis } from "../../documents/registered-apis.ts";
import type { RequestTarget } from "../request-info.ts";
import { textResponse } from "../respond.ts";
import type { Stage } from "../stage.ts";

/** Where requests to aggregated servers leave; none can be reached yet. */
export const delegate = ({
  registered,
}: {
  readonly registered: Pick<RegisteredApis, "isRemote">;
}): Stage => ({
  name: "delegate",
  before({ target }) {
    const { group, version } = groupVersionOf(target);
    if (version === "" || !registered.isRemote(group, version)) return undefined;
    return textResponse(503, "service unavailable\n");
  },
});

function groupVersionOf(target: RequestTarget): {
  readonly group: string;
  readonly version: string;
} {
  if (target.type === "resource") return target.resource;
  const [, root, group = "", version = ""] = target.path.split("/");
  return root === "apis" ? { group, version } : { group: "", version: "" };
}
