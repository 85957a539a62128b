/** In whose name calls are made. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  /** What else is to be known of them, by names such as `example.com/scope`. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The headers by which a server is asked to take a call as another's: UTF-8, a character per byte. */
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

/** With nothing in it that the name of a header may not hold. */
const escaped = (name: string): string =>
  encodeURIComponent(name).replaceAll("(", "%28").replaceAll(")", "%29");
