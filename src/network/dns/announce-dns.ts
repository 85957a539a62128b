import { Node } from "../../api/core/v1/node/node.ts";
import { servesDnsAnnotation } from "../../api/core/v1/node/node-annotations.ts";
import type { Timer } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { NetworkEnvironment } from "../network-part.ts";

export interface AnnounceDnsOptions
  extends Pick<NetworkEnvironment, "nodeName" | "client" | "informers" | "log" | "clock"> {
  /** Resolves when the node can answer for the whole cluster. */
  readonly ready: Promise<void>;
}

/**
 * Says on the node that it serves DNS once it is ready, by which the control plane makes it an endpoint of kube-dns. It
 * does not take that back: whether the node is alive is told by its heartbeats.
 */
export function announceDns(options: AnnounceDnsOptions): { close(): void } {
  const { nodeName: name, client, informers, log, clock } = options;
  const nodes = informers.of(Node, { fieldSelector: `metadata.name=${name}` });
  let isClosed = false;
  let isWriting = false;
  let retry: Timer | undefined;
  const write = async (): Promise<void> => {
    const node = nodes.get({ name });
    if (isClosed || isWriting || !node) return;
    if (node.metadata.annotations?.[servesDnsAnnotation] === "true") return;
    isWriting = true;
    try {
      const metadata = { annotations: { [servesDnsAnnotation]: "true" } };
      await client.patch(Node, { name }, { merge: { metadata } });
    } catch (error) {
      if (isClosed) return;
      log.warn("saying that the node serves DNS failed", { reason: errorMessage(error) });
      retry = clock.setTimer(retryMs, () => void write());
    } finally {
      isWriting = false;
    }
  };
  const start = (): void => {
    if (!isClosed) nodes.addHandler({ added: () => void write(), updated: () => void write() });
  };
  // It ends without being ready only when it is closed.
  options.ready.then(start, () => {});
  return {
    close() {
      isClosed = true;
      retry?.cancel();
      nodes.close();
    },
  };
}

const retryMs = 5000;
