/** Whether a text is `host:port` or `[host]:port`, as Go would split it; either may be empty. */
export function isHostPort(text: string): boolean {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return false;
  let host = text.slice(0, colon);
  if (host.startsWith("[")) {
    if (!host.endsWith("]") || host.indexOf("]") !== host.length - 1) return false;
    host = host.slice(1, -1);
  } else if (host.includes(":")) return false;
  return !/[[\]]/.test(host + text.slice(colon));
}
