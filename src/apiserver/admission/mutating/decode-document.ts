import { type Decoded, DecodeError } from "../../../schema/json/decode.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import { type AnyKind, type ApiObject, canonical } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { typeProblem } from "../../verbs/patch/patched.ts";

/** A document of another kind: upstream decodes any kind that it knows, and finds out later that it is another one. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

/** Reads what became of an object after a JSON patch; throws DecodeError, or ConversionError. */
export function decodeDocument(kind: AnyKind, document: unknown, resources: Resources): Decoded {
  const text = () => stringifyJson(document);
  const problem = typeProblem(document, text, { kind, resources });
  if (problem?.startsWith("converting ")) throw new ConversionError(problem);
  if (problem !== undefined) throw new DecodeError(problem);
  const decoded = kind.form.decodeValue(document, text);
  if (!kind.form.mustNameKind)
    Object.assign(decoded.value as ApiObject, { kind: kind.kind, apiVersion: apiVersionOf(kind) });
  return decoded;
}

/** What becomes of a draft that was decoded: an object with its defaults, in the form in which clients read it. */
export function completedObject(kind: AnyKind, draft: ApiObject): ApiObject {
  kind.form.complete(draft);
  return canonical(kind, draft);
}
