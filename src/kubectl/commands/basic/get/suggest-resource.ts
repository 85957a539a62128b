import { nearest } from "../../../../cli/nearest.ts";
import { NoMatchError } from "../../../../client/discovery/mapping-errors.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { Factory } from "../../../factory/factory.ts";

/** Adds the name of a similar resource to the error about an unknown one; returns other errors unchanged. */
export async function suggestResource(
  error: unknown,
  factory: Pick<Factory, "discovery">,
): Promise<unknown> {
  const { cause } = error as { readonly cause?: unknown };
  const unknown = [error, cause].find((one) => one instanceof NoMatchError);
  const [, name] =
    /^the server doesn't have a resource type "(.+)"$/.exec(unknown?.message ?? "") ?? [];
  // Almost anything is similar to a word of three letters.
  if (unknown === undefined || name === undefined || name.length < 4) return error;
  const apis = (await factory.discovery()).known;
  const names = apis?.resources.flatMap(({ plural, singular }) => [plural, singular]) ?? [];
  const near = nearest(name.toLowerCase(), [...new Set(names.filter((one) => one !== ""))]);
  if (near === undefined || near === name) return error;
  return new Error(`${unknown.message}\nDid you mean ${quote(near)}?`, { cause: error });
}
