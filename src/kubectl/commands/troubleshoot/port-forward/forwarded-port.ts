import { isIP } from "node:net";
import { quote } from "../../../../schema/values/quote.ts";

/** A port of this machine, and the port of the pod behind it. */
export interface ForwardedPort {
  /** 0 for any that is free. */
  readonly local: number;
  readonly remote: number;
}

/** Reads `REMOTE`, `LOCAL:REMOTE` and `:REMOTE`. */
export function parseForwardedPorts(texts: readonly string[]): readonly ForwardedPort[] {
  return texts.map((text) => {
    const [first = "", second, ...more] = text.split(":");
    if (more.length > 0) throw new Error(`invalid port format '${text}'`);
    const local = portNumber("local", second !== undefined && first === "" ? "0" : first);
    const remote = portNumber("remote", second ?? first);
    if (remote === 0) throw new Error("remote port must be > 0");
    return { local, remote };
  });
}

function portNumber(which: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number < 65_536) return number;
  const why = /^\d+$/.test(text) ? "value out of range" : "invalid syntax";
  throw new Error(
    `error parsing ${which} port '${text}': strconv.ParseUint: parsing ${quote(text)}: ${why}`,
  );
}

/** An address to listen at. */
export interface ListenAddress {
  readonly address: string;
  readonly protocol: "tcp4" | "tcp6";
  /** Whether the command can do without it if another address of localhost works. */
  readonly isOptional: boolean;
}

/** Reads the addresses of `--address`, each once and in their order as text; localhost means both families. */
export function parseListenAddresses(texts: readonly string[]): readonly ListenAddress[] {
  if (texts.length === 0) throw new Error("you must specify at least 1 address");
  const found = new Map<string, ListenAddress>();
  for (const text of texts) {
    const own = text === "localhost" ? ["127.0.0.1", "::1"] : [text];
    for (const address of own) {
      const family = isIP(withoutZeros(address));
      if (family === 0) throw new Error(`${address} is not a valid IP`);
      const isOptional = text === "localhost";
      if (isOptional && found.has(address)) continue;
      found.set(address, { address, protocol: family === 4 ? "tcp4" : "tcp6", isOptional });
    }
  }
  return [...found.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** An address of IPv4 may have leading zeros. */
const withoutZeros = (address: string): string => address.replaceAll(/(^|\.)0+(?=\d)/g, "$1");
