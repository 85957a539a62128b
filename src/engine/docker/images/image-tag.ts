import { parseReference, type Reference, withDefaultTag } from "../../images/reference.ts";
import { badRequest } from "../http/docker-error.ts";

/** The name of an image that a client gives in two parts, with the default tag. */
export function imageTag(repo: string, tag: string): Reference {
  try {
    const reference = parseReference(tag === "" ? repo : `${repo}:${tag}`);
    if (reference.digest !== undefined)
      throw new Error("refusing to create a tag with a digest reference");
    return withDefaultTag(reference);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
