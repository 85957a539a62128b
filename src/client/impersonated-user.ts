/** The user that requests impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  /** Extra attributes of the user, by names such as `example.com/scope`. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The `Impersonate-*` headers of a user; each character is one byte of UTF-8. */
export function impersonationHeaders({
  user,
  groups = [],
  uid,
  extra = {},
}: Impersonation): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { "impersonate-user": bytes(user) };
  if (groups.length > 0) headers["impersonate-group"] = groups.map(bytes);
  if (uid !== undefined) headers["impersonate-uid"] = bytes(uid);
  for (const [name, values] of Object.entries(extra))
    headers[`impersonate-extra-${escaped(name.toLowerCase())}`] = values.map(bytes);
  return headers;
}

function bytes(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Percent-encodes all characters that a header name may not contain. */
const escaped = (name: string): string =>
  encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29");
