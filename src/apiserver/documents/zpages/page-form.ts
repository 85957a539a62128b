import { matches, parseAccept } from "../../request/negotiation.ts";

/** The kinds of diagnostic pages. */
export type PageKind = "Flagz" | "Statusz";

export const pageGroup = "config.k8s.io";
const pageVersions = ["v1beta1", "v1alpha1"] as const;
export type PageVersion = (typeof pageVersions)[number];

/** How a page is written: as text, or as an object of a version. */
export type PageForm =
  | { readonly mediaType: "text/plain" }
  | { readonly mediaType: ObjectType; readonly version: PageVersion };
type ObjectType = (typeof objectTypes)[number];

const objectTypes = ["application/json", "application/yaml"] as const;

/** What pages can be written as, in the order in which they are offered. */
export const pageTypes: readonly string[] = [...objectTypes, "text/plain"];

/** Chooses the form that the client prefers; undefined where there is none. An object form must name its kind. */
export function pageForm(accept: string | undefined, kind: PageKind): PageForm | undefined {
  if (accept === undefined || accept.trim() === "") return { mediaType: "text/plain" };
  for (const { type, parameters } of parseAccept(accept)) {
    if (parameters.has("stream") || parameters.has("sv")) continue;
    if (isPlain(parameters)) {
      if (matches(type, "text/plain")) return { mediaType: "text/plain" };
      continue;
    }
    const mediaType = objectTypes.find((known) => matches(type, known));
    const version = pageVersions.find((known) => known === parameters.get("v"));
    const isMeant = parameters.get("g") === pageGroup && parameters.get("as") === kind;
    if (mediaType && version && isMeant) return { mediaType, version };
  }
  return undefined;
}

/** The form of the error where the client accepts no form of the page. */
export function refusalType(accept: string): ObjectType | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    const found = objectTypes.find((known) => matches(type, known));
    if (found && isPlain(parameters) && !parameters.has("sv")) return found;
  }
  return undefined;
}

const isPlain = (parameters: ReadonlyMap<string, string>): boolean =>
  !["as", "g", "v"].some((name) => parameters.has(name));
