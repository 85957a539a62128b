import type { At } from "../../schema/language/report.ts";
import { isDns1123Label, isDns1123Subdomain, type Messages } from "../../schema/values/names.ts";
import { quote } from "../../schema/values/quote.ts";

const maxDomain = 253;
/** A domain, a slash, a namespace, a dot and a name. */
const maxName = maxDomain + 1 + 63 + 1 + 253;
const encoder = new TextEncoder();
const size = (text: string): number => encoder.encode(text).length;

/** The rules of a signer's name: `domain.example/path`. */
export function validateSignerName(name: string, at: At): void {
  if (name === "") {
    at.required();
    return;
  }
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    at.invalid(
      "",
      name,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
    return;
  }
  if (size(domain) > maxDomain) at.tooLong("", maxDomain);
  validateLabels(domain, isDns1123Label, at);
  if (!domain.includes("."))
    at.invalid("", domain, "should be a domain with at least two segments separated by dots");
  validateLabels(path, isDns1123Subdomain, at);
  if (size(name) > maxName) at.tooLong("", maxName);
}

/** Reports the first label that is wrong. */
function validateLabels(text: string, rule: (label: string) => Messages, at: At): void {
  for (const label of text.split(".")) {
    const messages = rule(label);
    for (const message of messages)
      at.invalid("", text, `validating label ${quote(label)}: ${message}`);
    if (messages.length > 0) return;
  }
}

/** Whether a name is reserved for the signers of Kubernetes itself. */
export function isKubernetesSignerName(name: string): boolean {
  const [host = ""] = name.split("/");
  return host === "kubernetes.io" || host.endsWith(".kubernetes.io");
}
