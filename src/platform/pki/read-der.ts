import { contentOf, DerError, DerReader, type Element } from "../../base/der-reader.ts";

/** Reads the single element that fills the bytes. */
export function readDer(bytes: Uint8Array): Element {
  const reader = new DerReader(bytes);
  const element = reader.any();
  if (!reader.isAtEnd) throw new DerError("bytes follow the element");
  return simpleTag(element);
}

/** Reads the elements that a constructed element is made of. */
export function readChildren(parent: Element): Element[] {
  if (!parent.isCompound) throw new DerError("the element has no parts");
  return DerReader.inside(parent).rest().map(simpleTag);
}

/** The text of any of ASN.1's string types, undefined for an element that is not one. */
export function readText(element: Element): string | undefined {
  if (element.class !== 0 || element.isCompound) return undefined;
  const content = contentOf(element);
  switch (element.tag) {
    case utf8StringTag:
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    case bmpStringTag:
      return new TextDecoder("utf-16be", { ignoreBOM: true }).decode(content);
    case numericStringTag:
    case printableStringTag:
    case t61StringTag:
    case ia5StringTag:
      return Buffer.from(content).toString("latin1");
    default:
      return undefined;
  }
}

const utf8StringTag = 12;
const numericStringTag = 18;
const printableStringTag = 19;
const t61StringTag = 20;
const ia5StringTag = 22;
const bmpStringTag = 30;

/** Rejects multi-byte tags: certificates have none. */
function simpleTag(element: Element): Element {
  if (element.tag > 30) throw new DerError("a tag of several bytes is not supported");
  return element;
}
