import { badRequest } from "../../../api/meta/v1/status-error.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { User } from "../identity.ts";
import type { ApiRequest } from "../request.ts";

const prefix = "impersonate-";
const extraPrefix = "impersonate-extra-";

/** The user that the Impersonate headers name; undefined where there are none. */
export function wantedUser(request: ApiRequest): User | undefined {
  const headers = impersonationHeaders(request);
  if (headers.length === 0) return undefined;
  const valuesOf = (wanted: string) =>
    headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const [name = ""] = valuesOf("impersonate-user");
  const [uid = ""] = valuesOf("impersonate-uid");
  const groups = valuesOf("impersonate-group");
  const extra = extraIn(headers);
  if (name !== "") return { name, uid, groups, ...(extra && { extra }) };
  if (uid === "" && groups.length === 0 && !extra) return undefined;
  const user = goText({ name, uid, groups, ...(extra && { extra }) });
  throw badRequest(`requested ${user} without impersonating a user name`);
}

type Header = readonly [name: string, value: string];

/** Reads raw headers: a name may occur several times, and a value may hold commas. */
function impersonationHeaders({ headers, rawHeaders }: ApiRequest): Header[] {
  const found: Header[] = [];
  let isAny = false;
  for (const name in headers) {
    if (!name.startsWith(prefix)) continue;
    isAny = true;
    if (!rawHeaders) found.push([name, fromLatin1(headers[name] ?? "")]);
  }
  if (!isAny || !rawHeaders) return found;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (name.startsWith(prefix)) found.push([name, fromLatin1(rawHeaders[i + 1] as string)]);
  }
  return found;
}

/** Decodes UTF-8: Node reads each byte of a header as one character. */
function fromLatin1(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  return new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
}

function extraIn(headers: readonly Header[]): Record<string, string[]> | undefined {
  const extra = new Map<string, string[]>();
  for (const [name, value] of headers) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = unescaped(name.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), value]);
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra);
}

/** Decodes an escaped key; a malformed one is kept as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** A user as Go prints one. */
function goText({ name, uid = "", groups, extra }: User): string {
  const entries = Object.entries(extra ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const map = extra
    ? `{${entries.map(([key, values]) => `${quote(key)}:${goList(values)}`).join(", ")}}`
    : "(nil)";
  return `&user.DefaultInfo{Name:${quote(name)}, UID:${quote(uid)}, Groups:${goList(groups)}, Extra:map[string][]string${map}}`;
}

const goList = (values: readonly string[]): string =>
  values.length === 0 ? "[]string(nil)" : `[]string{${values.map(quote).join(", ")}}`;
