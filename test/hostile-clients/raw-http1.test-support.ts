import { connect, type TLSSocket } from "node:tls";
import type { KeyPair } from "../../src/platform/pki/pki.ts";

export interface RawTarget {
  readonly port: number;
  readonly ca: string;
  readonly identity?: KeyPair;
}

/** Opens a TLS connection that speaks what it is told. */
export function rawSocket(
  { port, ca, identity }: RawTarget,
  protocol: "http/1.1" | "h2",
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, ca, ALPNProtocols: [protocol], ...identity };
    const socket: TLSSocket = connect(options, () => resolve(socket));
    socket.on("error", reject);
  });
}

/**
 * Sends bytes as HTTP/1.1 and gives what comes of them, until the server closes or has answered as
 * often as is waited for: the status of each answer and what it says, or `closed`.
 */
export async function rawHttp1(
  target: RawTarget,
  parts: readonly (string | Uint8Array)[],
  { answers = 1, hangUp = false }: { readonly answers?: number; readonly hangUp?: boolean } = {},
): Promise<string> {
  const socket = await rawSocket(target, "http/1.1");
  return new Promise((resolve) => {
    let text = "";
    const finish = (): void => {
      const seen = answersIn(text);
      socket.destroy();
      resolve(seen.length === 0 ? "closed" : seen.join(" | "));
    };
    socket.removeAllListeners("error").on("error", () => {});
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (answersIn(text).length >= answers) finish();
    });
    socket.on("close", finish);
    for (const part of parts) socket.write(part);
    if (hangUp) socket.end();
  });
}

/** Whole answers, as `STATUS reason: message` or `STATUS text`. */
function answersIn(text: string): string[] {
  const answers: string[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    const [, status = ""] = /^HTTP\/1\.[01] (\d+)/.exec(rest) ?? [];
    if (end < 0 || status === "") return answers;
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(rest.slice(0, end + 2)) ?? [];
    const from = end + 4;
    const to = length === undefined ? rest.length : from + Number(length);
    if (rest.length < to) return answers;
    if (status !== "100") answers.push(`${status} ${said(rest.slice(from, to))}`.trim());
    rest = rest.slice(to);
  }
}

/** What a body says: reason and message of a Status, or its text. */
export function said(text: string): string {
  try {
    const { kind, reason, message } = JSON.parse(text) as Record<string, string>;
    return kind === "Status" ? `${reason ?? ""}: ${message}` : text;
  } catch {
    return text.trim();
  }
}
