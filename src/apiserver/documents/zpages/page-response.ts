import { statusOf } from "../../../api/meta/v1/status-error.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { notAcceptable } from "../../request/negotiation.ts";
import { indentJson, wantsPretty } from "../../request/pretty.ts";
import type { ApiRequest, ApiResponse } from "../../request/request.ts";
import { errorResponse } from "../../request/respond.ts";
import { warningHeaders } from "../../request/warning-headers.ts";
import {
  type PageForm,
  type PageKind,
  pageForm,
  pageGroup,
  pageTypes,
  refusalType,
} from "./page-form.ts";

/** A diagnostic page of the server, for people and as an object. */
export interface Page {
  readonly kind: PageKind;
  /** The text below the heading. */
  text(): string;
  /** The fields of the page as an object. */
  fields(): object;
}

/** Responds with a page: as text, or as an object where the client asks for its kind. */
export function pageResponse(
  request: ApiRequest,
  page: Page,
  component = "apiserver",
): ApiResponse {
  const form = pageForm(request.headers.accept, page.kind);
  if (!form) return refusal(request);
  if (form.mediaType === "text/plain")
    return {
      status: 200,
      headers: { "content-type": "text/plain; charset=utf-8", ...cacheHeaders },
      body: `${headOf(page, component)}${page.text()}`,
    };
  const { kind } = page;
  const { mediaType, version } = form;
  const value = {
    kind,
    apiVersion: `${pageGroup}/${version}`,
    metadata: { name: component },
    ...page.fields(),
  };
  return {
    status: 200,
    headers: {
      "content-type": `${mediaType};g=${pageGroup};v=${version};as=${kind}`,
      ...cacheHeaders,
      ...warningHeaders(warningsOf(page, form)),
    },
    body: mediaType === "application/yaml" ? toYaml(value) : jsonOf(value, wantsPretty(request)),
  };
}

const cacheHeaders = { "cache-control": "no-cache, private" };

const headOf = ({ kind }: Page, component: string): string => `
${component} ${kind.toLowerCase()}
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.
`;

const warningsOf = ({ kind }: Page, form: PageForm): string[] =>
  "version" in form && form.version === "v1alpha1"
    ? [
        `This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`,
      ]
    : [];

const jsonOf = (value: object, isPretty: boolean): string => {
  const text = `${stringifyJson(value)}\n`;
  return isPretty ? indentJson(text) : text;
};

function refusal({ headers: { accept = "" } }: ApiRequest): ApiResponse {
  const error = notAcceptable(pageTypes);
  const mediaType = refusalType(accept);
  if (mediaType) return errorResponse(error, { mediaType, as: "", asVersion: "" });
  // The error for a client that accepts no form of the page is always indented.
  const { headers } = errorResponse(error, undefined);
  return { status: error.code, headers, body: indentJson(JSON.stringify(statusOf(error))) };
}
