import { unifiedDiff } from "../../../../base/unified-diff.ts";
import { goJson } from "../../../../schema/json/go-json.ts";
import type { Struct } from "../../../../schema/language/struct.ts";
import { internalForm } from "../../../meta/v1/internal-form.ts";
import { PodSpec } from "./pod-spec.ts";

/** How a pod's spec changed, in the form in which upstream shows it: lines of Go's structs as JSON. */
export const podSpecDiff = (from: PodSpec, to: PodSpec): string => goDiff(PodSpec, from, to);

/** The same for a part of the spec. */
export const goDiff = <T>(struct: Struct<T>, from: T, to: T): string =>
  unifiedDiff(textOf(struct, from), textOf(struct, to));

const textOf = <T>(struct: Struct<T>, value: T): string => goJson(internalForm(struct, value), 1);
