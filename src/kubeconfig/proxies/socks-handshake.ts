import { isIP, type Socket } from "node:net";
import { type DialTarget, hostPort } from "../../base/network.ts";
import { hostOf, portOf } from "./proxy-choice.ts";

/** Requests a connection to a target from a SOCKS5 proxy (RFC 1928, 1929), which resolves host names. */
export async function socksHandshake(
  socket: Socket,
  proxy: URL,
  { host, port }: DialTarget,
): Promise<void> {
  const read = exactReader(socket);
  const way = `socks connect tcp ${hostPort(hostOf(proxy), portOf(proxy))}->${hostPort(host, port)}`;
  try {
    await chooseMethod(socket, proxy, read);
    socket.write(Buffer.concat([Buffer.of(5, 1, 0), addressBytes(host), portBytes(port)]));
    const [version, reply = 1, , type] = await read(4);
    if (version !== 5) throw new Error(`unexpected protocol version ${version}`);
    if (reply !== 0) throw new Error(`unknown error ${replies[reply] ?? `unknown code: ${reply}`}`);
    const length = type === 1 ? 4 : type === 4 ? 16 : ((await read(1))[0] ?? 0);
    await read(length + 2);
  } catch (cause) {
    throw new Error(`${way}: ${(cause as Error).message}`, { cause });
  } finally {
    read.stop();
  }
}

const none = 0;
const byPassword = 2;

async function chooseMethod(
  socket: Socket,
  { username, password }: URL,
  read: ExactReader,
): Promise<void> {
  const methods = username === "" ? [none] : [none, byPassword];
  socket.write(Buffer.of(5, methods.length, ...methods));
  const [version, method = 0xff] = await read(2);
  if (version !== 5) throw new Error(`unexpected protocol version ${version}`);
  if (method === 0xff) throw new Error("no acceptable authentication methods");
  if (method === none) return;
  if (method !== byPassword || username === "")
    throw new Error(`unsupported authentication method ${method}`);
  const user = Buffer.from(decodeURIComponent(username));
  const secret = Buffer.from(decodeURIComponent(password));
  if (user.length > 255 || secret.length === 0 || secret.length > 255)
    throw new Error("invalid username/password");
  socket.write(Buffer.concat([Buffer.of(1, user.length), user, Buffer.of(secret.length), secret]));
  const [, status] = await read(2);
  if (status !== 0) throw new Error("username/password authentication failed");
}

function addressBytes(host: string): Uint8Array {
  if (isIP(host) === 4) return Buffer.of(1, ...host.split(".").map(Number));
  if (isIP(host) === 6) return Buffer.of(4, ...ipv6Bytes(host));
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error("FQDN too long");
  return Buffer.concat([Buffer.of(3, name.length), name]);
}

const portBytes = (port: number): Uint8Array => Buffer.of(port >> 8, port & 0xff);

function ipv6Bytes(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").flatMap((group) => groupBytes(group));
  const first = groups(head);
  const last = groups(tail ?? "");
  return [...first, ...new Array<number>(16 - first.length - last.length).fill(0), ...last];
}

function groupBytes(group: string): number[] {
  if (group.includes(".")) return group.split(".").map(Number);
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

const replies: Readonly<Record<number, string>> = {
  1: "general SOCKS server failure",
  2: "connection not allowed by ruleset",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

interface ExactReader {
  (count: number): Promise<Uint8Array>;
  /** Releases the socket. */
  stop(): void;
}

/** Reads exactly so many bytes. */
function exactReader(socket: Socket): ExactReader {
  let failure: Error | undefined;
  let wake = (): void => {};
  const look = (): void => wake();
  const fail = (error: Error): void => {
    failure ??= error;
    wake();
  };
  const closed = (): void => fail(new Error("unexpected EOF"));
  socket.on("readable", look).on("error", fail).on("end", closed).on("close", closed);
  const read = async (count: number): Promise<Uint8Array> => {
    for (;;) {
      const bytes = socket.read(count) as Uint8Array | null;
      if (bytes !== null && bytes.length === count) return bytes;
      if (failure) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const stop = (): void => {
    socket.off("readable", look).off("error", fail).off("end", closed).off("close", closed);
  };
  return Object.assign(read, { stop });
}
