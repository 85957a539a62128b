import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { onAbort } from "../../../base/on-abort.ts";
import { decodeMessage } from "../message/decode-message.ts";
import type { DnsMessage } from "../message/dns-message.ts";
import { foldCase } from "../message/dns-name.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { frameOf, MessageFrames } from "../message/message-frames.ts";

/** Where a name server listens. */
export interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

/**
 * Sends a query to a name server, and resolves with the response; over TCP where one is too long for UDP. Each query
 * has a socket of its own: the system chooses its port at random, and takes packets of that server only.
 */
export async function exchangeMessage(
  query: DnsMessage,
  server: ServerAddress,
  signal: AbortSignal,
): Promise<DnsMessage> {
  const response = await overUdp(query, server, signal);
  return response.isTruncated ? overTcp(query, server, signal) : response;
}

function overUdp(
  query: DnsMessage,
  { address, port }: ServerAddress,
  signal: AbortSignal,
): Promise<DnsMessage> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
    let isOver = false;
    const end = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      unfollow();
      socket.close();
      settle();
    };
    const unfollow = onAbort(signal, () => end(() => reject(signal.reason)));
    socket.on("error", (cause) =>
      end(() => reject(new Error("a name server cannot be reached", { cause }))),
    );
    socket.on("message", (bytes) => {
      const response = decodeMessage(bytes);
      // Others can only guess: whatever does not fit is not the response.
      if (response && isResponseTo(query, response)) end(() => resolve(response));
    });
    socket.connect(port, address, () => {
      if (isOver) return;
      socket.send(encodeMessage(query), (cause) => {
        if (cause) end(() => reject(new Error("a name server cannot be reached", { cause })));
      });
    });
  });
}

function overTcp(
  query: DnsMessage,
  { address, port }: ServerAddress,
  signal: AbortSignal,
): Promise<DnsMessage> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: address });
    const frames = new MessageFrames();
    const end = (settle: () => void): void => {
      unfollow();
      socket.destroy();
      settle();
    };
    const unfollow = onAbort(signal, () => end(() => reject(signal.reason)));
    const fail = (cause?: unknown): void =>
      end(() => reject(new Error("a name server ended the connection", { cause })));
    socket.on("error", fail).on("close", () => fail());
    socket.on("data", (bytes) => {
      for (const frame of frames.push(bytes)) {
        const response = decodeMessage(frame);
        if (!response || !isResponseTo(query, response)) return fail();
        return end(() => resolve(response));
      }
    });
    socket.end(frameOf(encodeMessage(query)));
  });
}

function isResponseTo({ id, questions: [asked] }: DnsMessage, response: DnsMessage): boolean {
  const [question] = response.questions;
  if (response.id !== id || !response.isResponse || response.questions.length > 1) return false;
  // A server that could not read the query may leave the question out.
  if (!question || !asked) return response.code !== 0 && response.answers.length === 0;
  return (
    foldCase(question.name) === foldCase(asked.name) &&
    question.type === asked.type &&
    question.class === asked.class
  );
}
