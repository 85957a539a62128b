/** The records of a pax header, as strings of one byte per character: attributes of files are binary. */
export type PaxRecords = ReadonlyMap<string, string>;

/** Reads the body of a pax header; throws if it is none. */
export function parsePaxRecords(body: Buffer): PaxRecords {
  const records = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const digits = space < 0 ? "" : body.toString("latin1", at, space);
    if (!/^[1-9][0-9]{0,9}$/.test(digits)) throw invalid();
    const end = at + Number(digits);
    const record = body.toString("latin1", space + 1, end);
    const equals = record.indexOf("=");
    if (end > body.length || equals < 1 || !record.endsWith("\n")) throw invalid();
    records.set(record.slice(0, equals), record.slice(equals + 1, -1));
    at = end;
  }
  return records;
}

/** Writes the body of a pax header. */
export function encodePaxRecords(records: PaxRecords): Buffer {
  const parts = [...records].map(([key, value]) => record(key, value));
  return Buffer.from(parts.join(""), "latin1");
}

/** A record states its own length, whose digits count as well. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length)
    length = String(length).length + rest.length;
  return `${length}${rest}`;
}

const invalid = (): Error => new Error("invalid tar header: pax records cannot be parsed");
