import { quote } from "../../../schema/values/quote.ts";

/** The parts of a response that probes and hooks look at. */
export interface HttpResponseHead {
  readonly status: number;
  /** Where the server redirects to; empty if it does not. */
  readonly location: string;
}

/** Reads one response of HTTP/1.1 from the bytes of a connection. */
export class HttpResponseReader {
  /** The head of the response, once it is complete. */
  head: HttpResponseHead | undefined;
  /** Bytes that are not read yet. */
  #rest: Buffer = nothing;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  readonly #most: number;
  /** How the body ends: after so many bytes, with the last chunk, or with the connection. */
  #framing: "counted" | "chunked" | "closed" = "closed";
  /** The bytes that are left of the body or of its current chunk. */
  #left = 0;
  #isInChunk = false;
  #isOver = false;

  /** Keeps so many bytes of the body, and does not read more. */
  constructor(mostBodyBytes: number) {
    this.#most = mostBodyBytes;
  }

  get body(): Buffer {
    return this.#kept.length === 1 ? (this.#kept[0] ?? nothing) : Buffer.concat(this.#kept);
  }

  /** Takes the next bytes; returns whether the response is complete. Throws if it is malformed. */
  push(bytes: Buffer): boolean {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.head && !this.#readHead(false)) return false;
    return this.#readBody();
  }

  /** The connection has ended; throws if the response is not complete. */
  end(): void {
    if (!this.head && this.#rest.length === 0) throw new Error("EOF");
    if (!this.head) this.#readHead(true);
    if (!this.#isOver && this.#framing !== "closed") throw new Error("unexpected EOF");
  }

  #readHead(isLast: boolean): boolean {
    for (;;) {
      const end = endOfHead(this.#rest);
      if (end === undefined && this.#rest.length > mostHeadBytes)
        throw new Error(
          `net/http: server response headers exceeded ${mostHeadBytes} bytes; aborted`,
        );
      if (end === undefined && !isLast && !this.#rest.includes("\n")) return false;
      const status = statusOf(firstLine(this.#rest));
      if (end === undefined) {
        if (isLast) throw broken("unexpected EOF");
        return false;
      }
      const lines = this.#rest.toString("latin1", 0, end).split("\n").slice(1);
      this.#rest = this.#rest.subarray(end);
      const headers = headersOf(lines);
      // Interim responses are followed by the real one.
      if (status >= 100 && status < 200 && status !== 101) continue;
      this.head = { status, location: headers.get("location")?.[0] ?? "" };
      this.#expectBody(status, headers);
      return true;
    }
  }

  #expectBody(status: number, headers: ReadonlyMap<string, readonly string[]>): void {
    this.#framing = "counted";
    if (status < 200 || status === 204 || status === 304) return;
    const [encoding] = headers.get("transfer-encoding") ?? [];
    if (encoding !== undefined) {
      if (encoding.toLowerCase() !== "chunked")
        throw broken(`unsupported transfer encoding: ${quote(encoding)}`);
      this.#framing = "chunked";
      return;
    }
    const [length, ...others] = headers.get("content-length") ?? [];
    if (length === undefined) this.#framing = "closed";
    else if (!/^[0-9]+$/.test(length) || others.some((other) => other !== length))
      throw broken(`bad Content-Length ${quote(length)}`);
    else this.#left = Number(length);
  }

  #readBody(): boolean {
    while (!this.#isOver) {
      if (this.#framing === "closed") this.#keep(this.#rest.length);
      else if (this.#framing === "counted") this.#isOver = this.#keep(this.#left);
      else if (!this.#readChunk()) return this.#isOver;
      if (this.#keptBytes >= this.#most) this.#isOver = true;
      if (this.#rest.length === 0) break;
    }
    return this.#isOver;
  }

  /** Reads from the current chunk or the line before it; returns whether there may be more to read. */
  #readChunk(): boolean {
    if (this.#isInChunk) {
      if (this.#keep(this.#left)) this.#isInChunk = false;
      return true;
    }
    const end = this.#rest.indexOf("\n");
    if (end < 0) {
      if (this.#rest.length > mostLineBytes) throw new Error("header line too long");
      return false;
    }
    const line = this.#rest.toString("latin1", 0, end).trim();
    this.#rest = this.#rest.subarray(end + 1);
    // The line break after a chunk.
    if (line === "") return true;
    const [digits = ""] = line.split(";");
    if (!/^[0-9a-f]{1,12}$/i.test(digits)) throw new Error("invalid byte in chunk length");
    this.#left = Number.parseInt(digits, 16);
    this.#isInChunk = this.#left > 0;
    this.#isOver = this.#left === 0;
    return !this.#isOver;
  }

  /** Takes at most so many bytes of the body; returns whether none of them is missing. */
  #keep(count: number): boolean {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(taken.length);
    const kept = taken.subarray(0, this.#most - this.#keptBytes);
    if (kept.length > 0) this.#kept.push(kept);
    this.#keptBytes += kept.length;
    this.#left = count - taken.length;
    return this.#left === 0;
  }
}

const nothing = Buffer.alloc(0);
const mostLineBytes = 4096;
/** Go's limit is larger; nobody needs that much. */
const mostHeadBytes = 1024 * 1024;

/** Errors after the first byte of a response are wrapped by Go. */
const broken = (why: string): Error =>
  new Error(`net/http: HTTP/1.x transport connection broken: ${why}`);

/** The index after the empty line that ends the head; undefined if that has not come. */
function endOfHead(bytes: Buffer): number | undefined {
  const usual = bytes.indexOf("\r\n\r\n");
  if (usual >= 0) return usual + 4;
  const bare = /\n\r?\n/.exec(bytes.toString("latin1", 0, mostHeadBytes));
  return bare ? bare.index + bare[0].length : undefined;
}

function firstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\n");
  const line = end < 0 ? bytes : bytes.subarray(0, end);
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

function statusOf(line: Buffer): number {
  const text = line.toString("latin1");
  const space = text.indexOf(" ");
  if (space < 0) throw broken(`malformed HTTP response ${quoteRaw(line)}`);
  const version = text.slice(0, space);
  const code =
    text
      .slice(space + 1)
      .trimStart()
      .split(" ")[0] ?? "";
  if (!/^[0-9]{3}$/.test(code))
    throw broken(`malformed HTTP status code ${quoteRaw(Buffer.from(code, "latin1"))}`);
  if (!/^HTTP\/[0-9]\.[0-9]$/.test(version))
    throw broken(`malformed HTTP version ${quoteRaw(Buffer.from(version, "latin1"))}`);
  return Number(code);
}

/** The values of headers by their names in lower case. */
function headersOf(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const raw of lines) {
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (line === "") continue;
    if (/^[ \t]/.test(line)) {
      if (last) last[last.length - 1] += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(":");
    if (colon < 0) throw broken(`malformed MIME header: missing colon: ${quote(line)}`);
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~ -]+$/.test(line.slice(0, colon)))
      throw broken(`malformed MIME header line: ${quote(line)}`);
    const name = line.slice(0, colon).toLowerCase();
    last = headers.get(name) ?? [];
    last.push(line.slice(colon + 1).trim());
    headers.set(name, last);
  }
  return headers;
}

/** Quotes bytes as Go's `%q` does; what is not UTF-8 is shown byte by byte. */
function quoteRaw(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes("\ufffd")) return quote(text);
  const parts = Array.from(bytes, (byte) =>
    byte < 0x80 ? quote(String.fromCharCode(byte)).slice(1, -1) : `\\x${byte.toString(16)}`,
  );
  return `"${parts.join("")}"`;
}
