import { writeFile } from "node:fs/promises";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { linkExists } from "./connect-pod.ts";

/**
 * Has pods that a former version has connected with a bridge reach those that have a route, and removes the bridge
 * once there are none.
 */
export async function endBridge(log: Log): Promise<void> {
  if (!linkExists(bridge)) return;
  try {
    const ports = await mustRun("ip", ["-json", "link", "show", "master", bridge]);
    if ((JSON.parse(ports || "[]") as readonly object[]).some((row) => "ifname" in row)) {
      // To these pods, all others of the node seem to be on the bridge: the node replies for them.
      await writeFile(`/proc/sys/net/ipv4/conf/${bridge}/proxy_arp`, "1");
      return;
    }
    await mustRun("ip", ["link", "delete", "dev", bridge, "type", "bridge"]);
    await runChild("nft", ["delete", "table", "ip", `wherry-pods-${bridge}`]);
  } catch (error) {
    log.warn("the bridge of a former version stays", { problem: errorMessage(error) });
  }
}

const bridge = "cni0";
