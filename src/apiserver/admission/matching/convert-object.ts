import { convertTo } from "../../objects/conversions.ts";
import { type AnyKind, type ApiObject, canonical } from "../../objects/object.ts";

/**
 * An object of one kind as another that is stored in the same form; a promise where a webhook converts. Throws, or
 * rejects, if it cannot be converted.
 */
export function convertObject(
  object: ApiObject,
  { from, to }: { readonly from: AnyKind; readonly to: AnyKind },
): ApiObject | Promise<ApiObject> {
  if (from === to) return object;
  if (from.struct && to.struct) return convertedByFunction(object, { from, to });
  return to.converter
    ? convertedByWebhook(canonical(from, object), to)
    : convertedByForm(object, { from, to });
}

function convertedByFunction(
  object: ApiObject,
  { from, to }: { readonly from: AnyKind; readonly to: AnyKind },
): ApiObject {
  const { conversion } = from;
  const whole = canonical(from, object);
  const stored = conversion ? conversion.toStored(whole as never) : whole;
  return canonical(to, to.conversion ? to.conversion.fromStored(stored as never) : stored);
}

/** Webhooks get objects without their version. */
async function convertedByWebhook(object: ApiObject, to: AnyKind): Promise<ApiObject> {
  const { resourceVersion } = object.metadata;
  const { metadata, ...converted } = await convertTo(to, object);
  return canonical(to, { ...converted, metadata: { ...metadata, resourceVersion } });
}

/** The versions of a custom resource are converted on the way to the store and back. */
function convertedByForm(
  object: ApiObject,
  { from, to }: { readonly from: AnyKind; readonly to: AnyKind },
): ApiObject {
  const converted = to.form.fromBytes(from.form.toBytes(object)) as ApiObject;
  if (object.metadata.generation !== undefined) return converted;
  // What is read from the store has a generation, a new object has none yet.
  const { generation: _, ...metadata } = converted.metadata;
  return { ...converted, metadata };
}
