/** One element of DER: its first tag byte, its content, and all of its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Reads the single element that fills the bytes. */
export function readDer(bytes: Uint8Array): DerElement {
  const element = elementAt(bytes, 0);
  if (element.bytes.length !== bytes.length) throw new DerError("bytes follow the element");
  return element;
}

/** Reads the elements that a constructed element is made of. */
export function readChildren(parent: DerElement): DerElement[] {
  if ((parent.tag & 0x20) === 0) throw new DerError("the element has no parts");
  const children: DerElement[] = [];
  for (let offset = 0; offset < parent.content.length; ) {
    const child = elementAt(parent.content, offset);
    children.push(child);
    offset += child.bytes.length;
  }
  return children;
}

/** An OBJECT IDENTIFIER in dotted form. */
export function readOid(element: DerElement): string {
  if (element.tag !== 0x06) throw new DerError("the element is no object identifier");
  const numbers: number[] = [];
  let value = 0;
  for (const byte of element.content) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [head = 0, ...rest] = numbers;
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join(".");
}

/** The text of any of ASN.1's string types, undefined for an element that is not one. */
export function readText(element: DerElement): string | undefined {
  switch (element.tag) {
    case utf8StringTag:
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(element.content);
    case bmpStringTag:
      return new TextDecoder("utf-16be", { ignoreBOM: true }).decode(element.content);
    case numericStringTag:
    case printableStringTag:
    case t61StringTag:
    case ia5StringTag:
      return Buffer.from(element.content).toString("latin1");
    default:
      return undefined;
  }
}

/** Bytes that are not the DER they should be. */
export class DerError extends Error {
  override readonly name = "DerError";
}

const utf8StringTag = 0x0c;
const numericStringTag = 0x12;
const printableStringTag = 0x13;
const t61StringTag = 0x14;
const ia5StringTag = 0x16;
const bmpStringTag = 0x1e;

function elementAt(bytes: Uint8Array, offset: number): DerElement {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new DerError("the element is cut off");
  if ((tag & 0x1f) === 0x1f) throw new DerError("a tag of several bytes is not supported");
  const lengthSize = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthSize > 4) throw new DerError("the length is not DER");
  let length = lengthSize === 0 ? first : 0;
  const start = offset + 2 + lengthSize;
  for (const byte of bytes.subarray(offset + 2, start)) length = length * 256 + byte;
  if (start + length > bytes.length) throw new DerError("the element is cut off");
  return {
    tag,
    content: bytes.subarray(start, start + length),
    bytes: bytes.subarray(offset, start + length),
  };
}
