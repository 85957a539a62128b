/**
 * Throws for text with characters that YAML readers refuse. Upstream makes YAML by reading the JSON of an
 * object, in which these characters stand for themselves.
 */
export function requireYamlCharacters(json: string): void {
  if (refused.test(json)) throw new Error("yaml: control characters are not allowed");
}

const refused = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;
