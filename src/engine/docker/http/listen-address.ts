import type { ListenOptions } from "node:net";

/** Parses `unix:///run/wherry/docker.sock` or `tcp://127.0.0.1:2375`. */
export function parseListenAddress(address: string): ListenOptions {
  const unix = /^unix:\/\/(\/.+)$/.exec(address);
  if (unix) return { path: unix[1] };
  const tcp = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^:/]+):([0-9]{1,5})$/.exec(address);
  if (tcp) return { host: (tcp[1] ?? "").replaceAll(/[[\]]/g, ""), port: Number(tcp[2]) };
  throw new Error(`invalid address "${address}": want unix:///PATH or tcp://HOST:PORT`);
}
