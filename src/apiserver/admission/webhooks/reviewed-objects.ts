import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { type ApiObject, canonical } from "../../objects/object.ts";
import { objectKindOf, type SeenRequest } from "../matching/seen-request.ts";

/** The objects of a request as JSON; `null` where there is none. */
export interface ReviewedObjects {
  readonly object: string;
  readonly oldObject: string;
}

const known = new WeakMap<SeenRequest, ReviewedObjects>();

/** The JSON of a request's objects, which is made once for all webhooks that see them. */
export function reviewedObjects(request: SeenRequest): ReviewedObjects {
  let objects = known.get(request);
  if (!objects) {
    const encode = encoderOf(request);
    objects = { object: encode(request.object), oldObject: encode(request.old) };
    known.set(request, objects);
  }
  return objects;
}

function encoderOf(request: SeenRequest): (object: ApiObject | undefined) => string {
  const kind = objectKindOf(request);
  const { objectKind } = request.attributes;
  return (object) => {
    if (!object) return "null";
    if (!kind) return stringifyJson(object);
    return kind.form.encode(objectKind ? canonical(objectKind, object) : object);
  };
}
