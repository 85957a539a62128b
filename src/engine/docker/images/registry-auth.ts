import type { RegistryAuth } from "../../../cri/image-service.ts";
import { badRequest } from "../http/docker-error.ts";
import { isObject } from "../http/json-value.ts";

/** The credentials in the header `X-Registry-Auth`: JSON in base64; undefined if there are none. */
export function parseRegistryAuth(
  header: string | readonly string[] | undefined,
): RegistryAuth | undefined {
  if (typeof header !== "string" || header === "") return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(header, "base64url").toString("utf8"));
    return isObject(value) ? registryAuthOf(value) : undefined;
  } catch {
    throw badRequest("invalid X-Registry-Auth header: invalid character");
  }
}

/** The credentials in JSON, as clients send them; undefined if there are none. */
export function registryAuthOf(value: Readonly<Record<string, unknown>>): RegistryAuth | undefined {
  const text = (name: string): string =>
    typeof value[name] === "string" ? (value[name] as string) : "";
  const auth: RegistryAuth = {
    username: text("username"),
    password: text("password"),
    auth: text("auth"),
    serverAddress: text("serveraddress"),
    identityToken: text("identitytoken"),
    registryToken: text("registrytoken"),
  };
  const isEmpty = !auth.username && !auth.auth && !auth.identityToken && !auth.registryToken;
  return isEmpty ? undefined : auth;
}
