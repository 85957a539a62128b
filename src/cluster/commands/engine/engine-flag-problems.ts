import { resolve } from "node:path";
import { parseListenAddress } from "../../../engine/docker/http/listen-address.ts";
import { imageSocket } from "../image/image-command-line.ts";

/** The flags of `wherry engine` that depend on each other, or that the kernel limits. */
export interface CheckedEngineFlags {
  readonly "data-dir": string;
  readonly "run-dir": string;
  readonly listen: string;
  readonly "docker-listen": string;
  readonly "docker-group": string;
}

/** What is wrong with the flags, before anything is started; empty if nothing is. */
export function engineFlagProblems(flags: CheckedEngineFlags): readonly string[] {
  const { listen, "docker-listen": dockerListen, "docker-group": group } = flags;
  if (listen === "" && dockerListen === "")
    return ["nothing to serve: give --listen or --docker-listen"];
  const isDockerUnix = dockerListen.startsWith("unix://");
  return [
    ...folderProblems(flags),
    ...(listen === "" ? [] : unixProblems("listen", listen)),
    ...(isDockerUnix ? unixProblems("docker-listen", dockerListen) : tcpProblems(dockerListen)),
    ...(group !== "" && !isDockerUnix
      ? ["--docker-group needs --docker-listen unix:///PATH: only a socket has a group"]
      : []),
  ];
}

/** The longest path of a socket that Linux accepts, in bytes. */
const longestSocketPath = 107;

function unixProblems(flag: string, address: string): readonly string[] {
  const path = /^unix:\/\/(\/.+)$/.exec(address)?.[1];
  if (path === undefined)
    return [`invalid --${flag} ${JSON.stringify(address)}: want unix:///PATH, an absolute path`];
  const bytes = Buffer.byteLength(path);
  if (bytes <= longestSocketPath) return [];
  return [
    `invalid --${flag} ${JSON.stringify(address)}: the path of a socket has at most ${longestSocketPath} bytes, and this one has ${bytes}`,
  ];
}

function tcpProblems(address: string): readonly string[] {
  if (address === "") return [];
  try {
    parseListenAddress(address);
    return [];
  } catch (error) {
    return [`--docker-listen: ${(error as Error).message}`];
  }
}

/** The engine has a socket in its data directory. */
function folderProblems({ "data-dir": data, "run-dir": run }: CheckedEngineFlags): string[] {
  if (data === "" || run === "") return ["--data-dir and --run-dir must not be empty"];
  const tooMany = Buffer.byteLength(imageSocket(resolve(data))) - longestSocketPath;
  return tooMany > 0 ? [`--data-dir is too long for the socket in it, by ${tooMany} bytes`] : [];
}
