/** The connection preface of HTTP/2. */
const prefaceBytes = 24;
const frameHead = 9;
const headersFrame = 1;
const flags = { padded: 0x08, priority: 0x20 } as const;
/** Node rejects a larger frame anyway. */
const largestFrame = 16_384;
/** The index of `:authority` in HPACK's static table. */
const authorityName = 1;
/** A short value: replacing a longer one never evicts an entry of the dynamic table. */
const replacement = Uint8Array.of(1, 0x5f);

/**
 * Rewrites the `:authority` of the requests that a client sends over HTTP/2.
 *
 * Some clients put a whole URL there, which Node rejects before any handler runs; Go's servers accept
 * anything. Header blocks are only scanned, never decoded:
 *
 *     83 86 45 91 … | 41 8f … | 5f 10 …        41: the name with number 1, and a value that is remembered
 *     :method, :path | :authority | content-type
 */
export class AuthorityFilter {
  /** Bytes to pass through unchanged. */
  #passing = prefaceBytes;
  /** The beginning of an incomplete frame. */
  #waiting: Uint8Array = new Uint8Array(0);

  /** Takes received bytes, and returns the bytes to pass on. */
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

/** The length of a frame's payload; undefined while the frame's head is incomplete. */
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

/** The range of the authority's value with its length; undefined where there is none to replace. */
function authorityValue(block: Uint8Array, start: number): Span | undefined {
  for (let at = start; at < block.length; ) {
    const first = block[at] ?? 0;
    // An indexed field, or an update of the table's size.
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

/** How many bits of its first byte hold a field's index. */
function nameBits(first: number): number {
  if (first & 0x80) return 7;
  if (first & 0x40) return 6;
  return first & 0x20 ? 5 : 4;
}

/** An HPACK integer that begins in the last bits of a byte, and the offset after it. */
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
