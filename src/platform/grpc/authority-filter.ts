/** What a client sends first. */
const prefaceBytes = 24;
const frameHead = 9;
const headersFrame = 1;
const flags = { padded: 0x08, priority: 0x20 } as const;
/** A larger frame is refused anyway. */
const largestFrame = 16_384;
/** `:authority` among the names that every peer knows. */
const authorityName = 1;
/** No longer than any: what a peer may refer to later is then still known. */
const replacement = Uint8Array.of(1, 0x5f);

/**
 * What a client sends over HTTP/2, with another value wherever it names the `:authority`.
 *
 * Some clients put a whole URL there, which Node refuses before anybody can look at it; servers in Go
 * take anything. The bytes of a block of headers are only walked over, never decoded:
 *
 *     83 86 45 91 … | 41 8f … | 5f 10 …        41: the name with number 1, and a value that is remembered
 *     :method, :path | :authority | content-type
 */
export class AuthorityFilter {
  /** Bytes to be passed on as they are. */
  #passing = prefaceBytes;
  /** The beginning of a frame that is not here as a whole. */
  #waiting: Uint8Array = new Uint8Array(0);

  /** Takes what was received, and gives what to hand on. */
  add(received: Uint8Array): Uint8Array[] {
    const out: Uint8Array[] = [];
    let bytes = this.#waiting.length === 0 ? received : Buffer.concat([this.#waiting, received]);
    this.#waiting = bytes.subarray(0, 0);
    while (bytes.length > 0) {
      if (this.#passing > 0) {
        const part = bytes.subarray(0, this.#passing);
        out.push(part);
        this.#passing -= part.length;
        bytes = bytes.subarray(part.length);
        continue;
      }
      const size = frameSize(bytes);
      if (size !== undefined && (bytes[3] !== headersFrame || size > largestFrame)) {
        this.#passing = frameHead + size;
        continue;
      }
      if (size === undefined || bytes.length < frameHead + size) {
        this.#waiting = bytes;
        break;
      }
      out.push(...withoutAuthority(bytes.subarray(0, frameHead + size)));
      bytes = bytes.subarray(frameHead + size);
    }
    return out;
  }
}

/** How long what follows the head of a frame is; undefined where the head is not here as a whole. */
function frameSize(bytes: Uint8Array): number | undefined {
  if (bytes.length < frameHead) return undefined;
  const [high = 0, middle = 0, low = 0] = bytes;
  return (high << 16) | (middle << 8) | low;
}

/** A frame of headers with the value of its authority replaced, if it has one. */
function withoutAuthority(frame: Uint8Array): Uint8Array[] {
  const set = frame[4] ?? 0;
  const padding = set & flags.padded ? 1 + (frame[frameHead] ?? 0) : 0;
  const start = frameHead + (padding > 0 ? 1 : 0) + (set & flags.priority ? 5 : 0);
  const end = frame.length - Math.max(0, padding - 1);
  const value = authorityValue(frame.subarray(0, end), start);
  if (!value) return [frame];
  const size = frame.length - frameHead - (value.end - value.start) + replacement.length;
  const head = Uint8Array.from(frame.subarray(0, value.start));
  head.set([size >> 16, (size >> 8) & 0xff, size & 0xff]);
  return [head, replacement, frame.subarray(value.end)];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the authority's value stands, its length included; undefined where there is none to replace. */
function authorityValue(block: Uint8Array, start: number): Span | undefined {
  for (let at = start; at < block.length; ) {
    const first = block[at] ?? 0;
    // One that both sides know, or another size for what is remembered.
    const isWhole = first >= 0x80 || (first & 0xe0) === 0x20;
    const name = integer(block, at, nameBits(first));
    if (!name) return undefined;
    at = name.end;
    if (isWhole) continue;
    if (name.value === 0) {
      const text = integer(block, at, 7);
      if (!text) return undefined;
      at = text.end + text.value;
    }
    const value = integer(block, at, 7);
    if (!value || value.end + value.value > block.length) return undefined;
    const end = value.end + value.value;
    if (name.value === authorityName) return value.value === 0 ? undefined : { start: at, end };
    at = end;
  }
  return undefined;
}

/** In how many bits of its first byte a field's number begins. */
function nameBits(first: number): number {
  if (first & 0x80) return 7;
  if (first & 0x40) return 6;
  return first & 0x20 ? 5 : 4;
}

/** A number that begins in the last bits of a byte, and where it ends. */
function integer(
  bytes: Uint8Array,
  start: number,
  bits: number,
): { readonly value: number; readonly end: number } | undefined {
  const most = 2 ** bits - 1;
  let value = (bytes[start] ?? 0) & most;
  let at = start + 1;
  if (value < most) return at <= bytes.length ? { value, end: at } : undefined;
  for (let scale = 1; at < bytes.length && scale < 2 ** 28; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at };
  }
  return undefined;
}
