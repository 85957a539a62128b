// @ts-check

/**
 * Blanks out what comments, strings, templates and regular expressions say, so that what is left is
 * code. Everything keeps its place: the quotes of strings stay, other
 * characters become spaces, lines stay lines.
 * @param {string} source
 */
export function codeOnly(source) {
  let out = "";
  /**
   * How many braces are open: in the file, and in the current expression of every open template.
   * @type {number[]}
   */
  const braces = [0];

  while (out.length < source.length) {
    const at = out.length;
    const char = source.charAt(at);
    const end = endOfText(source, at, out);
    if (end > at) {
      out += blank(source.slice(at, end));
    } else if (char === "`" || (char === "}" && braces.length > 1 && braces.at(-1) === 0)) {
      if (char === "}") braces.pop();
      const stop = endOfTemplatePart(source, at + 1);
      if (source.endsWith("${", stop)) braces.push(0);
      out += char + blank(source.slice(at + 1, stop));
    } else {
      braces.push((braces.pop() ?? 0) + braceDepth(char));
      out += char;
    }
  }
  return out;
}

/**
 * @param {string} char
 */
function braceDepth(char) {
  if (char === "{") return 1;
  return char === "}" ? -1 : 0;
}

const text = {
  lineComment: /\/\/[^\n]*/y,
  blockComment: /\/\*[\s\S]*?\*\//y,
  string: /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y,
  regExp: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
};

/** A slash after one of these begins a regular expression; after anything else it divides. */
const beforeRegExp =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|throw))$/;

/**
 * Where a comment, string or regular expression that begins here ends; `at` when none does.
 * @param {string} source
 * @param {number} at
 * @param {string} before the code up to here
 */
function endOfText(source, at, before) {
  const char = source[at];
  if (char === '"' || char === "'") return match(text.string, source, at);
  if (char !== "/") return at;
  if (source[at + 1] === "/") return match(text.lineComment, source, at);
  if (source[at + 1] === "*") return match(text.blockComment, source, at);
  return beforeRegExp.test(before.slice(-200).trimEnd()) ? match(text.regExp, source, at) : at;
}

/**
 * @param {RegExp} pattern
 * @param {string} source
 * @param {number} at
 */
function match(pattern, source, at) {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

/**
 * Where the text of a template ends: after the back quote, or where an expression begins.
 * @param {string} source
 * @param {number} at
 */
function endOfTemplatePart(source, at) {
  for (let i = at; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "`") return i + 1;
    else if (source.startsWith("${", i)) return i + 2;
  }
  return source.length;
}

/**
 * @param {string} part
 */
function blank(part) {
  const quote = part.charAt(0);
  if (part.length > 1 && (quote === '"' || quote === "'")) {
    return quote + part.slice(1, -1).replaceAll(/[^\n]/g, " ") + quote;
  }
  return part.replaceAll(/[^\n]/g, " ");
}
