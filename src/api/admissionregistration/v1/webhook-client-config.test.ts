import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { At } from "../../../schema/language/report.ts";
import { validateWebhookClientConfig, type WebhookClientConfig } from "./webhook-client-config.ts";

const form = "; desired format: https://host[/path]";
const service = (change: object) => ({
  service: { name: "s", namespace: "n", port: 443, ...change },
});

each<[rule: string, config: WebhookClientConfig, errors: readonly string[]]>([
  ["a URL is enough", { url: "https://a.b/c" }, []],
  ["a service is enough", service({ path: "/" }), []],
  [
    "not both",
    { url: "https://a", ...service({}) },
    [": Required value: exactly one of url or service is required"],
  ],
  [
    "only a host and a path are taken",
    { url: "http://u:p@h/p?q#f" },
    [
      `url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`,
      'url: Invalid value: "u:p": user information is not permitted in the URL',
      'url: Invalid value: "f": fragments are not permitted in the URL',
      'url: Invalid value: "q": query parameters are not permitted in the URL',
    ],
  ],
  [
    "a URL without a host is none",
    { url: "https:///p" },
    [`url: Invalid value: "": host must be specified${form}`],
  ],
  [
    "what cannot be parsed counts as missing",
    { url: "https://a:b" },
    [
      `url: Required value: url must be a valid URL: parse "https://a:b": invalid port ":b" after host${form}`,
    ],
  ],
  [
    "the namespace is missing where the name is",
    service({ name: "" }),
    ["service.namespace: Required value"],
  ],
  [
    "the name is missing where the namespace is",
    service({ namespace: "" }),
    ["service.name: Required value"],
  ],
  [
    "a port is one",
    service({ port: 0 }),
    ["service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"],
  ],
  ["a path may end in a slash", service({ path: "/a/b.c/" }), []],
  [
    "a path of two slashes is refused at once",
    service({ path: "//" }),
    ['service.path: Invalid value: "//": segment[0] may not be empty'],
  ],
  [
    "a path begins with a slash and has no gaps",
    service({ path: "xa//b" }),
    [
      `service.path: Invalid value: "xa//b": must start with a '/'`,
      'service.path: Invalid value: "xa//b": segment[1] may not be empty',
    ],
  ],
])("validateWebhookClientConfig: %s", (_, config, errors) => {
  const at = At.root();
  validateWebhookClientConfig(config, at);
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
});
