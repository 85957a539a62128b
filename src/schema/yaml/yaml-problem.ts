import type { YAMLException } from "js-yaml";

/** Puts a parser's complaint in the words of libyaml, which Kubernetes' users know. */
export function yamlProblem(text: string, error: YAMLException): string {
  const line = error.mark?.line ?? 0;
  const { message, scanner } = translate(error.reason, text, error.mark?.position ?? 0);
  // The first line is never named, and only the scanner counts lines from one.
  return line === 0 ? message : `line ${scanner ? line + 1 : line}: ${message}`;
}

interface Problem {
  readonly message: string;
  /** Whether libyaml's scanner finds it, else its parser. */
  readonly scanner: boolean;
}

function translate(reason: string, text: string, at: number): Problem {
  if (/indentation of|separator is expected/.test(reason)) return misplaced(text, at);
  for (const [pattern, message, stage] of problems) {
    if (pattern.test(reason)) return { message, scanner: stage === "scanner" };
  }
  return { message: reason, scanner: true };
}

const noToken = "found character that cannot start any token";

const problems: readonly [RegExp, string, "scanner" | "parser"][] = [
  [/tab characters/, noToken, "scanner"],
  [/within a flow collection/, "did not find expected ',' or ']'", "parser"],
  [/missed comma/, "did not find expected ',' or '}'", "parser"],
  [/found ','|deficient indentation/, "did not find expected node content", "parser"],
  [/within a (?:single|double) quoted/, "found unexpected end of stream", "scanner"],
  [/unknown escape/, "found unknown escape character", "scanner"],
  [/hexadecimal/, "did not find expected hexdecimal number", "scanner"],
  [/name of an a/, "did not find expected alphabetic or numeric character", "scanner"],
  [/multiline key|':' after/, "could not find expected ':'", "scanner"],
  [/undeclared tag handle/, "found undefined tag handle", "parser"],
  [/non-printable|null byte|valid JSON/, "control characters are not allowed", "scanner"],
];

/** Something stands where nothing of its kind may stand: what it is decides on the words. */
function misplaced(text: string, at: number): Problem {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  if (text[lineStart] === "\t") return { message: noToken, scanner: true };
  const char = text[at];
  if (char === ":") {
    return { message: "mapping values are not allowed in this context", scanner: true };
  }
  if (char === "@" || char === "`" || char === "%") return { message: noToken, scanner: true };
  if (char === "-" && at > lineStart && /^[^-#]*:[ \t]+$/.test(text.slice(lineStart, at))) {
    return { message: "block sequence entries are not allowed in this context", scanner: true };
  }
  if (char === "}" || char === "]") {
    return { message: "did not find expected node content", scanner: false };
  }
  const inSequence = /^\s*- /.test(text.slice(text.lastIndexOf("\n", lineStart - 2) + 1));
  if (inSequence) return { message: "did not find expected '-' indicator", scanner: false };
  return { message: "did not find expected key", scanner: false };
}
