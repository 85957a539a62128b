import { readFile } from "node:fs/promises";
import type { SecurityProfile } from "../../../../cri/linux-types.ts";
import { errnoText } from "../../oci/errno-text.ts";
import { defaultSeccomp } from "./default-seccomp.ts";
import { type DockerSeccomp, resolveDockerSeccomp } from "./docker-seccomp.ts";
import type { Seccomp, SeccompContext } from "./seccomp-types.ts";

/**
 * The seccomp profile of a container, undefined for none. A profile of the node is a file in the form of OCI or of
 * docker.
 */
export async function seccompProfile(
  profile: SecurityProfile,
  context: SeccompContext,
): Promise<Seccomp | undefined> {
  switch (profile.type) {
    case "unconfined":
      return undefined;
    case "runtimeDefault":
      return defaultSeccomp(context);
    case "localhost":
      return fileProfile(profile.ref.replace(/^localhost\//, ""), context);
  }
}

/** The profile in a JSON text, as docker's clients send it. */
export function parseSeccomp(text: string, context: SeccompContext): Seccomp | undefined {
  return resolveDockerSeccomp(decoded(text, ""), context);
}

async function fileProfile(path: string, context: SeccompContext): Promise<Seccomp | undefined> {
  const quoted = JSON.stringify(path);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Error(`cannot load seccomp profile ${quoted}: open ${path}: ${errnoText(error)}`, {
      cause: error,
    });
  });
  return resolveDockerSeccomp(decoded(text, ` ${quoted}`), context);
}

function decoded(text: string, name: string): DockerSeccomp {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`decoding seccomp profile failed${name}: ${reason}`, { cause: error });
  }
  if (!isProfile(value)) throw new Error(`decoding seccomp profile failed${name}: not a profile`);
  return value;
}

/** Whether a value has the lists that are read here; the OCI runtime checks the rest. */
function isProfile(value: unknown): value is DockerSeccomp {
  return (
    isObject(value) &&
    isListOf(value.syscalls, isObject) &&
    isListOf(value.archMap, isObject) &&
    isListOf(value.architectures, (item) => typeof item === "string")
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isItem));
}
