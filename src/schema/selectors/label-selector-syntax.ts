import {
  keyErrors,
  type LabelRequirement,
  labelRequirement,
} from "./label-selector-requirement.ts";

/** Reads `a=b,c!=d,e in (x,y),!f,g>1`; throws a SyntaxError with Kubernetes' words. */
export function parseRequirements(text: string): LabelRequirement[] {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const token = tokens.peek();
    if (token.kind === "end") return requirements;
    if (token.kind !== "word" && token.kind !== "!") {
      throw new SyntaxError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(inRequirement(() => readRequirement(tokens)));
    const after = tokens.next();
    if (after.kind === "end") return requirements;
    if (after.kind !== ",") {
      throw new SyntaxError(`found '${after.text}', expected: ',' or 'end of string'`);
    }
    const following = tokens.peek();
    if (following.kind !== "word" && following.kind !== "!") {
      throw new SyntaxError(`found '${following.text}', expected: identifier after ','`);
    }
  }
}

type Kind = "end" | "word" | "!" | "," | "(" | ")" | "=" | "==" | "!=" | ">" | "<";

interface Token {
  readonly kind: Kind;
  readonly text: string;
}

const end: Token = { kind: "end", text: "" };
const blank = /[ \t\r\n]*/y;
const symbol = /==|!=|[=!(),<>]/y;
const word = /[^ \t\r\n=!(),<>]+/y;

class Tokens {
  readonly #tokens: Token[] = [];
  #position = 0;

  constructor(text: string) {
    let at = 0;
    const take = (pattern: RegExp): string => {
      pattern.lastIndex = at;
      const found = pattern.exec(text)?.[0] ?? "";
      at += found.length;
      return found;
    };
    for (take(blank); at < text.length; take(blank)) {
      const found = take(symbol);
      if (found !== "") this.#tokens.push({ kind: found as Kind, text: found });
      else this.#tokens.push({ kind: "word", text: take(word) });
    }
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? end;
  }
  next(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }
}

function inRequirement(read: () => LabelRequirement): LabelRequirement {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(`unable to parse requirement: ${error.message}`, { cause: error });
  }
}

function readRequirement(tokens: Tokens): LabelRequirement {
  let token = tokens.next();
  const negated = token.kind === "!";
  if (negated) token = tokens.next();
  if (token.kind !== "word") {
    throw new SyntaxError(`found '${token.text}', expected: identifier`);
  }
  const key = token.text;
  const [error] = keyErrors(key, "<nil>");
  if (error !== undefined) throw new SyntaxError(error);
  if (negated) return labelRequirement(key, "!", []);
  const { kind } = tokens.peek();
  if (kind === "end" || kind === ",") return labelRequirement(key, "exists", []);
  const operator = readOperator(tokens.next());
  const values = operator === "in" || operator === "notin" ? readSet(tokens) : readValue(tokens);
  return labelRequirement(key, operator, [...values].sort());
}

function readOperator({ kind, text }: Token): LabelRequirement["operator"] {
  if (kind === "=" || kind === "==" || kind === "!=") return kind;
  if (kind === ">") return "gt";
  if (kind === "<") return "lt";
  if (kind === "word" && (text === "in" || text === "notin")) return text;
  throw new SyntaxError(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
}

function readValue(tokens: Tokens): Set<string> {
  const { kind } = tokens.peek();
  if (kind === "end" || kind === ",") return new Set([""]);
  const token = tokens.next();
  if (token.kind === "word") return new Set([token.text]);
  throw new SyntaxError(`found '${token.text}', expected: identifier`);
}

function readSet(tokens: Tokens): Set<string> {
  const open = tokens.next();
  if (open.kind !== "(") throw new SyntaxError(`found '${open.text}' expected: '('`);
  const first = tokens.peek();
  if (first.kind === ")") {
    tokens.next();
    return new Set([""]);
  }
  if (first.kind !== "word" && first.kind !== ",") {
    throw new SyntaxError(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = readList(tokens);
  tokens.next();
  return values;
}

/** The values up to the closing parenthesis; between two commas there is an empty one. */
function readList(tokens: Tokens): Set<string> {
  const values = new Set<string>();
  for (;;) {
    const token = tokens.next();
    const following = tokens.peek();
    if (token.kind === "word") {
      values.add(token.text);
      if (following.kind === ")") return values;
      if (following.kind !== ",") {
        throw new SyntaxError(`found '${following.text}', expected: ',' or ')'`);
      }
    } else if (token.kind === ",") {
      if (values.size === 0 || following.kind === "," || following.kind === ")") values.add("");
      if (following.kind === ")") return values;
    } else {
      throw new SyntaxError(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}
