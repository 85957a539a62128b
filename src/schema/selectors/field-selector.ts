/** One thing that is asked of a field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** What is asked of fields; an empty list asks nothing. */
export type FieldSelector = readonly FieldRequirement[];

/** Reads `a=b,c!=d,e==f`; throws a SyntaxError with Kubernetes' words. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).sort();
  return terms
    .filter((term) => term !== "")
    .map((term) => readTerm(term, text))
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** The one value that a selector asks of a field, if it does so. */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.find((term) => term.field === field && term.operator === "=")?.value;
}

const term = /^(.*?)(!=|==|=)(.*)$/s;

function readTerm(text: string, selector: string): FieldRequirement {
  const match = term.exec(text);
  if (match === null) {
    throw new SyntaxError(`invalid selector: '${selector}'; can't understand '${text}'`);
  }
  const [, field = "", operator, value = ""] = match;
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescaped(value) };
}

/** Terms between commas that no backslash precedes; backslashes stay. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescaped(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (found, escaped: string | undefined) => {
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    if (escaped !== undefined) {
      throw new SyntaxError(`invalid field selector: invalid escape sequence: ${found}`);
    }
    const code = found.charCodeAt(0);
    throw new SyntaxError(`invalid field selector: unescaped character in value: ${code}`);
  });
}
