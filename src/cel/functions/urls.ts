import {
  type GoUrl,
  parseGoQuery,
  parseGoUrl,
  requestUriFault,
  splitGoHost,
} from "../../schema/values/go-url.ts";
import { CelUrl } from "../values/cel-url.ts";
import { CelError, type CelValue } from "../values/cel-value.ts";
import { ArrayList } from "../values/list.ts";
import { EntryMap } from "../values/map.ts";
import { type Implementation, type Implementations, one } from "./implementation.ts";

const part = (read: (url: GoUrl) => CelValue): Implementation =>
  one(({ url }: CelUrl) => read(url));

/** The functions on URLs. */
export const urlFunctions: Implementations = {
  string_to_url: one((text: string) => {
    const fault = requestUriFault(text);
    const url = fault ?? parseGoUrl(text);
    return typeof url === "string"
      ? new CelError(`URL parse error during conversion from string: ${url}`)
      : new CelUrl(url, text);
  }),
  is_url_string: one((text: string) => requestUriFault(text) === undefined),
  url_get_scheme: part(({ scheme }) => scheme),
  url_get_host: part(({ host }) => host),
  url_get_hostname: part(({ host }) => splitGoHost(host).name),
  url_get_port: part(({ host }) => splitGoHost(host).port),
  url_get_escaped_path: part(({ escapedPath }) => escapedPath),
  url_get_query: part(
    ({ query }) =>
      new EntryMap(
        Array.from(parseGoQuery(query), ([name, values]) => [name, new ArrayList(values)] as const),
      ),
  ),
};
