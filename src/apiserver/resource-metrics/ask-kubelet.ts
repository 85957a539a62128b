import type { Node } from "../../api/core/v1/node/node.ts";
import { type Clock, sleep, withDeadline } from "../../base/clock.ts";
import { type Connections, kubeletOf } from "../connect/kubelet-connection.ts";
import { requestTarget } from "../connect/location.ts";
import { type Outbound, roundTrip } from "../connect/outbound.ts";
import { type NodeSample, parseNodeSample, type Summary, withRates } from "./node-sample.ts";

/** Asks the kubelet of a node what the node and its containers use; `before` is the last sample, if there is one. */
export type AskKubelet = (node: Node, before: NodeSample | undefined) => Promise<Samples>;

export interface Samples {
  readonly last: NodeSample;
  readonly before: NodeSample | undefined;
}

/**
 * Asks over the network. Without an earlier sample, the kubelet's own rates are asked for, too; a kubelet that has
 * none, because nobody asked it before, is asked again a second later.
 */
export const askKubelet =
  ({
    connections,
    clock,
  }: {
    readonly connections: Connections;
    readonly clock: Clock;
  }): AskKubelet =>
  (node, before) =>
    withDeadline({ clock, ms: timeoutMs }, async (signal) => {
      const ask = (path: string, query = ""): Promise<string> =>
        get(node, { path, query, outbound: { connections, clock, signal } });
      const sample = async () => parseNodeSample(await ask("/metrics/resource"));
      const last = await sample();
      if (before) return { last, before };
      const summary = JSON.parse(
        await ask("/stats/summary", "only_cpu_and_memory=true"),
      ) as Summary;
      const first = withRates(last, summary);
      const { cpuSeconds = 0, nanoCores = 0 } = first.node ?? {};
      if (nanoCores > 0 || cpuSeconds === 0) return { last: first, before };
      await sleep(clock, againMs, signal);
      return { last: await sample(), before: last };
    });

/** The time for all requests to a kubelet. */
const timeoutMs = 10_000;

/** A shorter time would make the rate coarse. */
const againMs = 1_000;

async function get(
  node: Node,
  { path, query, outbound }: { path: string; query: string; outbound: Outbound },
): Promise<string> {
  const location = { ...kubeletOf(node, outbound.connections.kubelet), path, query };
  const headers = [["Host", location.host]] as const;
  const request = { method: "GET", target: requestTarget(location), headers };
  const { status, body } = await roundTrip(location, request as never, outbound);
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > largest) throw new Error(`the response to ${path} is too large`);
    text += decoder.decode(piece, { stream: true });
  }
  if (status !== 200) throw new Error(`request failed, status: ${status}`);
  return text;
}

/** More than the metrics of a full node take; in bytes. */
const largest = 32 * 2 ** 20;
