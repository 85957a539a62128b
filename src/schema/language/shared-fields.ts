/**
 * FieldsV1 that objects have in common: those that are made from one template have the same, which
 * are parsed once, encoded once, and held once.
 */
export function sharedFields(text: string): object {
  let fields = byText.get(text);
  if (!fields) {
    fields = frozen(JSON.parse(text) as Record<string, object>);
    if (text.length > maxLength) return fields;
    if (byText.size >= maxFields) byText.clear();
    byText.set(text, fields);
    texts.set(fields, text);
  }
  return fields;
}

/** The fields of a text, where they are shared. */
export const knownFields = (text: string): object | undefined => byText.get(text);

/** The JSON of fields, where they are shared. */
export const textOfFields = (fields: object): string | undefined => texts.get(fields);

/** The same in bytes. */
export function bytesOfFields(fields: object): Uint8Array | undefined {
  let found = bytes.get(fields);
  if (!found) {
    const text = texts.get(fields);
    if (text === undefined) return undefined;
    found = encoder.encode(text);
    bytes.set(fields, found);
  }
  return found;
}

const byText = new Map<string, object>();
const texts = new WeakMap<object, string>();
const bytes = new WeakMap<object, Uint8Array>();
const encoder = new TextEncoder();

/** Those of a Pod with a dozen containers are among the largest. */
const maxLength = 16_384;
const maxFields = 256;

function frozen(fields: Record<string, object>): object {
  for (const name in fields) frozen(fields[name] as Record<string, object>);
  return Object.freeze(fields);
}
