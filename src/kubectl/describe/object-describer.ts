import type { ObjectPlace } from "../resource/helper.ts";
import type { DescribeContext, DescribedKind } from "./describe-context.ts";
import { type Description, describedText } from "./description.ts";

/** Requests an object, and returns its description. */
export type Describer = (context: DescribeContext, place: ObjectPlace) => Promise<string>;

type Write<O> = (d: Description, object: O, context: DescribeContext) => Promise<void> | void;

/** A describer of objects of a kind. */
export const objectDescriber =
  <O>(kind: DescribedKind<O>, write: Write<O>): Describer =>
  async (context, place) => {
    const object = await context.get(kind, place);
    return describedText((d) => write(d, object, context));
  };

/** A describer of objects that servers have in one of several versions; the first that is found counts. */
export const versionedDescriber =
  <O>(kinds: readonly DescribedKind<O>[], write: Write<O>): Describer =>
  async (context, place) => {
    let failure: unknown;
    for (const kind of kinds) {
      let object: O;
      try {
        object = await context.get(kind, place);
      } catch (error) {
        failure = error;
        continue;
      }
      return describedText((d) => write(d, object, context));
    }
    throw failure;
  };
