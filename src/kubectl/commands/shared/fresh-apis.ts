import type { ServerApis } from "../../../client/discovery/server-apis.ts";
import type { Factory } from "../../factory/factory.ts";

/** What the server serves now, whatever the cache says. */
export async function freshApis(factory: Pick<Factory, "discovery">): Promise<ServerApis> {
  const discovery = await factory.discovery();
  const apis = await discovery.apis();
  return apis.isFromCache ? discovery.apis({ newerThan: apis }) : apis;
}
