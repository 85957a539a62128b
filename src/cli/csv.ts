/** The fields of one line of comma separated values; a field in double quotes may hold commas. */
export function readCsv(line: string): string[] {
  if (line === "") return [];
  const fields: string[] = [];
  let at = 0;
  while (at <= line.length) {
    const pattern = line[at] === '"' ? quotedField : plainField;
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match === null) throw new Error(problem(line, at));
    fields.push((match[1] ?? "").replaceAll('""', '"'));
    at = pattern.lastIndex + 1;
  }
  return fields;
}

export function writeCsv(fields: readonly string[]): string {
  return fields
    .map((field) => (/[",\n]|^\s/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(",");
}

const plainField = /([^",]*)(?=,|$)/y;
const quotedField = /"((?:[^"]|"")*)"(?=,|$)/y;

/** Go's error: its column is that of the misplaced quote, or of the unexpected end. */
function problem(line: string, at: number): string {
  if (line[at] !== '"') {
    return `parse error on line 1, column ${line.indexOf('"', at) + 1}: bare " in non-quoted-field`;
  }
  openField.lastIndex = at;
  openField.exec(line);
  return `parse error on line 1, column ${openField.lastIndex + 1}: extraneous or missing " in quoted-field`;
}

const openField = /"(?:[^"]|"")*/y;
