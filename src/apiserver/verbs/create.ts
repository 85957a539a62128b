import { validateObjectMeta } from "../../api/meta/v1/object-meta-validation.ts";
import {
  alreadyExists,
  badRequest,
  forbidden,
  StatusError,
} from "../../api/meta/v1/status-error.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import type { At } from "../../schema/language/report.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { resourceAttributes } from "../authorization/attributes.ts";
import { authorize } from "../authorization/authorize.ts";
import { type Address, resourceName } from "../objects/address.ts";
import { asIfStored } from "../objects/conversions.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import type { Stored } from "../objects/stored.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { type AwaitedConversions, withConversions } from "./patch/awaited-conversions.ts";
import { trackFields } from "./patch/field-management.ts";
import type { VerbParts } from "./verb-parts.ts";
import { type PlannedWrite, preparedObject, type Written, writeObject } from "./write.ts";

/** How often the server generates a name before it gives up. */
const nameAttempts = 8;
const maxGeneratedName = 63;
const suffixLength = 5;

/** Creates an object. */
export async function create(
  parts: VerbParts,
  at: Omit<Address, "name">,
  { draft, context }: { readonly draft: ObjectDraft; readonly context: RequestContext },
): Promise<Stored | ApiObject> {
  const { kind, namespace } = at;
  const { metadata } = draft;
  const generated = !metadata.name && !!metadata.generateName;
  const version = metadata.resourceVersion;
  clearStamps(draft);
  // A dry run writes nothing, so upstream's response keeps the version that the client sent.
  if (!context.dryRun) delete metadata.resourceVersion;
  checkNamespace(kind, namespace, draft);
  for (let attempt = 1; ; attempt++) {
    const name = generated ? generateName(parts, metadata.generateName ?? "") : metadata.name;
    const address = { kind, namespace, name: name ?? "" };
    const copy = generated ? copyJson(draft) : draft;
    const outcome = await createAt(parts, address, { draft: copy, context, version });
    if (outcome !== "conflict") return outcome;
    if (!generated) throw await existsError(parts, address);
    if (attempt === nameAttempts) throw generatedNameTaken(address);
  }
}

export interface Creation {
  readonly draft: ObjectDraft;
  readonly context: RequestContext;
  /** Whether the draft carries managedFields that count, as after an apply. */
  readonly isOwned?: boolean;
  /** Whether an update or apply creates the object: creating it has not been authorized yet. */
  readonly byUpdate?: boolean;
  /** The resourceVersion that the client sent. */
  readonly version?: string | undefined;
  /** Where a webhook converts between versions. */
  readonly conversions?: AwaitedConversions | undefined;
}

/** Creates an object of a given name; "conflict" if it exists. */
export async function createAt(
  parts: VerbParts,
  address: Address,
  creation: Creation,
): Promise<Written> {
  const refusal = address.kind.strategy.createRefusal?.();
  if (refusal !== undefined) throw forbidden(resourceName(address), refusal);
  const { kind } = address;
  const planned = (conversions?: AwaitedConversions) =>
    planCreate(parts, address, { ...creation, conversions });
  return writeObject(parts, kind.converter ? await withConversions(kind, planned) : planned());
}

/** The object that would be stored; nothing is allocated for it, and nothing is stored. */
export const objectToCreate = (
  parts: VerbParts,
  address: Address,
  creation: Creation,
): Promise<ApiObject> => preparedObject(parts, planCreate(parts, address, creation));

function planCreate(parts: VerbParts, address: Address, creation: Creation): PlannedWrite {
  const { kind } = address;
  const { strategy } = kind;
  const { draft, context, isOwned = false, byUpdate = false, conversions } = creation;
  kind.form.complete(draft);
  if (!isOwned) {
    dropRepeatedOwners(draft, context.warnings);
    trackFields(parts, { kind, subresource: "" }, { draft, old: undefined, context, conversions });
  }
  return {
    operation: "CREATE",
    address,
    subresource: "",
    draft,
    old: undefined,
    context,
    prepare(prepared, write) {
      // A webhook may have changed it.
      checkNamespace(kind, address.namespace, prepared);
      const { metadata } = prepared;
      if (address.name !== "") metadata.name ||= address.name;
      metadata.uid = parts.environment.entropy.uuid();
      metadata.creationTimestamp = write.now;
      strategy.prepareCreate?.(prepared as never, write);
    },
    validate(object, report) {
      kind.validateCreate(object, report);
      if (report.errors.length === 0) validateCommon(kind, object, report.child("metadata"));
    },
    warnings: (object) => strategy.warnings?.(object as never, undefined) ?? [],
    ...(byUpdate && { authorize: () => authorizeCreation(parts, address, context) }),
    async commit(object, belonging) {
      // The kind may have named the object.
      const placed = { ...address, name: object.metadata.name ?? "" };
      if (context.dryRun)
        return (await parts.reader.find(placed)) ? "conflict" : asIfStored(kind, object);
      checkNoVersion(creation.version ?? "");
      return parts.committer.put(placed, { object, ifRevision: 0 }, belonging);
    },
  };
}

/** A caller that may update an object need not be allowed to create it. */
async function authorizeCreation(
  { access }: VerbParts,
  { kind, namespace, name }: Address,
  { user }: RequestContext,
): Promise<void> {
  const { group, version, plural: resource } = kind;
  const place = { group, version, resource, namespace, name };
  await authorize(access.authorizer, resourceAttributes(user, "create", place));
}

/** The rules of all kinds. A kind that validates its metadata itself has only its name left to check. */
function validateCommon(kind: AnyKind, { metadata }: ApiObject, at: At): void {
  if (!kind.validatesMetadata) {
    const namespaced = kind.scope === "Namespaced";
    validateObjectMeta(metadata, at, { namespaced, name: pathSegmentName });
    return;
  }
  const { name = "", generateName = "" } = metadata;
  if (generateName !== "")
    at.invalidEach("generateName", generateName, pathSegmentName(generateName, true));
  at.invalidEach("name", name, pathSegmentName(name));
}

/** Clears the metadata that only the server sets. */
export function clearStamps({ metadata }: ObjectDraft): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Rejects a resourceVersion on create. Upstream ignores a text that is no version. */
function checkNoVersion(version: string): void {
  if (!/^0*[1-9]\d{0,18}$/.test(version)) return;
  const message = "resourceVersion should not be set on objects to be created";
  throw new StatusError("", message, { code: 500 });
}

/** The namespace is that of the request: an object may leave it out, but not name another. */
export function checkNamespace(kind: AnyKind, namespace: string, { metadata }: ObjectDraft): void {
  if (kind.scope === "Cluster") {
    if (metadata.namespace) delete metadata.namespace;
    return;
  }
  if (!metadata.namespace) metadata.namespace = namespace;
  else if (metadata.namespace !== namespace)
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
}

const generateName = ({ environment }: VerbParts, base: string): string =>
  base.slice(0, maxGeneratedName - suffixLength) + environment.entropy.suffix(suffixLength);

async function existsError({ reader }: VerbParts, address: Address): Promise<Error> {
  const existing = await reader.find(address);
  const terminating = existing?.object.metadata.deletionTimestamp !== undefined;
  return alreadyExists(resourceName(address), terminating ? "object is being deleted: " : "");
}

function generatedNameTaken(address: Address): Error {
  const { message, details } = alreadyExists(resourceName(address));
  return new StatusError(
    "AlreadyExists",
    `${message}, the server was not able to generate a unique name for the object`,
    { details: { ...details, retryAfterSeconds: 1 } },
  );
}
