import { text } from "node:stream/consumers";
import { boolFlag, stringFlag, type Values } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import type { RegistryAuth } from "../../../cri/image-service.ts";
import { parseReference } from "../../../engine/images/reference.ts";
import {
  dockerConfigAuth,
  dockerConfigPath,
} from "../../../engine/images/registry/docker-config.ts";
import { imageSession } from "./image-session.ts";

/** The flags of commands that talk to a registry. */
export const loginFlags = {
  username: stringFlag({
    short: "u",
    usage: "the `NAME` of the user; by default docker's configuration file is asked",
  }),
  "password-stdin": boolFlag({ usage: "read the password of --username from standard input" }),
};

/**
 * Reads the credentials of the flags once; the returned function has those for an image, from the flags or from
 * docker's configuration.
 */
export async function readLogin(
  flags: Values<typeof loginFlags>,
): Promise<(image: string) => Promise<RegistryAuth | undefined>> {
  const { username, "password-stdin": isPiped } = flags;
  const { stdin, env } = imageSession();
  if ((username !== "") !== isPiped)
    throw new UsageError("--username and --password-stdin must be given together");
  if (username === "")
    return (image) => dockerConfigAuth(dockerConfigPath(env), parseReference(image).domain);
  const password = (await text(stdin)).replace(/\r?\n$/, "");
  return async () => ({ username, password });
}
