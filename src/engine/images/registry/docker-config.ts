import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { RegistryAuth } from "../../../cri/image-service.ts";
import { spawned } from "../../../platform/spawned.ts";
import { parseObject } from "../manifest.ts";
import { hostOfAddress } from "./credentials.ts";

/** Where docker keeps its configuration. */
export const dockerConfigPath = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.DOCKER_CONFIG || join(env.HOME || homedir(), ".docker"), "config.json");

/**
 * The credentials that docker's configuration file, or a helper that it names, has for a registry.
 */
export async function dockerConfigAuth(
  path: string,
  domain: string,
): Promise<RegistryAuth | undefined> {
  const config = await readConfig(path);
  if (config === undefined) return undefined;
  const helper = memberFor(config.credHelpers, domain) ?? config.credsStore;
  if (typeof helper === "string" && helper !== "") return askHelper(helper, domain);
  const entry = memberFor(config.auths, domain);
  if (typeof entry !== "object" || entry === null) return undefined;
  const { auth, username, password, identitytoken, registrytoken } = entry as Record<
    string,
    unknown
  >;
  const found = {
    ...text("auth", auth),
    ...text("username", username),
    ...text("password", password),
    ...text("identityToken", identitytoken),
    ...text("registryToken", registrytoken),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

async function readConfig(path: string): Promise<Record<string, unknown> | undefined> {
  try {
    return parseObject(await readFile(path), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const text = (name: string, value: unknown): Record<string, string> =>
  typeof value === "string" && value !== "" ? { [name]: value } : {};

/** The member of a table whose key is an address of the registry. */
function memberFor(table: unknown, domain: string): unknown {
  if (typeof table !== "object" || table === null) return undefined;
  return Object.entries(table).find(
    ([address]) => hostOfAddress(address) === hostOfAddress(domain),
  )?.[1];
}

/** Runs `docker-credential-NAME get`, which reads an address and writes JSON. */
async function askHelper(name: string, domain: string): Promise<RegistryAuth | undefined> {
  if (!/^[\w.-]+$/.test(name)) throw new Error(`invalid name of a credential helper: ${name}`);
  const program = `docker-credential-${name}`;
  const address = domain === "docker.io" ? "https://index.docker.io/v1/" : domain;
  const { code, output } = await runHelper(program, address);
  if (code !== 0) {
    // The helpers' own words for a registry that they know nothing of.
    if (/credentials not found/.test(output)) return undefined;
    throw new Error(`${program} failed: ${output.trim().slice(0, 500)}`);
  }
  const { Username, Secret } = parseObject(Buffer.from(output), `output of ${program}`);
  if (typeof Username !== "string" || typeof Secret !== "string") return undefined;
  return Username === "<token>"
    ? { identityToken: Secret }
    : { username: Username, password: Secret };
}

function runHelper(
  program: string,
  input: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawned(
      spawn(program, ["get"], { stdio: ["pipe", "pipe", "ignore"], timeout: 60_000 }),
      program,
    );
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output = `${output}${chunk}`.slice(0, 1024 * 1024);
    });
    child.stdin.on("error", () => undefined);
    child.once("error", (cause) => reject(new Error(`${program} cannot be run`, { cause })));
    child.once("close", (code) => resolve({ code, output }));
    child.stdin.end(input);
  });
}
