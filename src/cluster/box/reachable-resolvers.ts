/**
 * The first of several `resolv.conf` files that names a server which a box can reach, without the others: a server
 * on the loopback interface is the machine's alone. Where there is none, the first without its servers.
 */
export function reachableResolvers(texts: readonly string[]): string {
  const reachable = texts.map((text) =>
    text
      .split("\n")
      .filter((line) => !loopbackServer.test(line))
      .join("\n"),
  );
  return reachable.find((text) => anyServer.test(text)) ?? reachable[0] ?? "";
}

const anyServer = /^\s*nameserver\s/m;
const loopbackServer = /^\s*nameserver\s+(?:127\.|::1(?:\s|$))/;
