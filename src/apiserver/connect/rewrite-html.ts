/** Attributes that hold a URL, by the elements they belong to. */
const urlAttributes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    a: ["href"],
    applet: ["codebase"],
    area: ["href"],
    audio: ["src"],
    base: ["href"],
    blockquote: ["cite"],
    body: ["background"],
    button: ["formaction"],
    command: ["icon"],
    del: ["cite"],
    embed: ["src"],
    form: ["action"],
    frame: ["longdesc", "src"],
    head: ["profile"],
    html: ["manifest"],
    iframe: ["longdesc", "src"],
    img: ["longdesc", "src", "usemap"],
    input: ["src", "usemap", "formaction"],
    ins: ["cite"],
    link: ["href"],
    object: ["classid", "codebase", "data", "usemap"],
    q: ["cite"],
    script: ["src"],
    source: ["src"],
    video: ["poster", "src"],
  }),
);

/** Elements whose content is text, whatever it looks like. */
const textElements: ReadonlySet<string> = new Set([
  ...["iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"],
]);

/** Rewrites the URLs in the tags of a page; all else stays as it is. One pass, whatever the page. */
export function rewriteHtml(html: string, rewrite: (url: string) => string): string {
  let out = "";
  let copied = 0;
  for (const { begin, end } of urlsIn(html)) {
    out += html.slice(copied, begin) + rewrite(html.slice(begin, end));
    copied = end;
  }
  return out + html.slice(copied);
}

function* urlsIn(html: string): Generator<Place> {
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    const behind = endOfOther(html, at);
    if (behind !== undefined) {
      at = behind;
      continue;
    }
    const tag = readTag(html, at);
    if (!tag) return;
    const wanted = urlAttributes.get(tag.name) ?? [];
    for (const attribute of tag.attributes) if (wanted.includes(attribute.name)) yield attribute;
    at = textElements.has(tag.name) ? endOfText(html, tag.name, tag.end) : tag.end;
  }
}

/** The end of a tag without URLs: a comment, an end tag, or a stray `<`. */
function endOfOther(html: string, at: number): number | undefined {
  if (html.startsWith("<!--", at)) return after(html, "-->", at + 4);
  const next = html[at + 1] ?? "";
  if (/[!?/]/.test(next)) return after(html, ">", at + 2);
  return /[a-z]/i.test(next) ? undefined : at + 1;
}

interface Place {
  readonly begin: number;
  readonly end: number;
}

interface Tag {
  readonly name: string;
  /** Where the values stand, without their quotes. */
  readonly attributes: readonly (Place & { readonly name: string })[];
  /** Behind the tag. */
  readonly end: number;
}

/** Reads a tag that begins here; undefined where it has no end. */
function readTag(html: string, begin: number): Tag | undefined {
  let at = end(html, begin + 1, nameEnd);
  const name = html.slice(begin + 1, at).toLowerCase();
  const attributes: Tag["attributes"][number][] = [];
  for (;;) {
    at = end(html, at, betweenEnd);
    if (at >= html.length) return undefined;
    if (html[at] === ">") return { name, attributes, end: at + 1 };
    const key = at;
    // The first character of a name can be any, even the `=` that would end it.
    at = end(html, at + 1, keyEnd);
    const equals = end(html, at, spaceEnd);
    if (html[equals] !== "=") continue;
    const value = end(html, equals + 1, spaceEnd);
    const quote = html[value];
    const isQuoted = quote === '"' || quote === "'";
    const first = isQuoted ? value + 1 : value;
    const last = isQuoted ? html.indexOf(quote, first) : end(html, first, valueEnd);
    if (last < 0) return undefined;
    attributes.push({ name: html.slice(key, at).toLowerCase(), begin: first, end: last });
    at = isQuoted ? last + 1 : last;
  }
}

const nameEnd = /[\s/>]/g;
const betweenEnd = /[^\s/]/g;
const keyEnd = /[\s/>=]/g;
const spaceEnd = /\S/g;
const valueEnd = /[\s>]/g;

/** The next place that matches, or the end of everything. */
function end(html: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}

function after(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from);
  return found < 0 ? html.length : found + what.length;
}

/** Where the end tag stands that ends a text; for the last element of this kind there is none. */
function endOfText(html: string, name: string, from: number): number {
  if (name === "plaintext") return html.length;
  const found = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  found.lastIndex = from;
  return found.exec(html)?.index ?? html.length;
}
