import { release } from "node:os";
import { apiVersionText, newestApiMinor, oldestApiMinor } from "../http/api-version.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";

/** The headers of every response, by which a client chooses the version of the API it speaks. */
export const serverHeaders = (version: string): Readonly<Record<string, string>> => ({
  "Api-Version": apiVersionText(newestApiMinor),
  "Docker-Experimental": "false",
  Ostype: "linux",
  Server: `Docker/${version} (linux)`,
});

/** The routes by which a client finds out what it talks to. */
export function pingRoutes(version: string): readonly DockerRoute[] {
  const headers = {
    "Builder-Version": "1",
    Swarm: "inactive",
    "Cache-Control": "no-cache, no-store, must-revalidate",
    Pragma: "no-cache",
    "Content-Type": "text/plain; charset=utf-8",
  };
  return [
    route("HEAD /_ping", () => ({ status: 200, headers: { ...headers, "Content-Length": "0" } })),
    route("GET /_ping", () => ({ status: 200, headers, text: "OK" })),
    route("GET /version", () => ({ status: 200, json: versionOf(version) })),
  ];
}

function versionOf(version: string): object {
  const common = {
    ApiVersion: apiVersionText(newestApiMinor),
    MinAPIVersion: apiVersionText(oldestApiMinor),
    GitCommit: "",
    GoVersion: "",
    Os: "linux",
    Arch: goArchitecture(),
    KernelVersion: release(),
    BuildTime: "",
  };
  return {
    Platform: { Name: "Wherry" },
    Components: [
      { Name: "Engine", Version: version, Details: { ...common, Experimental: "false" } },
    ],
    Version: version,
    ...common,
  };
}

/** The name of this machine's architecture in images. */
const goArchitecture = (): string =>
  ({ x64: "amd64", ia32: "386" })[process.arch as string] ?? process.arch;
