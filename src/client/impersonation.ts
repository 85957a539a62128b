/** In whose name calls are made. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  /** What else is to be known of them, by names such as `example.com/scope`. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The headers by which a server is asked to take a call as another's. */
export function impersonationHeaders({
  user,
  groups = [],
  uid,
  extra = {},
}: Impersonation): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { "impersonate-user": user };
  if (groups.length > 0) headers["impersonate-group"] = groups;
  if (uid !== undefined) headers["impersonate-uid"] = uid;
  for (const [name, values] of Object.entries(extra))
    headers[`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`] = values;
  return headers;
}
