import { badRequest, StatusError } from "../../../api/meta/v1/status-error.ts";
import { apply, ShapeError } from "../../../schema/apply/field-manager.ts";
import { managerText } from "../../../schema/apply/managers.ts";
import { pathText } from "../../../schema/apply/path-element.ts";
import { type Conflict, ConflictError, VersionError } from "../../../schema/apply/updater.ts";
import { DecodeError } from "../../../schema/json/decode.ts";
import { isMap, type ReadonlyJsonMap as JsonMap } from "../../../schema/json/json-value.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { YamlError, yamlToJson } from "../../../schema/yaml/yaml.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../../objects/object.ts";
import type { RequestContext } from "../../objects/request-context.ts";
import { repeatedKeys, requestValue } from "../../request/body.ts";
import type { WriteOptions } from "../../request/query.ts";
import type { ApiRequest } from "../../request/request.ts";
import type { VerbParts } from "../verb-parts.ts";
import type { AwaitedConversions } from "./awaited-conversions.ts";
import { fieldWriter, type Target } from "./field-management.ts";

/** An apply of the configuration in a request's body, as a function of the object that is there. */
export function readApply(
  request: ApiRequest,
  target: Target,
  {
    parts,
    options,
    context,
  }: {
    readonly parts: VerbParts;
    readonly options: Pick<WriteOptions, "fieldValidation" | "force">;
    readonly context: RequestContext;
  },
): (existing: ApiObject | undefined, conversions?: AwaitedConversions) => ObjectDraft {
  const { value, body = new Uint8Array() } = request;
  const text = value === undefined ? new TextDecoder().decode(body) : undefined;
  const { kind } = target;
  return (existing, conversions) => {
    const config = configOf(text === undefined ? requestValue(value) : parsed(text));
    checkConfig(kind, config);
    const object = translated(kind, config, () =>
      apply(
        fieldWriter(parts, target, { ...context, conversions }),
        existing as JsonMap | undefined,
        {
          config,
          force: options.force,
        },
      ),
    );
    const isRead = text === undefined || options.fieldValidation === "Ignore";
    const repeated = isRead ? undefined : repeatedKeys(text);
    if (repeated !== undefined) {
      const fault = `error converting YAML to JSON: ${repeated}`;
      if (options.fieldValidation === "Strict")
        throw badRequest(`error strict decoding YAML: ${fault}`);
      context.warnings.push(...fault.split("\n"));
    }
    return decoded(kind, config, object);
  };
}

function parsed(text: string): unknown {
  try {
    return yamlToJson(text, { lenient: true });
  } catch (error) {
    if (error instanceof YamlError)
      throw undecodable(`error converting YAML to JSON: yaml: ${error.message}`);
    throw error;
  }
}

function configOf(config: unknown): JsonMap {
  if (config === null) return {};
  if (isMap(config)) return config;
  const given = Array.isArray(config)
    ? "array"
    : typeof config === "boolean"
      ? "bool"
      : typeof config;
  throw undecodable(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${given} into Go value of type map[string]interface {}`,
  );
}

const undecodable = (why: string): StatusError => badRequest(`error decoding YAML: ${why}`);

/** A configuration must be of the kind at its path, and must not set managedFields. */
function checkConfig(kind: AnyKind, config: JsonMap): void {
  const { apiVersion, kind: name } = config;
  const [group, version] = versionParts(typeof apiVersion === "string" ? apiVersion : "");
  const given = typeof name === "string" ? name : "";
  if (group !== kind.group || version !== kind.version || given !== kind.kind)
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${given}`);
  const metadata = isMap(config.metadata) ? config.metadata : {};
  if (Array.isArray(metadata.managedFields)) throw badRequest("metadata.managedFields must be nil");
}

function versionParts(apiVersion: string): readonly [group: string, version: string] {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return ["", ""];
  const version = parts.at(-1) ?? "";
  return [parts.length === 2 ? (parts[0] ?? "") : "", version];
}

/** Runs an apply, and translates its errors to a Status. */
function translated(kind: AnyKind, config: JsonMap, run: () => JsonMap): JsonMap {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConflictError) throw conflicting(error.conflicts);
    if (error instanceof ShapeError)
      throw failed(`failed to create typed patch object (${nameOf(kind, config)})`, error);
    if (error instanceof VersionError)
      throw new StatusError("", error.message, { code: 500, cause: error });
    if (error instanceof SyntaxError) throw failed("failed to decode managed fields", error);
    throw error;
  }
}

const failed = (what: string, cause: Error): StatusError =>
  new StatusError("", `${what}: ${cause.message}`, { code: 500, cause });

/** An object as errors of apply name it: namespace, name and kind, as far as it has them. */
function nameOf({ group, version, kind }: AnyKind, { metadata }: JsonMap): string {
  const { namespace = "", name = "" } = isMap(metadata) ? metadata : {};
  return `${String(namespace)}/${String(name)}; ${group}/${version}, Kind=${kind}`;
}

function decoded(kind: AnyKind, config: JsonMap, object: JsonMap): ObjectDraft {
  try {
    return kind.form.afterApply(object) as ObjectDraft;
  } catch (error) {
    if (error instanceof DecodeError)
      throw failed(
        `failed to convert new object (${nameOf(kind, config)}) to proper version`,
        error,
      );
    throw error;
  }
}

/** The error that lists the managers whose fields a configuration would take. */
function conflicting(conflicts: readonly Conflict[]): StatusError {
  const sorted = [...conflicts].sort((a, b) => compareUtf8(a.manager, b.manager));
  const causes = sorted.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${managerText(manager)}`,
    field: pathText(path),
  }));
  return new StatusError("Conflict", conflictText(sorted), { details: { causes } });
}

function conflictText(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${managerText(first.manager)}: ${pathText(first.path)}`;
  const lines: string[] = [];
  let manager: string | undefined;
  for (const conflict of conflicts) {
    if (conflict.manager !== manager)
      lines.push(`conflicts with ${managerText(conflict.manager)}:`);
    manager = conflict.manager;
    lines.push(`- ${pathText(conflict.path)}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}
