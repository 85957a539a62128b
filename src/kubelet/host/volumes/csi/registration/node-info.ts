import { Node } from "../../../../../api/core/v1/node/node.ts";
import { StatusError } from "../../../../../api/meta/v1/status-error.ts";
import { CSINode } from "../../../../../api/storage/v1/csi-node.ts";
import { aggregateMessage } from "../../../../../base/aggregate-message.ts";
import { type Clock, sleep } from "../../../../../base/clock.ts";
import { errorMessage } from "../../../../../base/error-message.ts";
import type { Client } from "../../../../../client/client.ts";
import { quote } from "../../../../../schema/values/quote.ts";
import { nodePatch } from "../../../../node/node-patch.ts";
import { keyedLocks } from "../../keyed-locks.ts";
import {
  initialCsiNode,
  isOwnedBy,
  ownerUidOf,
  withCsiDriver,
  withMigratedPlugins,
  withoutCsiDriver,
} from "./csi-node-object.ts";
import { type DriverNodeInfo, withDriver, withoutDriver } from "./node-identity.ts";

/** Writes what drivers say of a node to its Node and CSINode. */
export interface NodeInfo {
  /** Creates the CSINode, which exists even without drivers. */
  initialize(): Promise<void>;
  install(driver: string, info: DriverNodeInfo): Promise<void>;
  /** Writes how many volumes the driver can use now. */
  update(driver: string, info: DriverNodeInfo): Promise<void>;
  uninstall(driver: string): Promise<void>;
}

export interface NodeInfoOptions {
  readonly nodeName: string;
  /** Calls as the node. */
  readonly client: Client;
  readonly clock: Clock;
}

export function createNodeInfo({ nodeName, client, clock }: NodeInfoOptions): NodeInfo {
  const key = { name: nodeName };
  const inTurn = keyedLocks();

  const updateNode = (change: (node: Node) => Node): Promise<void> =>
    severalTimes("error updating node", async () => {
      const before = await client.get(Node, key);
      const after = change(before);
      if (after === before) return;
      const patch = { strategic: nodePatch(before, after) as never };
      await client.patch(Node, key, patch, { subresource: "status" });
    });
  /** The CSINode of this node, which is created if there is none. */
  const ownCsiNode = async (): Promise<CSINode> => {
    const node = await client.get(Node, key);
    const found = await client.get(CSINode, key).catch(unlessNotFound);
    if (!found) return client.create(CSINode, initialCsiNode(node) as never);
    if (isOwnedBy(found, node)) return found;
    await client.delete(CSINode, key);
    throw new Error(
      `CSINode ${quote(nodeName)} was owned by different node (oldNodeID=${quote(ownerUidOf(found))}, newNodeID=${quote(node.metadata.uid ?? "")}), deleted it`,
    );
  };
  const replace = async (before: CSINode, after: CSINode): Promise<void> => {
    if (after !== before) await client.update(CSINode, after);
  };
  const severalTimes = async (what: string, attempt: () => Promise<void>): Promise<void> => {
    const errors: string[] = [];
    for (const wait of waitsMs) {
      try {
        return await inTurn("", attempt);
      } catch (error) {
        errors.push(errorMessage(error));
      }
      if (wait > 0) await sleep(clock, wait);
    }
    const why = aggregateMessage(errors);
    throw new Error(`${what}: timed out waiting for the condition; caused by: ${why}`);
  };
  const updateCsiNode = (driver: string, info: DriverNodeInfo): Promise<void> =>
    severalTimes("error updating CSINode", async () => {
      const found = await ownCsiNode();
      await replace(found, withCsiDriver(found, driver, info));
    }).catch(withContext("error updating CSINode object with CSI driver node info:"));

  return {
    initialize: () =>
      severalTimes("error updating CSINode annotation", async () => {
        const found = await ownCsiNode();
        await replace(found, withMigratedPlugins(found));
      }),
    async install(driver, info) {
      if (info.nodeId === "")
        throw new Error("error adding CSI driver node info: driverNodeID must not be empty");
      await updateNode((node) => withDriver(node, driver, info)).catch(
        withContext("error updating Node object with CSI driver node info:"),
      );
      await updateCsiNode(driver, info);
    },
    update: updateCsiNode,
    async uninstall(driver) {
      await severalTimes("error updating CSINode", async () => {
        const found = await client.get(CSINode, key).catch(unlessNotFound);
        if (found) await replace(found, withoutCsiDriver(found, driver));
      }).catch(withContext("error uninstalling CSI driver from CSINode object"));
      await updateNode((node) => withoutDriver(node, driver)).catch(
        withContext("error removing CSI driver node info from Node object"),
      );
    },
  };
}

/** Conflicts with other writers are retried; the last attempt is not followed by a wait. */
const waitsMs = [10, 50, 250, 0];

function unlessNotFound(error: unknown): undefined {
  if (StatusError.is(error, "NotFound")) return undefined;
  throw error;
}

const withContext =
  (context: string) =>
  (error: unknown): never => {
    throw new Error(`${context} ${errorMessage(error)}`);
  };
