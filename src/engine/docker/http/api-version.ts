import { badRequest } from "./docker-error.ts";

/** The oldest and newest minor versions of the API that are served; the major version is 1. */
export const oldestApiMinor = 24;
export const newestApiMinor = 47;

export const apiVersionText = (minor: number): string => `1.${minor}`;

/** Splits the version off a path: `/v1.41/info` is `/info` for version 41; without one it is the newest. */
export function splitApiVersion(path: string): { readonly minor: number; readonly path: string } {
  const match = /^\/v([0-9]+)\.([0-9]+)(?:\.[0-9]+)?(\/.*)$/.exec(path);
  if (!match) return { minor: newestApiMinor, path };
  const [, major = "", minor = "", rest = ""] = match;
  const version = `${major}.${minor}`;
  if (Number(major) < 1 || (Number(major) === 1 && Number(minor) < oldestApiMinor))
    throw badRequest(
      `client version ${version} is too old. Minimum supported API version is ${apiVersionText(oldestApiMinor)}, please upgrade your client to a newer version`,
    );
  if (Number(major) > 1 || Number(minor) > newestApiMinor)
    throw badRequest(
      `client version ${version} is too new. Maximum supported API version is ${apiVersionText(newestApiMinor)}`,
    );
  return { minor: Number(minor), path: rest };
}
