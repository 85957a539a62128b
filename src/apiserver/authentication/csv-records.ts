/**
 * The records of comma separated values, as Go reads them: lines that are empty do not count, and what
 * is in double quotes may hold commas, line ends, and quotes that are doubled. Errors are Go's, with a
 * column in bytes.
 */
export function* csvRecords(text: string): Generator<string[]> {
  const reader: Reader = { lines: linesOf(text), next: 0, line: "", at: 0, first: 0 };
  while (nextLine(reader)) {
    if (reader.line !== "\n") yield readRecord(reader);
  }
}

/** The position of the reader: a character of a line, in a record that began on the `first` line. */
interface Reader {
  readonly lines: readonly string[];
  next: number;
  line: string;
  at: number;
  first: number;
}

/** Lines with their line ends; the last may have none. */
const linesOf = (text: string): string[] =>
  (text.replace(/\r$/, "").match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) =>
    line.replace(/\r\n$/, "\n"),
  );

function nextLine(reader: Reader): boolean {
  const line = reader.lines[reader.next];
  if (line === undefined) return false;
  Object.assign(reader, { next: reader.next + 1, line, at: 0 });
  return true;
}

function readRecord(reader: Reader): string[] {
  reader.first = reader.next;
  const record: string[] = [];
  for (;;) {
    record.push(reader.line[reader.at] === '"' ? readQuoted(reader) : readPlain(reader));
    if (reader.line[reader.at] !== ",") return record;
    reader.at++;
  }
}

function readPlain(reader: Reader): string {
  const [field = ""] = /^[^,\n]*/.exec(reader.line.slice(reader.at)) ?? [];
  const quote = field.indexOf('"');
  if (quote >= 0) throw fault(reader, reader.at + quote, 'bare " in non-quoted-field');
  reader.at += field.length;
  return field;
}

function readQuoted(reader: Reader): string {
  let field = "";
  reader.at++;
  for (;;) {
    const { line, at } = reader;
    const quote = line.indexOf('"', at);
    if (quote < 0) {
      field += line.slice(at);
      if (!nextLine(reader)) throw fault(reader, line.length, strayQuote);
      continue;
    }
    field += line.slice(at, quote);
    reader.at = quote + 1;
    if (line[reader.at] !== '"') {
      if (!/^([,\n]|$)/.test(line.slice(reader.at))) throw fault(reader, quote, strayQuote);
      return field;
    }
    field += '"';
    reader.at++;
  }
}

const strayQuote = 'extraneous or missing " in quoted-field';

function fault({ line, next, first }: Reader, index: number, problem: string): Error {
  const column = new TextEncoder().encode(line.slice(0, index)).length + 1;
  const record = first < next ? `record on line ${first}; ` : "";
  return new Error(`${record}parse error on line ${next}, column ${column}: ${problem}`);
}
