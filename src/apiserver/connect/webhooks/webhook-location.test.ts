import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { WebhookClientConfig } from "../../../api/admissionregistration/v1/webhook-client-config.ts";
import { targetOf, urlOf } from "../location.ts";
import { webhookLocation } from "./webhook-location.ts";

const service = (change: { path?: string; port?: number }): WebhookClientConfig => ({
  service: { namespace: "n", name: "s", port: 443, ...change },
});

each<[what: string, config: WebhookClientConfig, url: string]>([
  ["a service", service({}), "https://s.n.svc:443/"],
  ["a path, without the slash at its end", service({ path: "/a/b/" }), "https://s.n.svc:443/a/b"],
  ["another port", service({ port: 8443, path: "/x y" }), "https://s.n.svc:8443/x%20y"],
  ["a URL", { url: "https://example.com/a" }, "https://example.com/a"],
  ["a URL with a port", { url: "https://127.0.0.1:9443" }, "https://127.0.0.1:9443/"],
])("webhookLocation: %s", (_, config, url) => {
  expect(urlOf(webhookLocation(config).location)).toBe(url);
});

test("webhookLocation: a service is connected to, and its certificate has its name", () => {
  const { location, service: found } = webhookLocation(service({ port: 8443 }));
  expect(found).toEqual({ namespace: "n", name: "s", port: 8443 });
  expect(targetOf(location).tls).toEqual({ serverName: "s.n.svc" });
});

each<[what: string, config: WebhookClientConfig, error: string]>([
  ["nothing", {}, "webhook configuration must have either service or URL"],
  ["an invalid URL", { url: "https://a:b" }, 'Unparsable URL: parse "https://a:b": invalid port'],
  [
    "a bundle that is none",
    { url: "https://a", caBundle: btoa("x") },
    "unable to load root certificates: unable to parse bytes as PEM block",
  ],
])("webhookLocation: %s cannot be used", (_, config, error) => {
  expect(() => webhookLocation(config)).toThrow(error);
});
