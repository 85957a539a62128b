import { type RawTarget, rawSocket } from "./raw-http1.test-support.ts";

/** Types of frames, by their names in RFC 9113. */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const endStream = 1;
export const endHeaders = 4;
export const ack = 1;
export const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export interface FrameOptions {
  readonly flags?: number;
  readonly stream?: number;
  /** What the frame says of its length, if that is not so. */
  readonly length?: number;
}

export function frame(
  type: keyof typeof frameTypes | number,
  payload: Uint8Array = Buffer.alloc(0),
  { flags = 0, stream = 0, length = payload.length }: FrameOptions = {},
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = typeof type === "number" ? type : frameTypes[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A block of headers, each written out. */
export const block = (headers: readonly (readonly [name: string, value: string])[]): Buffer =>
  Buffer.concat(headers.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length, 7), bytes]);
}

/** An integer in HPACK's form, its first byte having this many bits for it. */
export function integer(value: number, bits: number): Buffer {
  const limit = 2 ** bits - 1;
  if (value < limit) return Buffer.of(value);
  const bytes = [limit];
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/**
 * Sends bytes as HTTP/2 and gives the first thing that comes of them: `answered STATUS`, `reset CODE`,
 * `goaway CODE` or `closed`.
 */
export async function rawHttp2(target: RawTarget, bytes: Uint8Array): Promise<string> {
  const socket = await rawSocket(target, "h2");
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const finish = (outcome: string): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.removeAllListeners("error").on("error", () => {});
    socket.on("close", () => finish(outcomeIn(received) ?? "closed"));
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const outcome = outcomeIn(received);
      if (outcome !== undefined) finish(outcome);
    });
    socket.write(bytes);
  });
}

function outcomeIn(received: Buffer): string | undefined {
  for (let at = 0; at + 9 <= received.length; ) {
    const end = at + 9 + received.readUIntBE(at, 3);
    if (end > received.length) return undefined;
    const payload = received.subarray(at + 9, end);
    const type = received[at + 3];
    if (type === frameTypes.headers) return `answered ${statusIn(payload)}`;
    if (type === frameTypes.reset) return `reset ${codes[payload.readUInt32BE(0)]}`;
    if (type === frameTypes.goAway) return `goaway ${codes[payload.readUInt32BE(4)]}`;
    at = end;
  }
  return undefined;
}

const codes = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** The status comes first: one of seven that have a number, or its digits in Huffman's code. */
function statusIn(payload: Buffer): number {
  const first = payload[0] ?? 0;
  const known = [200, 204, 206, 304, 400, 404, 500][first - 0x88];
  if (known !== undefined) return known;
  const length = (payload[1] ?? 0) & 0x7f;
  if (((payload[1] ?? 0) & 0x80) === 0) return Number(payload.toString("latin1", 2, 2 + length));
  const bits = [...payload.subarray(2, 2 + length)]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  let status = "";
  for (let at = 0; status.length < 3; ) {
    const short = Number.parseInt(bits.slice(at, at + 5), 2);
    if (short <= 2) {
      status += short;
      at += 5;
    } else {
      status += Number.parseInt(bits.slice(at, at + 6), 2) - 0x19 + 3;
      at += 6;
    }
  }
  return Number(status);
}
