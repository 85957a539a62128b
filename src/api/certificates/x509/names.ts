import {
  contentOf,
  DerError,
  DerReader,
  type Element,
  syntaxError,
  tags,
  wholeOf,
} from "../../../base/der-reader.ts";
import { attempt } from "./public-key.ts";

/** One attribute of a distinguished name. */
export interface NameAttribute {
  readonly oid: string;
  readonly value: string;
}

/** The attributes of a distinguished name; throws Go's error for a malformed one. */
export function readName(element: Element): NameAttribute[] {
  const outer = new DerReader(wholeOf(element)).sequence("RDNSequence");
  return DerReader.inside(outer)
    .allOf(tags.set)
    .flatMap((set) =>
      DerReader.inside(set)
        .allOf(tags.sequence)
        .map((pair) => {
          const reader = DerReader.inside(pair);
          return { oid: reader.oid(), value: textOf(reader.any()) };
        }),
    );
}

function textOf(element: Element): string {
  const bytes = contentOf(element);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (element.class !== 0) return text;
  if (element.tag === tags.printableString && !/^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(text))
    throw syntaxError("PrintableString contains invalid character");
  if (element.tag === tags.ia5String && !isAscii(bytes))
    throw syntaxError("IA5String contains invalid character");
  if (element.tag === tags.utf8String && !isUtf8(bytes))
    throw new DerError("asn1: invalid UTF-8 string");
  return text;
}

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80);

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The subject alternative names of a certificate. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly uris: readonly string[];
  /** The bytes of the addresses. */
  readonly ipAddresses: readonly Uint8Array[];
}

const kinds: Readonly<
  Record<number, readonly [key: "emailAddresses" | "dnsNames" | "uris", name: string]>
> = {
  1: ["emailAddresses", "rfc822Name"],
  2: ["dnsNames", "dNSName"],
  6: ["uris", "uniformResourceIdentifier"],
};

/** Parses the extension subjectAltName; throws Go's error for a malformed one. */
export function readAlternativeNames(value: Uint8Array): AlternativeNames {
  const names = {
    dnsNames: [] as string[],
    emailAddresses: [] as string[],
    uris: [] as string[],
    ipAddresses: [] as Uint8Array[],
  };
  const items = attempt("x509: invalid subject alternative names", () =>
    DerReader.inside(new DerReader(value).sequence("")).rest(),
  );
  for (const item of items) {
    const bytes = contentOf(item);
    const [key, name] = kinds[item.tag] ?? [];
    if (key) {
      if (!isAscii(bytes)) throw new Error(`x509: SAN ${name} is malformed`);
      names[key].push(new TextDecoder().decode(bytes));
    } else if (item.tag === 7) {
      if (bytes.length !== 4 && bytes.length !== 16)
        throw new Error(`x509: cannot parse IP address of length ${bytes.length}`);
      names.ipAddresses.push(bytes);
    }
  }
  return names;
}

/** The object identifier of the extension subjectAltName. */
export const alternativeNamesOid = "2.5.29.17";
