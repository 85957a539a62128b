import type { ServerApis } from "../../../client/discovery/server-apis.ts";
import type { Factory } from "../../factory/factory.ts";

/** What the server serves now, whatever the cache says. */
export async function freshApis(
  factory: Pick<Factory, "discovery" | "logUnreachable">,
): Promise<ServerApis> {
  const discovery = await factory.discovery();
  try {
    const apis = await discovery.apis();
    return apis.isFromCache ? await discovery.apis({ newerThan: apis }) : apis;
  } catch (error) {
    factory.logUnreachable(error, 1);
    throw error;
  }
}
