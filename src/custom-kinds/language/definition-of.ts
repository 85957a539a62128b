import { struct } from "./containers.ts";
import { copyDefined } from "./copy-defined.ts";
import type {
  ColumnDefinition,
  CustomKind,
  Definition,
  KindDefinition,
} from "./kind-definition.ts";
import type { Properties } from "./property.ts";

/** The manifest of a kind: all its versions, of which it is the one that objects are stored in. */
export function definitionOf(definition: KindDefinition<Properties>): Definition {
  const { group, kind, plural, scope, singular, listKind, shortNames, categories } = definition;
  const { labels, annotations, conversion, otherVersions = [] } = definition;
  for (const other of otherVersions) checkSameResource(definition, other);
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, labels, annotations },
    spec: {
      group,
      names: {
        kind,
        listKind: listKind ?? `${kind}List`,
        plural,
        singular: singular ?? kind.toLowerCase(),
        shortNames,
        categories,
      },
      scope,
      versions: [versionOf(definition), ...otherVersions.flatMap(versionsOf)],
      conversion: conversion && {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: conversion.reviewVersions ?? ["v1"],
          clientConfig: {
            url: conversion.url,
            service: conversion.service,
            caBundle: conversion.caBundle,
          },
        },
      },
    },
  };
  // Absent stays absent: a manifest has no member that is undefined.
  return copyDefined(manifest) as Definition;
}

function versionOf(definition: KindDefinition<Properties>): object {
  const { version, served = true, deprecated = false, fields, rules = [], doc } = definition;
  const { columns, scale, selectableFields } = definition;
  const { statusSubresource = Object.hasOwn(fields, "status") } = definition;
  let root = struct(fields);
  if (doc !== undefined) root = root.doc(doc);
  for (const { rule, ...options } of rules) root = root.rule(rule, options);
  const status = statusSubresource ? {} : undefined;
  return {
    name: version,
    served,
    storage: true,
    deprecated: deprecated === false ? undefined : true,
    deprecationWarning: typeof deprecated === "string" ? deprecated : undefined,
    schema: { openAPIV3Schema: root.schema },
    subresources:
      status || scale
        ? {
            status,
            scale: scale && {
              specReplicasPath: scale.replicas,
              statusReplicasPath: scale.currentReplicas,
              labelSelectorPath: scale.selector,
            },
          }
        : undefined,
    additionalPrinterColumns: columns && printed(columns),
    selectableFields: selectableFields?.map((jsonPath) => ({ jsonPath })),
  };
}

/** The columns, and the age unless it is one of them: other columns hide what tables show by default. */
function printed(columns: readonly ColumnDefinition[]): readonly object[] {
  const own = columns.map(({ wide, ...column }) => ({ ...column, ...(wide && { priority: 1 }) }));
  const hasAge = columns.some(({ name }) => name.toLowerCase() === "age");
  return hasAge ? own : [...own, age];
}

const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The versions of a kind as those of another one, which is stored. */
const versionsOf = ({ definition }: CustomKind): readonly object[] =>
  definition.spec.versions.map((version) => ({ ...version, storage: false }));

function checkSameResource(stored: KindDefinition<Properties>, other: CustomKind): void {
  for (const name of ["group", "kind", "plural", "scope"] as const)
    if (stored[name] !== other[name])
      throw new TypeError(
        `${other.kind} ${other.version} is no other version of ${stored.kind}: its ${name} is ${other[name]}, not ${stored[name]}`,
      );
}
